"""Operations on templates, and on the types and functions that they have."""

from heat_lite.common.value_types import Values
from heat_lite.operations.operation import (
    FLAG,
    MEMBER,
    OPTIONAL_FLAG,
    READER,
    STRING,
    TENANT,
    TEXT,
    VALIDATE,
    Operation,
)
from heat_lite.operations.remote_method import call
from heat_lite.operations.stacks import BODY

TYPES = f'{TENANT}/resource_types'
VERSIONS = f'{TENANT}/template_versions'

TYPE_LIST = {
    'support_status': TEXT,
    'name': TEXT,
    'version': TEXT,
    'with_description': FLAG,
    'with_unavailable': FLAG,
}
TEXTS_BODY: Values = {
    'template': STRING,
    'environment': {'type': ['string', 'null']},
    'files': {'type': ['object', 'null'], 'additionalProperties': STRING},
}
PLACE = {'type': 'integer', 'minimum': 1}

OPERATIONS = (
    Operation(
        'POST',
        f'{TENANT}/validate',
        'stacks.validate_template',
        'Validate a template; return its parameters.',
        MEMBER,
        query={'show_nested': OPTIONAL_FLAG, 'ignore_errors': TEXT},
        body=BODY,
    ),
    Operation(
        'POST',
        f'{TENANT}/validate/lint',
        'texts.lint',
        'Return what the linter finds in the texts of a template.',
        rule=VALIDATE,
        body={'type': 'object', 'properties': TEXTS_BODY, 'required': ['template']},
    ),
    Operation(
        'POST',
        f'{TENANT}/validate/complete',
        'texts.complete',
        'Return what may stand at a place of a template.',
        rule=VALIDATE,
        body={
            'type': 'object',
            'properties': {**TEXTS_BODY, 'file': STRING, 'line': PLACE, 'column': PLACE},
            'required': ['template', 'line', 'column'],
        },
    ),
    Operation(
        'GET',
        f'{TENANT}/validate/choices/{{constraint}}',
        'texts.choices',
        'List the objects of the cloud that a custom constraint allows.',
        rule=VALIDATE,
        calls=call('list_choices', '1.36', 'constraint'),
        key='choices',
    ),
    Operation(
        'GET',
        TYPES,
        'types.list_resource_types',
        'List the resource types.',
        READER,
        rule='stacks:list_resource_types',
        query=TYPE_LIST,
    ),
    Operation(
        'GET',
        f'{TYPES}/{{type_name}}',
        'types.resource_schema',
        'Return the properties and attributes of a resource type.',
        READER,
        rule='stacks:resource_schema',
        calls=call('resource_schema', '1.30', 'type_name', with_description=False),
    ),
    Operation(
        'GET',
        f'{TYPES}/{{type_name}}/template',
        'types.generate_template',
        'Return a template with all properties of a resource type.',
        MEMBER,
        rule='stacks:generate_template',
        query={'template_type': TEXT},
    ),
    Operation(
        'GET',
        f'{TYPES}/{{type_name}}/objects',
        'types.list_objects',
        'List the objects of the project that a template would describe by a resource type.',
        MEMBER,
        calls=call('list_objects', '1.40', 'type_name'),
        key='objects',
    ),
    Operation(
        'GET',
        VERSIONS,
        'types.list_template_versions',
        'List the versions of templates.',
        READER,
        rule='stacks:list_template_versions',
        calls=call('list_template_versions', '1.11'),
        key='template_versions',
    ),
    Operation(
        'GET',
        f'{VERSIONS}/{{template_version}}/functions',
        'types.list_template_functions',
        'List the functions of a version of templates.',
        READER,
        rule='stacks:list_template_functions',
        query={'with_condition_func': FLAG},
        calls=call('list_template_functions', '1.35', 'template_version', with_condition=False),
        sends={'with_condition_func': 'with_condition'},
        key='template_functions',
    ),
)
