"""Answers to faulty templates: Heat's status and type, and a text that tells what to write.

Each row: the template, {operation: (status, type, message)}; an operation that is not named
accepts the template.
"""

import pytest

from heat_lite.clients.clients import NO_KEYSTONE

OPERATIONS = {'validate': '/validate', 'preview': '/stacks/preview', 'create': '/stacks'}
BOTH = ('preview', 'create')
NO = 'YAML reads no, off and false as false unless they are in quotes.'


def refused(kind, message, operations=OPERATIONS, status=400):
    return {operation: (status, kind, message) for operation in operations}


CASES = {
    'ref-of-parameter-without-value': (
        """
        AWSTemplateFormatVersion: '2010-09-09'
        Parameters: {Size: {Type: String}}
        Conditions: {Big: {"Fn::Not": [{"Fn::Equals": [{Ref: Size}, ""]}]}}
        Resources: {Word: {Type: OS::Heat::RandomString, Condition: Big}}
        """,
        refused('UserParameterMissing', 'The Parameter (Size) was not provided.'),
    ),
    'attribute-by-parameter-without-value': (
        """
        heat_template_version: 2016-10-14
        parameters: {which: {type: string}}
        resources: {word: {type: OS::Heat::RandomString}}
        outputs: {a: {value: {get_attr: [word, {get_param: which}, x]}}}
        """,
        {
            'validate': (
                400,
                'HTTPBadRequest',
                'outputs.a.value.get_attr: The Parameter (which) was not provided.',
            ),
            **refused('UserParameterMissing', 'The Parameter (which) was not provided.', BOTH),
        },
    ),
    'ref-of-unknown-parameter-in-condition': (
        """
        AWSTemplateFormatVersion: '2010-09-09'
        Parameters: {Size: {Type: String, Default: big}}
        Conditions: {Big: {"Fn::Equals": [{Ref: Sise}, big]}}
        Resources: {Word: {Type: OS::Heat::RandomString, Condition: Big}}
        """,
        refused(
            'InvalidTemplateReference',
            'The specified reference "Sise" (in unknown) is incorrect. No parameter has this name. '
            'Did you mean "Size"?',
        ),
    ),
    'ref-of-unknown-resource': (
        """
        AWSTemplateFormatVersion: '2010-09-09'
        Resources:
          Server: {Type: OS::Heat::Value, Properties: {value: 1}}
          Other: {Type: OS::Heat::Value, Properties: {value: {Ref: Servr}}}
        """,
        refused(
            'StackValidationFailed',
            'Property error: : Resources.Other.Properties.value: : The specified reference "Servr" '
            '(in unknown) is incorrect. No parameter or resource has this name. '
            'Did you mean "Server"?',
            BOTH,
        ),
    ),
    'unknown-parameter-in-condition': (
        """
        heat_template_version: 2021-04-16
        conditions: {big: {equals: [{get_param: nope}, big]}}
        resources: {word: {type: OS::Heat::RandomString, condition: big}}
        """,
        refused(
            'UserParameterMissing',
            'The Parameter (nope) was not provided. The template does not declare it.',
        ),
    ),
    'unknown-parameter-in-property': (
        """
        heat_template_version: 2021-04-16
        parameters: {network: {type: string, default: a}}
        resources: {r: {type: OS::Heat::Value, properties: {value: {get_param: netwrk}}}}
        """,
        refused(
            'StackValidationFailed',
            'Property error: : resources.r.properties.value: : The Parameter (netwrk) was not '
            'provided. The template does not declare it. Did you mean "network"?',
            BOTH,
        ),
    ),
    'availability-zones-without-a-cloud': (
        """
        HeatTemplateFormatVersion: '2012-12-12'
        Resources: {Word: {Type: OS::Heat::Value, Properties: {value: {"Fn::GetAZs": ""}}}}
        """,
        refused(
            'StackValidationFailed',
            'Property error: : Resources.Word.Properties.value: : "Fn::GetAZs" cannot list '
            f'availability zones: {NO_KEYSTONE}',
            BOTH,
        ),
    ),
    'availability-zones-in-update-policy': (
        """
        HeatTemplateFormatVersion: '2012-12-12'
        Resources:
          Group:
            Type: OS::Heat::ResourceGroup
            UpdatePolicy: {batch_create: {max_batch_size: {"Fn::GetAZs": ""}}}
            Properties: {resource_def: {type: OS::Heat::None}}
        """,
        refused(
            'StackValidationFailed',
            'Property error: : Resources.Group.UpdatePolicy.batch_create: : "Fn::GetAZs" cannot '
            f'list availability zones: {NO_KEYSTONE}',
            BOTH,
        )
        | refused(
            'HTTPBadRequest',
            'Property error: Resources.Group.UpdatePolicy.batch_create: "Fn::GetAZs" cannot list '
            f'availability zones: {NO_KEYSTONE}',
            ('validate',),
        ),
    ),
    'availability-zones-in-deletion-policy': (
        """
        HeatTemplateFormatVersion: '2012-12-12'
        Resources:
          Word:
            Type: OS::Heat::RandomString
            DeletionPolicy: {"Fn::Select": [0, {"Fn::GetAZs": ""}]}
        """,
        refused('StackValidationFailed', '"Fn::GetAZs" cannot stand here: it reads the cloud', BOTH)
        | refused(
            'HTTPBadRequest', '"Fn::GetAZs" cannot stand here: it reads the cloud', ('validate',)
        ),
    ),
    'existing-object-without-a-cloud': (
        """
        heat_template_version: 2021-04-16
        resources: {server: {type: OS::Nova::Server, external_id: web}}
        """,
        refused(
            'ResourceTypeUnavailable',
            'HEAT-E99001 Service nova is not available for resource type OS::Nova::Server, '
            f'reason: {NO_KEYSTONE}.',
            BOTH,
        ),
    ),
    'metadata-of-wrong-type': (
        """
        heat_template_version: 2021-04-16
        resources:
          word: {type: OS::Heat::RandomString, metadata: {a: {list_join: [',', [1]]}}}
        """,
        refused(
            'StackValidationFailed',
            'resources.word.metadata: : Items to join must be string, map or list not 1',
            ('preview',),
        ),
    ),
    'parameters-in-a-list': (
        """
        heat_template_version: 2021-04-16
        parameters: [a]
        """,
        refused('AttributeError', 'The section "parameters" must be a map'),
    ),
    'cycle': (
        """
        heat_template_version: 2021-04-16
        resources:
          before: {type: OS::Heat::Value, depends_on: a, properties: {value: 1}}
          a: {type: OS::Heat::Value, depends_on: b, properties: {value: 1}}
          b: {type: OS::Heat::Value, properties: {value: {get_attr: [a, value]}}}
        """,
        refused(
            'CircularDependencyException',
            'Circular Dependency Found: "a" needs "b", "b" needs "a"',
        ),
    ),
    'depends-on-no': (
        """
        heat_template_version: 2021-04-16
        resources:
          no: {type: OS::Heat::Value, properties: {value: oslo}}
          se: {type: OS::Heat::Value, depends_on: no, properties: {value: stockholm}}
        """,
        refused(
            'StackValidationFailed',
            f'Resource se depends_on type must be list or string. {NO}',
            BOTH,
        )
        | refused(
            'HTTPBadRequest',
            f'Resource se depends_on type must be list or string. {NO}',
            ('validate',),
        ),
    ),
    'depends-on-list-of-no': (
        """
        heat_template_version: 2021-04-16
        resources:
          "no": {type: OS::Heat::Value, properties: {value: oslo}}
          se: {type: OS::Heat::Value, depends_on: [no], properties: {value: stockholm}}
        """,
        refused(
            'StackValidationFailed', f'Resource se depends_on must be a list of strings. {NO}', BOTH
        )
        | refused(
            'HTTPBadRequest',
            f'Resource se depends_on must be a list of strings. {NO}',
            ('validate',),
        ),
    ),
    'reference-to-no': (
        """
        heat_template_version: 2021-04-16
        resources:
          no: {type: OS::Heat::Value, properties: {value: oslo}}
          se: {type: OS::Heat::Value, properties: {value: {get_attr: [no, value]}}}
        """,
        refused(
            'InvalidTemplateReference',
            f'The specified reference "False" (in se.Properties.value) is incorrect. {NO}',
        ),
    ),
    'reference-to-quoted-no': (
        """
        heat_template_version: 2021-04-16
        resources:
          no: {type: OS::Heat::Value, properties: {value: oslo}}
          se: {type: OS::Heat::Value, properties: {value: {get_resource: "no"}}}
        """,
        refused(
            'InvalidTemplateReference',
            f'The specified reference "no" (in se.Properties.value) is incorrect. {NO}',
        ),
    ),
    'parameter-no': (
        """
        heat_template_version: 2021-04-16
        parameters: {no: {type: string, default: oslo}}
        resources: {r: {type: OS::Heat::Value, properties: {value: {get_param: no}}}}
        """,
        refused(
            'StackValidationFailed',
            'Property error: : resources.r.properties.value: : Argument to "get_param" must be '
            f'string or list. {NO}',
            BOTH,
        ),
    ),
    'no-version': (
        """
        parameters: {}
        resources: {r: {type: OS::Heat::RandomString}}
        """,
        refused(
            'HTTPBadRequest',
            'Template not in valid format: Template format version not found. '
            'Begin the template with "heat_template_version: 2021-04-16".',
        ),
    ),
    'compose-file': (
        """
        services:
          web: {image: nginx}
        """,
        refused(
            'HTTPBadRequest',
            'Template not in valid format: Template format version not found. '
            'This looks like a compose file: "heat-lite convert" makes a template of it.',
        ),
    ),
}


@pytest.mark.parametrize('name', CASES)
def test_faulty_template_is_refused_with_what_to_write(services, name):
    template, expected = CASES[name]
    service = services('embedded')
    for operation, path in OPERATIONS.items():
        body = {'template': template}
        if operation != 'validate':
            body['stack_name'] = f'explained-{name}'
        response = service.ask('POST', path, body)
        if operation not in expected:
            assert response.status_code < 400, operation
            continue
        error = response.json()['error']
        found = (response.status_code, error['type'], error['message'])
        assert found == expected[operation], operation


def test_error_of_an_output_has_the_text_that_clients_compare(services):
    service = services('embedded')
    body = {
        'heat_template_version': '2021-04-16',
        'parameters': {'food': {'type': 'string', 'default': 'x'}},
        'outputs': {'o': {'value': {'get_param': 'foo'}}},
    }
    created = service.ask('POST', '/stacks', {'stack_name': 'compared', 'template': body})
    path = f'/stacks/compared/{created.json()["stack"]["id"]}/outputs/o'
    output = service.ask('GET', path).json()['output']
    assert output['output_error'] == 'The Parameter (foo) was not provided.'
