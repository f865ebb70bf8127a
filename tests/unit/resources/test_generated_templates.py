"""The generated template of each type takes values of the type's schema as parameters."""

import functools
import json

import pytest

from heat_lite import resources
from heat_lite.template import generate
from heat_lite.template.function import resolve
from heat_lite.template.properties import Properties
from heat_lite.template.schema import visible
from heat_lite.template.template import Template
from tests import samples

REGISTRY = resources.build_registry()
#: values of properties with patterns, and with objects that the fake cloud has not
PATTERNS = {
    'network_mode': 'host',
    'path': '/networks',
    'pid_mode': 'host',
    'ipc_mode': 'host',
    'BlockDeviceMappings': [{'DeviceName': 'vdb', 'Ebs': {'VolumeSize': '2'}}],
    'port_specs': ['80/tcp'],
    'kernel_id': '0f9b3a4c-0000-4000-8000-000000000001',
    'ramdisk_id': '0f9b3a4c-0000-4000-8000-000000000001',
}


def as_text(value):
    """Return a value as the text that a command line has for it."""
    if isinstance(value, list) and not any(isinstance(each, dict | list) for each in value):
        return ','.join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value)


def values_of(kind):
    special = samples.SAMPLES.get(kind.resource_type, {})
    for name, schema in visible(kind.properties_schema).items():
        if schema.default is None:
            value = special.get(name, samples.OMIT)
            try:
                value = samples.sample(schema) if value is samples.OMIT else value
            except KeyError:  # of an object that the fake cloud of the samples has not
                value = 'one'
            yield name, PATTERNS.get(name, value)


@pytest.mark.parametrize('template_type', ['hot', 'cfn'])
@pytest.mark.parametrize('name', REGISTRY.names())
def test_generated_template_takes_values_of_the_schema(name, template_type):
    kind = REGISTRY.get(name)
    given = dict(values_of(kind))
    made = generate.template_for(
        name, kind.properties_schema, kind.all_attributes_schema(), template_type, kind.__name__
    )
    template = Template(json.loads(json.dumps(made)))
    template.validate()
    for values in (given, {key: as_text(value) for key, value in given.items()}):
        parameters = template.parameters(user_params=values)
        parameters.validate()
        bound = template.bind(parameters)
        properties = bound.resources[kind.__name__].properties
        resolver = functools.partial(resolve, scope=bound.scope)
        Properties(kind.properties_schema, properties, resolver).validate()
