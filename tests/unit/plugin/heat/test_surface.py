"""What plug-ins import under the names of Heat: modules, types, constants, exceptions."""

import pytest

from heat_lite.clients.finders import FINDERS
from heat_lite.common import exception
from heat_lite.engine.resource.resource import Resource
from heat_lite.plugin.heat import class_constants, constraint_classes, service_types, surface
from heat_lite.resources.type_table import HEAT_MODULES

SERVER = 'heat.engine.resources.openstack.nova.server'


def name_of(module, name):
    return surface.names(module)[name]


@pytest.mark.parametrize('module', service_types.module_names())
def test_types_of_a_module_are_subclasses_of_both(module):
    heat_resource = name_of('heat.engine.resource', 'Resource')
    for cls in surface.names(module).values():
        assert issubclass(cls, heat_resource) and issubclass(cls, Resource)
        assert cls.service_type in cls.__mro__
        if isinstance(cls.service_type.properties_schema, dict):
            assert cls.properties_schema == cls.service_type.properties_schema


def test_each_type_has_a_class_of_its_own_name():
    modules = [service_types.module_types(module) for module in service_types.module_names()]
    assert sum(map(len, modules)) == len(HEAT_MODULES)


def test_packages_are_modules_without_names():
    for name in ('heat', 'heat.engine', 'heat.engine.resources.openstack'):
        assert surface.names(name) == {} and surface.is_package(name)
    assert surface.names('heat.engine.worker') is None and surface.names('heat.api') is None
    assert surface.is_package('heat.engine.clients')


@pytest.mark.parametrize(
    'module, names',
    [
        (
            'heat.engine.resource',
            'Resource PollDelay UpdateReplace ResourceInError ResourceUnknownStatus',
        ),
        ('heat.engine.properties', 'Schema Properties Property schemata'),
        ('heat.engine.attributes', 'Schema'),
        (
            'heat.engine.constraints',
            'Length Range Modulo AllowedValues AllowedPattern BaseCustomConstraint',
        ),
        ('heat.engine.support', 'SupportStatus SUPPORTED DEPRECATED HIDDEN UNSUPPORTED'),
        ('heat.engine.translation', 'TranslationRule'),
        ('heat.engine.scheduler', 'TaskRunner Timeout wrappertask'),
        ('heat.engine.function', 'Function resolve dependencies validate'),
        ('heat.engine.rsrc_defn', 'ResourceDefinition'),
        ('heat.engine.clients.client_plugin', 'ClientPlugin'),
        ('heat.engine.clients.os.nova', 'NovaClientPlugin'),
        ('heat.engine.clients.os.openstacksdk', 'OpenStackSDKPlugin'),
        ('heat.engine.clients.os.neutron.neutron_constraints', 'NeutronConstraint PortConstraint'),
        ('heat.engine.clients.os.keystone.keystone_constraints', 'KeystoneRoleConstraint'),
        ('heat.engine.clients.os.cinder', 'CinderClientPlugin VolumeConstraint'),
        ('heat.engine.resources.signal_responder', 'SignalResponder'),
        ('heat.engine.resources.stack_resource', 'StackResource'),
        ('heat.engine.resources.openstack.neutron.neutron', 'NeutronResource'),
        ('heat.engine.lifecycle_plugin', 'LifecyclePlugin'),
        ('heat.common.i18n', '_ _LE _LI _LW'),
        ('heat.common.template_format', 'parse simple_parse yaml'),
        (
            'heat.common.exception',
            'HeatException Error EntityNotFound ResourceFailure StackValidationFailed '
            'ResourcePropertyConflict PropertyUnspecifiedError ResourcePropertyValueDependency',
        ),
    ],
)
def test_module_has_the_names_that_plugins_use(module, names):
    assert set(names.split()) <= surface.names(module).keys()


def test_constraint_classes_look_up_kinds_that_exist():
    kinds = {kind for each in constraint_classes.KINDS.values() for kind in each.values()}
    assert kinds <= FINDERS.keys()


