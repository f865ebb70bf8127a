"""Recorded answers that this service does not give, and why: what is not built yet, and what is different on purpose."""

BETTER = 'the recorded service breaks with a 500 here; a fault of the request is answered with a 400 that names it'
TEXT = 'the class and the status are the recorded ones; the text says more about what is wrong'
ROLLBACK = 'the recorded service leaves a resource that the update had deleted as an empty row; here the rollback makes it again'

_BY_REASON = {
    BETTER: """
        environment/19-registry-loop environment/29-restricted-invalid environment/31-event-sinks-unknown-type
        environment/32-event-sinks-no-type environment/38-merge-strategies-deep-merge yaml/17-recursive-alias
    """,
    TEXT: 'version/16-number-template environment/08-list',
    ROLLBACK: 'sequence/29-update-failed-rollback',
}

DIFFERENT = {case: reason for reason, cases in _BY_REASON.items() for case in cases.split()}
