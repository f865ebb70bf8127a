"""Operations on resources, their events, and the live views of a stack."""

from heat_lite.operations import stacks
from heat_lite.operations.operation import (
    ANY,
    FLAG,
    INTEGER,
    MEMBER,
    ONE_OR_LIST,
    OPTIONAL_INTEGER,
    READER,
    READER_OR_STACK_USER,
    RESOURCE,
    STACK,
    STRING,
    TENANT,
    TEXT,
    TEXTS,
    Operation,
)
from heat_lite.operations.remote_method import call

FILTERS = dict.fromkeys(
    ('id', 'status', 'name', 'action', 'type', 'physical_resource_id'), ONE_OR_LIST
)
SCOPE = {'nested_depth': INTEGER, 'with_detail': FLAG}
DEPTH = {'nested_depth': OPTIONAL_INTEGER}

EVENT_FILTERS = dict.fromkeys(
    ('resource_status', 'resource_action', 'resource_name', 'resource_type'), ONE_OR_LIST
)
EVENT_PAGE = {**stacks.PAGE, **DEPTH}
EVENT_STREAM = dict.fromkeys((*EVENT_FILTERS, 'status'), TEXTS)
EVENT_POSITION = dict.fromkeys(('from', 'last_event_id', 'tags'), TEXT)
TIMELINE = {'action': TEXT, 'number': OPTIONAL_INTEGER}

EVENTS_OF_A_STACK = 'List the events of a stack or of one resource, or stream them.'
EVENT_LIST = {**EVENT_FILTERS, **EVENT_PAGE, **EVENT_POSITION, 'until': TEXT}

OPERATIONS = (
    Operation(
        'GET',
        f'{STACK}/resources',
        'resource.index',
        'List the resources of a stack.',
        READER,
        query={**FILTERS, **SCOPE},
    ),
    Operation(
        'GET',
        RESOURCE,
        'resource.show',
        'Return a resource with its attributes.',
        READER,
        query={'with_attr': TEXTS},
    ),
    Operation(
        'PATCH',
        RESOURCE,
        'resource.mark_unhealthy',
        'Mark a resource: the next update replaces it.',
        MEMBER,
        body={
            'type': 'object',
            'properties': {
                'mark_unhealthy': {'type': 'boolean'},
                'resource_status_reason': STRING,
            },
            'required': ['mark_unhealthy'],
        },
    ),
    Operation(
        'GET',
        f'{RESOURCE}/metadata',
        'resource.metadata',
        'Return the metadata of a resource, as its server reads them.',
        READER_OR_STACK_USER,
    ),
    Operation(
        'POST',
        f'{RESOURCE}/signal',
        'resource.signal',
        'Signal a resource, e.g. a wait condition handle or a scaling policy.',
        READER_OR_STACK_USER,
        body=ANY,
    ),
    Operation(
        'GET',
        f'{TENANT}/events',
        'events.index_project',
        'Stream the events of all stacks of the project.',
        rule='events:index',
        query={**EVENT_STREAM, **DEPTH, **EVENT_POSITION},
    ),
    Operation(
        'GET',
        f'{STACK}/events',
        'events.index',
        EVENTS_OF_A_STACK,
        READER,
        query=EVENT_LIST,
    ),
    Operation(
        'GET',
        f'{RESOURCE}/events',
        'events.index',
        EVENTS_OF_A_STACK,
        READER,
        query=EVENT_LIST,
    ),
    Operation('GET', f'{RESOURCE}/events/{{event_id}}', 'events.show', 'Return an event.', READER),
    Operation(
        'GET',
        f'{STACK}/graph',
        'live.graph',
        'Return the resources of a stack and their dependencies.',
        rule='resource:index',
        query=DEPTH,
    ),
    Operation(
        'GET',
        f'{STACK}/timeline',
        'live.timeline',
        'Return when each resource waited, called and polled the cloud in an action.',
        rule='events:index',
        query={**DEPTH, **TIMELINE},
    ),
    Operation(
        'GET',
        f'{STACK}/drift',
        'live.drift',
        'Compare the properties of resources with the objects in the cloud.',
        rule='actions:check',
        query=DEPTH,
        calls=call('stack_drift', '1.36', 'stack_identity', nested_depth=0),
        key='drift',
    ),
)

# Without Keystone a wait condition handle has no signed URL at the CFN API: its reference is the
# URL for signals of this API, to which clients of CloudFormation send PUT.
LOCAL_OPERATIONS = (
    Operation(
        'PUT',
        f'{RESOURCE}/signal',
        'resource.signal',
        'Signal a wait condition handle.',
        body=ANY,
    ),
)