@pytest.mark.parametrize(
    'module, cls, constants',
    [
        (SERVER, 'Server', {'FLAVOR': 'flavor', 'KEY_NAME': 'key_name', 'NETWORK_UUID': 'uuid'}),
        (
            SERVER,
            'Server',
            {'BLOCK_DEVICE_MAPPING_DEVICE_NAME': 'device_name', 'NAME_ATTR': 'name'},
        ),
        (
            'heat.engine.resources.aws.ec2.instance',
            'Instance',
            {'IMAGE_ID': 'ImageId', 'AVAILABILITY_ZONE': 'AvailabilityZone'},
        ),
        (
            'heat.engine.resources.openstack.neutron.port',
            'Port',
            {'FIXED_IPS': 'fixed_ips', 'FIXED_IP_SUBNET': 'subnet'},
        ),
        (
            SERVER,
            'Server',
            {
                # a key of a map without the name of the map, and an allowed value
                'CONTAINER': 'container',
                'SOFTWARE_CONFIG': 'SOFTWARE_CONFIG',
                '_DEPLOYMENT_SWIFT_DATA_KEYS': ('container', 'object'),
                'LOCK_ACQUIRE': 1,
            },
        ),
        (
            'heat.engine.resources.openstack.heat.resource_group',
            'ResourceGroup',
            {'ROLLING_UPDATE': 'rolling_update', 'MAX_BATCH_SIZE': 'max_batch_size'},
        ),
        (
            'heat.engine.resources.openstack.neutron.provider_net',
            'ProviderNet',
            {'VXLAN': 'vxlan', 'NETWORK_TYPE': 'network_type'},
        ),
        (
            'heat.engine.resources.openstack.neutron.subnet',
            'Subnet',
            {'DHCPV6_STATELESS': 'dhcpv6-stateless', 'ALLOCATION_POOL_START': 'start'},
        ),
    ],
)
def test_type_has_constants_for_its_properties(module, cls, constants):
    found = name_of(module, cls)
    assert {name: getattr(found, name) for name in constants} == constants


@pytest.mark.parametrize('module', service_types.module_names())
def test_type_lists_its_properties_attributes_and_keys(module):
    for cls in surface.names(module).values():
        known = cls.service_type
        assert cls.PROPERTIES == tuple(known.properties_schema)
        assert cls.ATTRIBUTES == tuple(known.attributes_schema)
        names = [
            each for each in class_constants.constants(known).values() if isinstance(each, str)
        ]
        # a property called attributes has no constant, as ATTRIBUTES is the tuple
        assert {*names, 'attributes'} >= {*known.properties_schema, *known.attributes_schema}


def test_constant_of_a_property_wins_over_that_of_a_key():
    found = class_constants.constants(name_of(SERVER, 'Server').service_type)
    assert found['IMAGE'] == found['BLOCK_DEVICE_MAPPING_IMAGE'] == 'image'
    assert found['NETWORKS'] == 'networks' and found['NETWORK_KEYS'] == found['_NETWORK_KEYS']
    assert set(found['NETWORK_KEYS']) >= {'uuid', 'network', 'port', 'fixed_ip'}


def test_subclass_is_registered_by_its_own_name():
    assert name_of(SERVER, 'Server').resource_type is None
    assert name_of(SERVER, 'Server').service_type.resource_type == 'OS::Nova::Server'


def test_failure_takes_the_resource_of_the_failed_action():
    failure = name_of('heat.common.exception', 'ResourceFailure')
    assert str(failure(ValueError('no'), None, action='CREATE')) == 'ValueError: no'
    thing = type('Thing', (), {'name': 'it'})()
    assert str(failure(ValueError('no'), thing, 'CREATE')) == 'ValueError: resources.it: no'
    wrapped = exception.ResourceFailure(failure(ValueError('no'), None), ('resources', 'it'))
    assert str(wrapped) == 'ValueError: resources.it: no'


def test_state_errors_need_no_reason():
    error = name_of('heat.engine.resource', 'ResourceInError')(resource_status='ERROR')
    assert str(error) == 'Went to status ERROR due to "Unknown"'
    unknown = name_of('heat.engine.resource', 'ResourceUnknownStatus')
    assert 'Unknown status ODD' in str(unknown(resource_status='ODD', result='Not built'))


def test_error_with_a_path_joins_its_parts():
    error = name_of('heat.common.exception', 'HeatExceptionWithPath')
    assert str(error('Bad', ['a', 1], 'wrong')) == 'Bad: a.1: wrong'
    assert str(error(message='wrong')) == 'wrong'


def test_neutron_resource_prepares_the_body_of_a_request():
    cls = name_of('heat.engine.resources.openstack.neutron.neutron', 'NeutronResource')
    given = {'name': None, 'size': 1, 'unset': None, 'value_specs': {'extra': 2}}
    assert cls.prepare_properties(given, 'generated') == {
        'name': 'generated',
        'size': 1,
        'extra': 2,
    }
    assert cls.validate_properties({'a': 1, 'value_specs': {'a': 2}}) == (
        'a not allowed in value_specs'
    )
    assert cls.validate_properties({'a': 1}) is None
    assert cls.is_built({'status': 'DOWN'}) and not cls.is_built({'status': 'BUILD'})
    with pytest.raises(exception.ResourceInError):
        cls.is_built({'status': 'ERROR'})
    with pytest.raises(exception.ResourceUnknownStatus):
        cls.is_built({'status': 'ODD'})
