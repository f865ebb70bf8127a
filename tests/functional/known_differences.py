"""Recorded answers that this service does not give, and why: what is not built yet, and what is different on purpose."""

TEMPLATES = 'templates as resource types (nested stacks) are not built yet: they are refused with NotSupported'
GROUPS = 'the type of this case (wait condition, nested stack) is not built yet: it is refused as unknown'
RETIRED = 'retired types are not registered yet: the type is refused as unknown'
BETTER = 'the recorded service breaks with a 500 here; a fault of the request is answered with a 400 that names it'
TEXT = 'the class and the status are the recorded ones; the text says more about what is wrong'
ROLLBACK = 'the recorded service leaves a resource that the update had deleted as an empty row; here the rollback makes it again'

_BY_REASON = {
    TEMPLATES: """
        get_attr/43-nested-template-output get_attr/44-nested-template-output-path get_attr/46-nested-template-unknown-output
        get_attr/47-registry-mapped-template get_resource/08-nested-template-os-stack-id-override
        resource_facade/01-metadata resource_facade/02-deletion_policy resource_facade/04-defaults-when-absent
        resource_facade/05-deletion-policy-default environment/20-registry-missing-template
        nested/01-ok nested/02-missing-parameter nested/04-missing-file nested/05-bad-yaml nested/07-no-version
        nested/08-unknown-type-inside nested/10-constraint-violation-inside nested/11-bad-output-inside
        nested/13-number-parameter-gets-bad-string nested/14-list-parameter-gets-list nested/16-boolean-parameter-gets-string
        nested/19-file-scheme-template-type nested/22-provider-overrides-builtin-missing-parameter
        nested/23-provider-overrides-builtin-type-mismatch sequence/52-nested-failure-reason
    """,
    GROUPS: """
        nested/20-os-heat-stack-bad-template
    """,
    RETIRED: 'resource/44-hidden-type',
    BETTER: """
        environment/19-registry-loop environment/29-restricted-invalid environment/31-event-sinks-unknown-type
        environment/32-event-sinks-no-type environment/38-merge-strategies-deep-merge yaml/17-recursive-alias
    """,
    TEXT: 'version/16-number-template environment/08-list',
    ROLLBACK: 'sequence/29-update-failed-rollback',
}

DIFFERENT = {case: reason for reason, cases in _BY_REASON.items() for case in cases.split()}
