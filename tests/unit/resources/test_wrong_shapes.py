"""A property of a wrong shape is refused with a reason, or accepted: never an error of Python.

Each property of each type, nested ones too, gets values of all shapes. What the validation accepts
goes on to the create, up to its first request. ``HEAT_LITE_FUZZ`` sets the number of shapes that a
property with a schema gets; one that accepts any map or list gets all.
"""

import copy
import functools
import inspect
import os
import random

import pytest

from heat_lite import resources
from heat_lite.clients import docker_plugin
from heat_lite.common import context, exception
from heat_lite.engine import runtime
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.stack.stack_definition import Foresight
from heat_lite.engine.type_catalog import TypeCatalog
from heat_lite.engine.validation import offline_validation, validation
from heat_lite.resources.base.cloud import ServiceResource
from heat_lite.template.constraints import ANY, LIST, MAP
from heat_lite.template.template import Template
from tests import samples

REGISTRY = resources.build_registry()
ENVIRONMENT = TypeCatalog(REGISTRY).base
SHAPES = [
    *('text', '', 'a/b:c=d', 7, -1, 1.5, True, None, [], ['x'], [['x']], [7], [None], [{}]),
    *([{'a': 'b'}], {}, {'a': 'b'}, {'a': ['b']}, {'a': []}, {'a': None}, {'': ''}, [[[]]]),
    *({'a': {'b': {'c': [1]}}}, {'80/tcp': [{'HostIp': '', 'HostPort': '8080'}]}, {'80': [[]]}),
]
FEW = int(os.environ.get('HEAT_LITE_FUZZ', 2))
#: more steps of a create than types take before the first request; some wait without one
STEPS = 5


class Engine:
    """A container engine that cannot be reached."""

    url = 'unix:///none'

    def call(self, *args, **options):
        raise offline_validation.CloudRequired(args)

    stream = call


class Plugin(docker_plugin.DockerPlugin):
    """A plug-in that allows everything."""

    def __init__(self):
        """Need no configuration."""

    def at(self, endpoint):
        return Engine()

    def allows(self, what):
        return True


class Clients(offline_validation._OfflineClients):
    def client_plugin(self, name):
        return Plugin()


def resource(type_name, values, foresight=None):
    registry = offline_validation.OfflineRegistry(REGISTRY)
    limits = offline_validation.LIMITS
    made = runtime.Runtime(registry, runtime.UNSET, limits, 'offline', lambda request: Clients())
    made.nested_stack = functools.partial(offline_validation._NoNestedStack, made)
    body = {'it': {'type': type_name, 'properties': values}}
    template = Template({'heat_template_version': '2021-04-16', 'resources': body}, {}, ENVIRONMENT)
    request = context.RequestContext(project_id='p', overwrite=False)
    stack = Stack(made, request, template, name='s', tenant='p', id='i')
    stack.foresight = foresight
    return stack.resource_for('it')


def sample(schema):
    try:
        return samples.sample(schema)
    except (KeyError, NotImplementedError):
        return 'one'  # of an object that the fake cloud of the samples has not


def places(schema, path=()):
    """Yield each place in a property: its path and schema."""
    yield path, schema
    inner = schema.schema if isinstance(schema.schema, dict) else {0: schema.schema}
    for key, nested in inner.items():
        if nested is not None:
            yield from places(nested, (*path, key))


def replaced(schema, path, value):
    """Return a sample of the property with the value at a path."""
    if not path:
        return value
    key, *rest = path
    if key == 0:
        return [replaced(schema.schema, rest, value)]
    given = {name: sample(each) for name, each in schema.schema.items() if each.required}
    return {**given, key: replaced(schema.schema[key], rest, value)}


def cases(kind):
    """Yield ``(path, properties)`` with one value of some shape each."""
    chosen = random.Random(kind.resource_type)
    given = {name: sample(each) for name, each in kind.properties_schema.items() if each.required}
    for name, schema in kind.properties_schema.items():
        for path, place in places(schema):
            is_free = place.type in (MAP, LIST, ANY) and place.schema is None
            for shape in SHAPES if is_free else chosen.sample(SHAPES, min(FEW, len(SHAPES))):
                value = replaced(schema, path, copy.deepcopy(shape))
                yield (name, *path), {**given, **SPECIAL.get(kind.resource_type, {}), name: value}


