"""Recorded responses that this service does not return, by case id, with the reason."""

import sys

STATUS_400_NOT_500 = (
    'the recorded service fails with status 500; '
    'this service returns 400 and names the error of the request'
)
TEXT = 'error type and status are as recorded; the message has more detail'
ROLLBACK = (
    'the recorded service leaves an empty row for a resource that the update deleted; '
    'here the rollback creates the resource again'
)
SIGNAL = (
    'the recorded service answers 200 and drops a signal that its resource does not understand; '
    'this service returns 400 and the reason'
)
UTF_8 = 'the recorded service digests Latin-1, and no other text'
EMPTY_TAG = 'the recorded service stores an empty tag, which no request can name'
PATH = 'the recorded service ignores a path into the references of a group'
TEXT_INDEX = 'the recorded service reads a numeric string as an index in parameters only'
PYTHON_3_14 = 'the text is of the exception of Python, which words it differently since 3.14'

_BY_REASON = {
    STATUS_400_NOT_500: """
        environment/19-registry-loop environment/29-restricted-invalid
        environment/31-event-sinks-unknown-type environment/32-event-sinks-no-type
        environment/38-merge-strategies-deep-merge yaml/17-recursive-alias
    """,
    TEXT: 'version/16-number-template environment/08-list',
    UTF_8: 'digest/10-latin1-char digest/11-non-latin1-char',
    TEXT_INDEX: 'get_attr/08-list-index-string',
    EMPTY_TAG: 'request/22-tags-empty',
    PATH: 'field/sequence/group-refs-map-path field/sequence/scaling-group-refs-path',
    ROLLBACK: 'sequence/29-update-failed-rollback',
    SIGNAL: 'sequence/44-signal-invalid-status',
}
if sys.version_info >= (3, 14):
    _BY_REASON[PYTHON_3_14] = 'yaql/more-17 yaql/more-28'

DIFFERENT = {case: reason for reason, cases in _BY_REASON.items() for case in cases.split()}
