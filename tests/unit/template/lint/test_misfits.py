"""Types of the values of functions, and conditions without parameters."""

import pytest

from tests.unit.template.lint.documents import lint

TEMPLATE = """\
heat_template_version: 2021-04-16
parameters:
  text: {type: string}
  number: {type: number}
  flag: {type: boolean}
  items: {type: comma_delimited_list}
  data: {type: json}
resources:
  net: {type: OS::Neutron::Net}
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}
  server: {type: OS::Nova::Server, properties: {flavor: a, networks: [{port: x}]}}
  value: {type: OS::Heat::Value, properties: {value: 1}}
  config: {type: OS::Heat::StructuredConfig}
  nested: {type: nested.yaml}
  used:
    type: %s
    properties: %s
"""
NESTED = """\
heat_template_version: 2021-04-16
parameters: {size: {type: number, default: 1}, map: {type: json, default: {}}}
resources: {r: {type: OS::Heat::Value, properties: {value: [{get_param: size}, {get_param: map}]}}}
outputs: {out: {value: 1}, OS::stack_id: {value: [1]}}
"""
CONDITIONS = """\
heat_template_version: 2021-04-16
parameters: {size: {type: number}}
conditions: {c: %s}
resources: {r: {type: OS::Heat::Value, condition: c, properties: {value: {get_param: size}}}}
"""
STRING = 'OS::Heat::RandomString', '{salt: %s}'
LIST = 'OS::Neutron::Subnet', '{network: n, cidr: 10.0.0.0/8, dns_nameservers: %s}'
MAP = 'OS::Nova::Server', '{flavor: a, networks: [{port: x}], metadata: %s}'
NUMBER = 'OS::Cinder::Volume', '{size: %s}'
BOOLEAN = 'OS::Neutron::Net', '{shared: %s}'
DEEP = 'OS::Nova::Server', '{flavor: a, networks: [{port: x}, {network: %s}]}'
MEMBER = (
    'OS::Heat::ResourceGroup',
    '{resource_def: {type: OS::Heat::RandomString, properties: {salt: %s}}}',
)
TYPED = ('value-type', 'text-as-number')


def findings(place, call):
    name, properties = place
    found = lint({'x': TEMPLATE % (name, properties % call), 'nested.yaml': NESTED}, ['x'])
    return [(each.level, each.rule, each.line) for each in found if each.rule in TYPED]


@pytest.mark.parametrize(
    'place, call',
    [
        (STRING, '{get_attr: [net, subnets]}'),
        (STRING, '{get_attr: [server, addresses]}'),
        (STRING, '{get_param: items}'),
        (STRING, '{get_param: data}'),
        (STRING, '{list_concat: [[a], {get_param: items}]}'),
        (NUMBER, '{get_attr: [port, fixed_ips]}'),
        (BOOLEAN, '{get_attr: [port, fixed_ips]}'),
        (BOOLEAN, '{get_param: items}'),
        (LIST, '{get_attr: [server, addresses]}'),
        (LIST, '{get_resource: net}'),
        (LIST, '{get_param: text}'),
        (MAP, '{get_attr: [net, subnets]}'),
        (MAP, '{get_param: items}'),
        (MAP, '{get_resource: net}'),
        (DEEP, '{get_attr: [net, subnets]}'),
        (MEMBER, '{get_attr: [net, subnets]}'),
        (('nested.yaml', '{size: %s}'), '{get_attr: [net, subnets]}'),
    ],
)
def test_value_that_never_converts_is_an_error(place, call):
    assert findings(place, call) == [('error', 'value-type', 17)]


@pytest.mark.parametrize(
    'place, call',
    [
        (NUMBER, '{get_resource: net}'),
        (NUMBER, '{get_attr: [server, instance_name]}'),
        (('nested.yaml', '{size: %s}'), '{get_resource: net}'),
    ],
)
def test_text_of_a_resource_as_number_is_a_warning(place, call):
    assert findings(place, call) == [('warning', 'text-as-number', 17)]


@pytest.mark.parametrize(
    'place, call',
    [
        (STRING, '{get_attr: [net, subnets, 0]}'),
        (STRING, '{get_attr: [net, mtu]}'),
        (STRING, '{get_attr: [server, first_address]}'),
        (STRING, '{get_attr: [value, value]}'),
        (STRING, '{get_attr: [nested, out]}'),
        (STRING, '{get_param: [data, key]}'),
        (STRING, '{get_param: number}'),
        (STRING, '{list_join: ["", {get_param: items}]}'),
        (NUMBER, '{get_param: text}'),
        (NUMBER, '{str_replace: {template: a, params: {a: "1"}}}'),
        (BOOLEAN, '{get_param: flag}'),
        (LIST, '{get_param: items}'),
        (LIST, '{get_param: data}'),
        (LIST, '{get_attr: [nested, out]}'),
        (LIST, '{get_resource: nested}'),
        (LIST, '{get_attr: [port, dns_assignment]}'),
        (MAP, '{get_attr: [config, config]}'),
        (MAP, '{get_param: data}'),
        (('nested.yaml', '{map: %s}'), '{get_attr: [net, subnets]}'),
        (('nested.yaml', '{map: %s}'), '{get_param: text}'),
    ],
)
def test_value_that_may_convert_has_no_finding(place, call):
    assert findings(place, call) == []


@pytest.mark.parametrize(
    'condition, found',
    [
        ('{equals: [1, 2]}', ['The condition "c" is never true, whatever the parameters']),
        ('{not: {equals: [1, 2]}}', ['The condition "c" is always true, whatever the parameters']),
        ('true', []),
        ('{equals: [{get_param: size}, 2]}', []),
        ('{or: [{equals: [{get_param: size}, 2]}, {equals: [1, 2]}]}', []),
    ],
)
def test_condition_without_parameters_is_a_warning(condition, found):
    findings = lint({'x': CONDITIONS % condition})
    assert [each.text for each in findings if each.rule == 'constant-condition'] == found