#: what these types need beside their required properties
SPECIAL = {
    'AWS::AutoScaling::LaunchConfiguration': {'ImageId': 'one', 'InstanceType': 'one'},
    'AWS::AutoScaling::AutoScalingGroup': {'LaunchConfigurationName': 'one'},
    'AWS::EC2::EIPAssociation': {'AllocationId': 'one', 'InstanceId': 'one'},
    'AWS::EC2::Volume': {'Size': 1},
    'AWS::EC2::VolumeAttachment': {'Device': '/dev/vdb'},
    'HeatLite::Container::Image': {'context': {'Dockerfile': 'FROM scratch'}},
    'OS::Aodh::CompositeAlarm': {'composite_rule': {'operator': 'or', 'rules': ['a', 'b']}},
    'OS::Barbican::Order': {'algorithm': 'aes', 'bit_length': 256},
    'OS::Blazar::Lease': {
        **dict.fromkeys(('start_date', 'end_date', 'before_end_date'), '2999-01-01 00:00'),
        'reservations': [
            {'resource_type': 'physical:host', 'min': 1, 'max': 2, 'resource_properties': ''}
        ],
    },
    'OS::Cinder::Volume': {'size': 1},
    'OS::Designate::Zone': {'email': 'a@example.org'},
    'OS::Heat::CWLiteAlarm': {'EvaluationPeriods': '1', 'Period': '60', 'Threshold': '1'},
    'OS::Mistral::Workflow': {'tasks': [{'name': 't', 'action': 'std.noop'}]},
    'OS::Neutron::Quota': {'port': 1},
    'OS::Neutron::RouterInterface': {'subnet': 'one'},
    'OS::Neutron::Subnet': {'cidr': '10.0.0.0/24'},
    'OS::Nova::Server': {'image': 'one'},
    'OS::Octavia::Pool': {'loadbalancer': 'one'},
    'OS::Trove::Cluster': {
        'instances': [{'flavor': 'one', 'volume_size': 1, 'networks': [{'network': 'one'}]}]
    },
    'OS::Zaqar::Subscription': {'subscriber': 'http://example.org/'},
}


#: types that refuse the text of a handle at their create with a ValueError, as Heat
OF_HEAT = {'OS::Heat::SwiftSignal'}


def shown(path, values, error):
    return f'{".".join(map(str, path))}: {values[path[0]]!r}: {error!r}'


def step_to_first_request(work):
    for _ in zip(range(STEPS), work if inspect.isgenerator(work) else (), strict=False):
        pass


@pytest.mark.parametrize('name', REGISTRY.names())
def test_property_of_a_wrong_shape_is_refused_or_accepted(name):
    kind = REGISTRY.get(name)
    failures = []
    for path, values in cases(kind):
        try:
            made = resource(name, values, Foresight())
            made.stack.requirements  # noqa: B018 - before the validation
            validation.validate_resource(made)
            made.preview_nested()
            if issubclass(kind, ServiceResource):
                step_to_first_request(resource(name, values).handle_create())
        except (exception.HeatException, offline_validation.CloudRequired):
            continue
        except ValueError as error:
            if name not in OF_HEAT:
                failures.append(shown(path, values, error))
        except Exception as error:  # what the test looks for
            failures.append(shown(path, values, error))
    assert failures == []


@pytest.mark.parametrize(
    'name',
    [
        name
        for name in REGISTRY.names()
        if issubclass(REGISTRY.get(name), ServiceResource) and REGISTRY.get(name).has_object
    ],
)
@pytest.mark.parametrize('state', ['IN_PROGRESS', 'FAILED'])
def test_no_attribute_has_a_value_before_there_is_an_object(name, state):
    kind = REGISTRY.get(name)
    given = {key: sample(each) for key, each in kind.properties_schema.items() if each.required}
    made = resource(name, {**given, **SPECIAL.get(name, {})})
    made.record.action, made.record.status = 'CREATE', state
    shown = {key: made.attribute(key) for key in made.attributes_schema}
    assert {key: value for key, value in shown.items() if value is not None} == {}
