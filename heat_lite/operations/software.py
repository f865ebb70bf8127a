"""Operations on software configurations and their deployments."""

from heat_lite.operations.operation import (
    FLAG,
    MEMBER,
    NO_ONE,
    OPTIONAL_INTEGER,
    READER,
    READER_OR_STACK_USER,
    TENANT,
    TEXT,
    Operation,
)
from heat_lite.operations.remote_method import call

CONFIGS = f'{TENANT}/software_configs'
CONFIG = f'{CONFIGS}/{{config_id}}'
DEPLOYMENTS = f'{TENANT}/software_deployments'
DEPLOYMENT = f'{DEPLOYMENTS}/{{deployment_id}}'

CONFIG_PAGE = {'limit': OPTIONAL_INTEGER, 'marker': TEXT}
CONFIG_KEYS = (
    'id',
    'name',
    'group',
    'creation_time',
    'project',
    'config',
    'inputs',
    'outputs',
    'options',
)
DEPLOYMENT_KEYS = (
    'id',
    'server_id',
    'input_values',
    'output_values',
    'action',
    'status',
    'status_reason',
    'config_id',
    'creation_time',
    'updated_time',
)

OPERATIONS = (
    Operation(
        'GET',
        CONFIGS,
        'software_configs.index',
        'List the software configurations of the project.',
        rule=None,
        rules={'software_configs:index': READER, 'software_configs:global_index': NO_ONE},
        query={**CONFIG_PAGE, 'global_tenant': FLAG},
    ),
    Operation(
        'POST',
        CONFIGS,
        'software_configs.create',
        'Create a software configuration.',
        MEMBER,
    ),
    Operation(
        'GET',
        CONFIG,
        'software_configs.show',
        'Return a software configuration.',
        READER,
        calls=call('show_software_config', '1.0', 'config_id'),
        key='software_config',
        columns=CONFIG_KEYS,
    ),
    Operation(
        'DELETE',
        CONFIG,
        'software_configs.delete',
        'Delete a software configuration.',
        MEMBER,
        calls=call('delete_software_config', '1.0', 'config_id'),
        status=204,
    ),
    Operation(
        'GET',
        DEPLOYMENTS,
        'software_deployments.index',
        'List the software deployments, of one server if it is given.',
        READER,
        query={'server_id': TEXT},
        calls=call('list_software_deployments', '1.0', server_id=None),
        key='software_deployments',
        columns=DEPLOYMENT_KEYS,
    ),
    Operation(
        'POST',
        DEPLOYMENTS,
        'software_deployments.create',
        'Create a software deployment.',
        MEMBER,
    ),
    Operation(
        'GET',
        f'{DEPLOYMENTS}/metadata/{{server_id}}',
        'software_deployments.metadata',
        'Return the deployments of a server, as its agent reads them.',
        READER_OR_STACK_USER,
        calls=call('metadata_software_deployments', '1.0', 'server_id'),
        key='metadata',
    ),
    Operation(
        'GET',
        DEPLOYMENT,
        'software_deployments.show',
        'Return a software deployment.',
        READER,
        calls=call('show_software_deployment', '1.0', 'deployment_id'),
        key='software_deployment',
        columns=DEPLOYMENT_KEYS,
    ),
    Operation(
        'PUT',
        DEPLOYMENT,
        'software_deployments.update',
        'Update a software deployment.',
        MEMBER,
    ),
    Operation(
        'DELETE',
        DEPLOYMENT,
        'software_deployments.delete',
        'Delete a software deployment.',
        MEMBER,
        calls=call('delete_software_deployment', '1.0', 'deployment_id'),
        status=204,
    ),
)
