"""The operations of the REST API: a module for each noun; those about the service are here."""

from heat_lite.operations import resources, software, stacks, templates
from heat_lite.operations.operation import ADMIN, FLAG, READER, TENANT, Operation
from heat_lite.operations.remote_method import Since, call

OPERATIONS = (
    *stacks.OPERATIONS,
    *resources.OPERATIONS,
    *templates.OPERATIONS,
    *software.OPERATIONS,
    Operation(
        'GET',
        f'{TENANT}/build_info',
        'build_info.build_info',
        'Return the build of the API and of an engine.',
        READER,
    ),
    Operation(
        'GET',
        f'{TENANT}/limits',
        'service.limits',
        'Return the limits of a project.',
        READER,
        calls=call('project_limits', '1.37'),
        key='limits',
    ),
    Operation(
        'GET',
        f'{TENANT}/services',
        'service.index',
        'List the engines and their heartbeats.',
        ADMIN,
        query={'with_stacks': FLAG},
        calls=call('list_services', '1.4', with_stacks=Since('1.37')),
        key='services',
    ),
)
