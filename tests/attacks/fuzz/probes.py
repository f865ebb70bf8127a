"""Valid requests with a hole, which is filled with one hostile value.

A generated body has many faults, of which the service finds the first. These requests reach the
layers below: the functions, the handlers of the types, and the columns of the database.
"""
# ruff: noqa: E501  a line of a table is not wrapped

import json

from hypothesis import strategies as st

from tests.attacks.fuzz import values

HOLE = '@hole@'
NONE = {'type': 'OS::Heat::None'}
RANDOM = {'type': 'OS::Heat::RandomString'}


def _template(**sections):
    return {'heat_template_version': '2021-04-16', **sections}


def _resource(kind, properties, **more):
    return _template(resources={'x': {'type': kind, 'properties': properties, **more}})


def _output(value):
    return _template(
        parameters={'p': {'type': 'json', 'default': {}}},
        resources={'v': {'type': 'OS::Heat::Value', 'properties': {'value': ['a', {'b': 1}]}}},
        outputs={'o': {'value': value}},
    )


BATCHES = {'max_batch_size': HOLE, 'min_in_service': HOLE, 'pause_time': HOLE}
GROUP = {
    'type': 'OS::Heat::AutoScalingGroup',
    'properties': {'max_size': 2, 'min_size': 0, 'resource': NONE},
}
FUNCTIONS = [
    {'get_param': ['p', HOLE]},
    {'get_attr': ['v', 'value', HOLE]},
    {'get_attr': ['v', 'value', 1, HOLE]},
    {'list_join': [HOLE, ['a', 'b']]},
    {'list_join': [',', [HOLE], HOLE]},
    {'str_split': [',', 'a,b', HOLE]},
    {'str_split': [HOLE, 'a,b', 0]},
    {'str_split': [',', HOLE]},
    {'str_replace': {'template': HOLE, 'params': {'a': HOLE}}},
    {'str_replace': {'template': 'abc', 'params': {HOLE: HOLE, 'a': 'x'}}},
    {'str_replace_strict': {'template': 'abc', 'params': {HOLE: 'b'}}},
    {'str_replace_vstrict': {'template': 'abc', 'params': {'a': HOLE}}},
    {'repeat': {'template': {HOLE: 'a'}, 'for_each': {'a': ['b', HOLE]}}},
    {'repeat': {'template': 'a-b', 'for_each': {HOLE: ['b'], 'b': HOLE}, 'permutations': HOLE}},
    {'digest': ['sha512', HOLE]},
    {'digest': [HOLE, 'a']},
    {'map_merge': [{'a': 1}, HOLE, {HOLE: 1}]},
    {'map_replace': [{'a': HOLE}, {'keys': {'a': HOLE}, 'values': {HOLE: 1}}]},
    {'filter': [[HOLE], ['a', HOLE]]},
    {'contains': [HOLE, ['a', HOLE]]},
    {'contains': ['a', HOLE]},
    {'list_concat': [['a'], HOLE]},
    {'list_concat_unique': [[HOLE], [HOLE, 1]]},
    {'if': [{'equals': [HOLE, HOLE]}, 1, 2]},
    {'yaql': {'expression': HOLE, 'data': {'a': [1, 2]}}},
    {'yaql': {'expression': '$.data.a + 1', 'data': {'a': HOLE}}},
    {'yaql': {'expression': '$.data.a.toDict($, $)', 'data': {'a': [HOLE, 1]}}},
    {'yaql': {'expression': 'range($.data.a)', 'data': {'a': HOLE}}},
    {'yaql': {'expression': 'regex($.data.a).search("abc")', 'data': {'a': HOLE}}},
    {'yaql': {'expression': '$.data.a.format(1)', 'data': {'a': HOLE}}},
    {'yaql': {'expression': 'int($.data.a)', 'data': {'a': HOLE}}},
    {'yaql': {'expression': 'datetime($.data.a)', 'data': {'a': HOLE}}},
    {'yaql': {'expression': '$.data.a.join($)', 'data': {'a': [HOLE]}}},
    {'make_url': {'scheme': 'http', 'host': HOLE, 'port': 80}},
    {'make_url': {'scheme': 'http', 'host': 'a', 'port': HOLE, 'query': {HOLE: HOLE}}},
    {'make_url': {'scheme': 'http', 'host': 'a', 'path': HOLE, 'fragment': HOLE, 'username': HOLE}},
]
TEMPLATES = [
    *map(_output, FUNCTIONS),
    _template(resources={HOLE: RANDOM}, outputs={HOLE: {'value': {'get_attr': [HOLE, 'value']}}}),
    _template(resources={HOLE: {'type': 'OS::Heat::TestResource', 'properties': {'fail': True}}}),
    _template(resources={HOLE: {'type': 'OS::Heat::ResourceGroup', 'properties': {'count': 1, 'resource_def': RANDOM}}}),
    _template(resources={'x': {'type': HOLE}}),
    _template(resources={'x': {**NONE, 'depends_on': HOLE}}),
    _template(resources={'x': {**NONE, 'deletion_policy': HOLE, 'update_policy': {HOLE: {HOLE: HOLE}}}}),
    _template(resources={'x': {**NONE, 'condition': HOLE}}, conditions={HOLE: HOLE}),
    _template(outputs={'o': {'value': 1, 'condition': HOLE, 'description': HOLE}}),
    _template(parameter_groups=[{'label': HOLE, 'parameters': ['p', HOLE]}], parameters={'p': {'type': 'string', 'default': ''}}),
    _template(parameters={HOLE: {'type': 'string', 'default': HOLE}}),
    *(_template(parameters={'p': {'type': kind, 'default': HOLE}}) for kind in ('number', 'json', 'comma_delimited_list', 'boolean')),
    _template(parameters={'p': {'type': 'number', 'default': 5, 'constraints': [{'range': {'min': HOLE, 'max': HOLE}}]}}),
    _template(parameters={'p': {'type': 'string', 'default': 'a', 'constraints': [{'length': {'min': 0, 'max': HOLE}}]}}),
    _template(parameters={'p': {'type': 'number', 'default': 5, 'constraints': [{'modulo': {'step': HOLE, 'offset': 0}}]}}),
    _template(parameters={'p': {'type': 'string', 'default': 'a', 'constraints': [{'allowed_pattern': HOLE}, {'allowed_values': ['a', HOLE]}]}}),
    _template(parameters={'p': {'type': 'string', 'default': HOLE, 'constraints': [{'custom_constraint': 'cron_expression'}]}}),
    _resource('OS::Heat::RandomString', {}, external_id=HOLE),
    _resource('OS::Heat::RandomString', {'length': HOLE, 'salt': HOLE}),
    _resource('OS::Heat::RandomString', {'character_sequences': [{'sequence': HOLE, 'min': 2}]}),
    _resource('OS::Heat::RandomString', {'character_classes': [{'class': 'digits', 'min': HOLE}]}),
    _resource('OS::Heat::TestResource', {'value': HOLE}, metadata={HOLE: HOLE}),
    _resource('OS::Heat::TestResource', {'value': HOLE, 'fail': True}),
    _resource('OS::Heat::Value', {'value': HOLE}),
    *(_resource('OS::Heat::Value', {'value': HOLE, 'type': kind}) for kind in ('string', 'number', 'json', 'boolean', 'comma_delimited_list')),
    _resource('OS::Heat::ResourceGroup', {'count': HOLE, 'resource_def': NONE}),
    _resource('OS::Heat::ResourceGroup', {'count': 2, 'index_var': HOLE, 'resource_def': {'type': 'OS::Heat::Value', 'properties': {'value': HOLE}}}),
    _resource('OS::Heat::ResourceGroup', {'count': 2, 'resource_def': NONE, 'removal_policies': [{'resource_list': [HOLE]}]}),
    _resource('OS::Heat::ResourceGroup', {'count': 2, 'resource_def': NONE}, update_policy={'batch_create': {'max_batch_size': HOLE, 'pause_time': HOLE}, 'rolling_update': BATCHES}),
    _resource('OS::Heat::ResourceChain', {'resources': ['OS::Heat::None', HOLE], 'concurrent': HOLE}),
    _resource('OS::Heat::AutoScalingGroup', {'max_size': HOLE, 'min_size': 0, 'resource': NONE, 'desired_capacity': HOLE, 'cooldown': HOLE}),
    _resource('OS::Heat::AutoScalingGroup', {'max_size': 2, 'min_size': 0, 'resource': NONE, 'rolling_updates': BATCHES}),
    _template(resources={'g': GROUP, 'x': {'type': 'OS::Heat::ScalingPolicy', 'properties': {'auto_scaling_group_id': {'get_resource': 'g'}, 'adjustment_type': 'change_in_capacity', 'scaling_adjustment': HOLE, 'cooldown': HOLE}}}),
    _resource('OS::Heat::WaitCondition', {'handle': HOLE, 'timeout': 1, 'count': 1}),
    _resource('OS::Heat::WaitConditionHandle', {'signal_transport': HOLE}),
    _resource('OS::Heat::SoftwareConfig', {'group': HOLE, 'config': HOLE, 'options': {HOLE: HOLE}}),
    _resource('OS::Heat::SoftwareConfig', {'inputs': [{'name': HOLE, 'type': 'Json', 'default': HOLE}], 'outputs': [{'name': HOLE, 'error_output': HOLE}]}),
    _resource('OS::Heat::StructuredConfig', {'config': {HOLE: HOLE}}),
    _resource('OS::Heat::CloudConfig', {'cloud_config': {HOLE: HOLE}}),
    _resource('OS::Heat::MultipartMime', {'parts': [{'config': HOLE, 'filename': HOLE, 'subtype': HOLE}]}),
    _resource('OS::Heat::SoftwareComponent', {'configs': [{'actions': ['CREATE'], 'config': HOLE, 'tool': HOLE}]}),
    _resource('OS::Heat::SoftwareDeployment', {'config': '@config@', 'server': HOLE, 'signal_transport': 'NO_SIGNAL', 'name': HOLE, 'input_values': {HOLE: HOLE}}),
    _resource('OS::Heat::SoftwareDeploymentGroup', {'config': '@config@', 'servers': {HOLE: HOLE}, 'signal_transport': 'NO_SIGNAL'}),
    _resource('OS::Heat::DeployedServer', {'name': HOLE, 'metadata': {HOLE: HOLE}, 'software_config_transport': 'POLL_SERVER_HEAT'}),
    _resource('OS::Heat::Stack', {'template': HOLE, 'parameters': {HOLE: HOLE}}),
    _resource('OS::Heat::Stack', {'template': json.dumps(_template()), 'context': {'region_name': HOLE}}),
    _resource('OS::Heat::AccessPolicy', {'AllowedResources': [HOLE]}),
    _resource('AWS::CloudFormation::WaitCondition', {'Handle': HOLE, 'Timeout': 1, 'Count': HOLE}),
    _resource('AWS::CloudFormation::Stack', {'TemplateURL': HOLE, 'TimeoutInMinutes': HOLE}),
    {'HeatTemplateFormatVersion': '2012-12-12', 'Parameters': {'p': {'Type': 'String', 'Default': HOLE, 'MinLength': HOLE, 'NoEcho': HOLE}}},
    {'HeatTemplateFormatVersion': '2012-12-12', 'Parameters': {'p': {'Type': 'Number', 'Default': 1, 'MaxValue': HOLE, 'AllowedValues': [HOLE, 1]}}},
    {'HeatTemplateFormatVersion': '2012-12-12', 'Mappings': {HOLE: {'a': {'b': HOLE}}}, 'Outputs': {'o': {'Value': {'Fn::FindInMap': [HOLE, 'a', HOLE]}}}},
    {'HeatTemplateFormatVersion': '2012-12-12', 'Outputs': {'o': {'Value': {'Fn::Select': [HOLE, ['a', HOLE]]}}, 'p': {'Value': {'Fn::Base64': HOLE}}}},
    {'HeatTemplateFormatVersion': '2012-12-12', 'Outputs': {'o': {'Value': {'Fn::MemberListToMap': ['Name', 'Value', [HOLE]]}}, 'p': {'Value': {'Fn::GetAZs': HOLE}}}},
]  # fmt: skip
ADOPTED = {
    'template': _template(resources={'x': RANDOM}),
    'resources': {
        'x': {'resource_id': HOLE, 'action': HOLE, 'status': HOLE, 'metadata': {HOLE: HOLE}, 'resource_data': {HOLE: HOLE, 'value': HOLE}}
    },
}  # fmt: skip
ENVIRONMENTS = [
    {'parameters': {'p': HOLE}},
    {'parameter_defaults': {HOLE: HOLE}, 'encrypted_param_names': [HOLE]},
    {'event_sinks': [{'type': HOLE, 'target': HOLE, 'ttl': HOLE}]},
    {'event_sinks': [{'type': 'zaqar-queue', 'target': HOLE, 'ttl': HOLE}]},
    {'resource_registry': {'OS::Heat::None': HOLE}},
    {'resource_registry': {'T': 'f.yaml', HOLE: 'OS::Heat::None'}},
    {'resource_registry': {'resources': {'x': {'hooks': HOLE, 'restricted_actions': HOLE, HOLE: HOLE}}}},
    {'parameter_merge_strategies': {'p': HOLE, 'default': HOLE}},
    HOLE,
]  # fmt: skip
REMAINING = {
    'timeout_mins': HOLE, 'tags': HOLE, 'disable_rollback': HOLE, 'files': {HOLE: HOLE, 'f.yaml': HOLE},
    'environment_files': [HOLE], 'parameters': {HOLE: HOLE}, 'clear_parameters': [HOLE], 'converge': HOLE,
    'on_behalf_of': HOLE, 'owner_id': HOLE, 'nested_depth': HOLE, 'user_creds_id': HOLE, 'existing': HOLE,
    'stack_user_project_id': HOLE, 'parent_resource_name': HOLE, 'template_id': HOLE, 'protected': HOLE,
    'adopt_stack_data': HOLE, 'files_container': HOLE, 'template_url': HOLE, 'on_replace': HOLE,
}  # fmt: skip
SMALL = _template(parameters={'p': {'type': 'string', 'default': 'd'}}, resources={'x': NONE})
BODIES = [
    *({'template': template} for template in TEMPLATES),
    *({'template': SMALL, 'environment': each} for each in ENVIRONMENTS),
    *({'template': SMALL, key: value} for key, value in REMAINING.items()),
    {'adopt_stack_data': ADOPTED},
]
STACK = '/stacks/@stack@/@id@'
TARGETS = [
    ('POST', '/validate?ignore_errors=99001', {}),
    ('POST', '/stacks/preview', {'stack_name': 'n'}),
    ('POST', '/stacks', {'stack_name': '@new@', 'disable_rollback': True}),
    ('POST', '/stacks', {'stack_name': '@new@', 'disable_rollback': False}),
    ('PUT', STACK, {}),
    ('PATCH', STACK, {}),
    ('PUT', f'{STACK}/preview', {}),
    ('PATCH', f'{STACK}/preview', {}),
]
OTHERS = [
    ('POST', '/stacks', {'stack_name': HOLE, 'template': SMALL}),
    ('POST', f'{STACK}/snapshots', {'name': HOLE}),
    ('POST', f'{STACK}/actions', {HOLE: HOLE}),
    ('POST', f'{STACK}/actions', {'check': HOLE}),
    ('POST', f'{STACK}/resources/handle/signal', {'status': 'SUCCESS', 'id': HOLE, 'reason': HOLE, 'data': HOLE}),
    ('POST', f'{STACK}/resources/handle/signal', {'status': HOLE}),
    ('POST', f'{STACK}/resources/policy/signal', {'adjustment_type': HOLE, 'scaling_adjustment': HOLE}),
    ('POST', f'{STACK}/resources/scaling/signal', {'adjustment_type': 'change_in_capacity', 'scaling_adjustment': HOLE}),
    ('POST', f'{STACK}/resources/r/signal', {'unset_hook': HOLE}),
    ('PATCH', f'{STACK}/resources/r', {'mark_unhealthy': True, 'resource_status_reason': HOLE}),
    ('PATCH', f'{STACK}/resources/r', {'mark_unhealthy': HOLE}),
    ('POST', '/software_configs', {'name': HOLE, 'group': HOLE, 'config': HOLE, 'options': {HOLE: HOLE}}),
    ('POST', '/software_configs', {'name': 'c', 'inputs': [{'name': HOLE, 'type': 'Number', 'default': HOLE}], 'outputs': [HOLE]}),
    ('POST', '/software_deployments', {'config_id': '@config@', 'server_id': HOLE, 'input_values': {HOLE: HOLE}}),
    ('POST', '/software_deployments', {'config_id': '@config@', 'server_id': 'a', 'action': HOLE, 'status': HOLE, 'status_reason': HOLE}),
    ('POST', '/software_deployments', {'config_id': HOLE, 'server_id': 'a', 'stack_user_project_id': HOLE}),
    ('PUT', '/software_deployments/@deployment@', {'action': HOLE, 'status': HOLE, 'status_reason': HOLE, 'output_values': {HOLE: HOLE}}),
    ('PUT', '/software_deployments/@deployment@', {'config_id': HOLE, 'input_values': HOLE}),
]  # fmt: skip
QUERIES = [
    *(f'/stacks?{key}=@hole@' for key in ('limit', 'marker', 'sort_keys', 'sort_dir', 'tags', 'not_tags', 'name', 'id', 'status', 'timeout_mins', 'disable_rollback', 'tenant', 'show_nested')),
    *(f'{STACK}/resources?{key}=@hole@' for key in ('nested_depth', 'with_detail', 'name', 'id', 'type', 'status', 'action', 'physical_resource_id')),
    *(f'{STACK}/events?{key}=@hole@' for key in ('limit', 'marker', 'sort_keys', 'sort_dir', 'nested_depth', 'resource_name', 'resource_status', 'resource_type')),
    f'{STACK}/resources/r?with_attr=@hole@',
    *(f'/resource_types?{key}=@hole@' for key in ('name', 'version', 'support_status', 'with_description')),
    '/resource_types/OS::Heat::None/template?template_type=@hole@',
    '/software_configs?limit=@hole@', '/software_configs?marker=@hole@', '/software_deployments?server_id=@hole@',
    '/stacks/@hole@', '/stacks/@hole@/@id@', '/stacks/@stack@/@hole@', f'{STACK}/resources/@hole@', f'{STACK}/outputs/@hole@',
        f'{STACK}/snapshots/@hole@', f'{STACK}/resources/r/events/@hole@', '/software_configs/@hole@', '/software_deployments/metadata/@hole@',
        '/resource_types/@hole@', '/template_versions/@hole@/functions', '/stacks/arn:@hole@',
]  # fmt: skip


def fill(shape, value):
    """Put a value into each hole of a tree; as text where a hole is a key or part of a path."""
    if shape == HOLE:
        return value
    if isinstance(shape, dict):
        text = value if isinstance(value, str) else json.dumps(value)
        return {text if key == HOLE else key: fill(part, value) for key, part in shape.items()}
    if isinstance(shape, list):
        return [fill(part, value) for part in shape]
    return shape


def _body(target, shape, value):
    method, path, fixed = target
    body = {**fixed, **fill(shape, value)}
    if isinstance(body.get('adopt_stack_data'), dict):
        body['adopt_stack_data'] = json.dumps(body['adopt_stack_data'])
    return method, path, body


#: (method, path, value of the body) with one hostile value
with_template = st.builds(_body, st.sampled_from(TARGETS), st.sampled_from(BODIES), values.values)
without_template = st.builds(
    lambda other, value: (other[0], other[1], fill(other[2], value)),
    st.sampled_from(OTHERS),
    values.values,
)
