"""Combinations of properties that resource types refuse although each property is valid."""

import uuid

import pytest

from heat_lite.common import exception
from tests.functional.clouds import driver, ids, request_context, running_cloud  # noqa: F401
from tests.samples import PREFIX_OF

# ruff: noqa: F811 - fixtures are arguments

NONE_OF = 'At least one of the following properties must be specified'
MORE_THAN_ONE_OF = 'Cannot define the following properties at the same time'
NET = {'network': 'a network'}
V6 = {**NET, 'cidr': '2001:db8::/64', 'ip_version': 6}
ROLE = {'role': 'a role'}
CASES = [
    ('OS::Neutron::Subnet', NET, f'{NONE_OF}: subnetpool, cidr'),
    (
        'OS::Neutron::Subnet',
        {**NET, 'cidr': '10.0.0.0/8', 'subnetpool': 'a subnetpool'},
        f'{MORE_THAN_ONE_OF}: subnetpool, cidr',
    ),
    (
        'OS::Neutron::Subnet',
        {**NET, 'cidr': '10.0.0.0/8', 'prefixlen': 24},
        f'{MORE_THAN_ONE_OF}: prefixlen, cidr',
    ),
    (
        'OS::Neutron::Subnet',
        {**NET, 'cidr': '10.0.0.0/8', 'gateway_ip': 'x'},
        'Gateway IP address "x" is in invalid format.',
    ),
    (
        'OS::Neutron::Subnet',
        {**NET, 'cidr': '10.0.0.0/8', 'ipv6_ra_mode': 'slaac'},
        'are not supported for ipv4',
    ),
    (
        'OS::Neutron::Subnet',
        {**V6, 'ipv6_ra_mode': 'slaac', 'ipv6_address_mode': 'dhcpv6-stateful'},
        'they must be equal',
    ),
    (
        'OS::Neutron::Net',
        {'value_specs': {'shared': True, 'mtu': 1400, 'admin_state_up': False}},
        'shared, admin_state_up not allowed in value_specs',
    ),
    (
        'OS::Neutron::Router',
        {'admin_state_up': True, 'value_specs': {'admin_state_up': False}},
        'admin_state_up not allowed in value_specs',
    ),
    (
        'OS::Neutron::Port',
        {**NET, 'value_specs': {'network_id': 'another'}},
        'network_id not allowed in value_specs',
    ),
    ('OS::Neutron::Quota', {'project': 'a project'}, f'{NONE_OF}: floatingip, network'),
    (
        'OS::Keystone::User',
        {'roles': [{**ROLE, 'project': 'a project', 'domain': 'a domain'}]},
        f'{MORE_THAN_ONE_OF}: project, domain',
    ),
    ('OS::Nova::ServerGroup', {'policies': []}, 'A server group has one policy'),
    (
        'OS::Cinder::Volume',
        {},
        'one and only one of "source_volid", "snapshot_id" must be specified, '
        'but currently specified options: ',
    ),
    (
        'OS::Cinder::Volume',
        {'image': 'a images'},
        "must be specified, but currently specified options: .'image'.",
    ),
    (
        'OS::Cinder::Volume',
        {'source_volid': 'a volume', 'imageRef': 'a images'},
        "specified options: .'source_volid', 'image'.",
    ),
    (
        'OS::Cinder::Volume',
        {'size': 1, 'source_volid': 'a volume', 'image': 'a images'},
        'If "size" is provided, only one of "image"',
    ),
    (
        'OS::Heat::AccessPolicy',
        {'AllowedResources': ['nobody']},
        'AccessPolicy resource nobody not in stack',
    ),
]


@pytest.mark.parametrize(
    ('kind', 'properties', 'reason'), CASES, ids=lambda each: each if isinstance(each, str) else ''
)
def test_create_with_conflicting_properties_is_refused(kind, properties, reason, driver, ids):
    properties = {'domain': 'a domain', **properties} if 'Keystone' in kind else properties
    refusals = (
        exception.StackValidationFailed,
        exception.ResourcePropertyConflict,
        exception.PropertyUnspecifiedError,
        exception.ResourcePropertyDependency,
    )
    with pytest.raises(refusals, match=reason):
        driver.create({'resources': {'it': {'type': kind, 'properties': properties}}})


@pytest.mark.parametrize('kind', ['Port', 'Router'])
def test_value_specs_may_set_a_property_that_is_not_given(kind, running_cloud, driver, ids):
    properties = {'value_specs': {'admin_state_up': False}, **(NET if kind == 'Port' else {})}
    driver.create({'resources': {'it': {'type': f'OS::Neutron::{kind}', 'properties': properties}}})
    assert running_cloud.cloud.of('network', f'/{kind.lower()}s')[-1]['admin_state_up'] is False


@pytest.mark.parametrize(
    ('image', 'flavor', 'reason'),
    [
        (
            {'status': 'deactivated'},
            {},
            'Image status is required to be active not deactivated.',
        ),
        (
            {'min_ram': 2},
            {'ram': 1},
            'requires 2 minimum ram. Flavor .* has only 1.',
        ),
        (
            {'min_disk': 2},
            {'disk': 1},
            'requires 2 GB minimum disk space. Flavor .* has only 1 GB.',
        ),
        ({'min_ram': 2, 'min_disk': 1}, {'ram': 2, 'disk': 1}, None),
    ],
)
def test_server_of_an_image_that_its_flavor_cannot_run_is_refused(
    running_cloud, driver, image, flavor, reason
):
    driver.context = request_context(running_cloud)
    put = running_cloud.cloud.put
    large, small = str(uuid.uuid4()), str(uuid.uuid4())
    put('image', '/images', name=large, id=large, **{'status': 'active', **image})
    put('compute', '/flavors', name=small, id=small, **flavor)
    networks = [{'allocate_network': 'none'}]
    properties = {'image': large, 'flavor': small, 'networks': networks}
    if reason is None:
        assert preview(driver, 'OS::Nova::Server', properties)
        return
    with pytest.raises(exception.StackValidationFailed, match=reason):
        preview(driver, 'OS::Nova::Server', properties)


SERVER = {'image': 'a images', 'flavor': 'a flavor'}
TYPED = {'volume_id': 'a volume', 'boot_index': 1, 'volume_type': 'a volume_type'}
DATABASE = {'flavor': 'a flavor', 'size': 1}
DATES = ('2030-01-01 00:00', '2030-01-02 00:00')
LEASE = {'name': 'l', 'start_date': DATES[0], 'end_date': DATES[1], 'reservations': []}
VERSIONED = [
    ('OS::Nova::Server', {**SERVER, 'networks': [{'allocate_network': 'none'}]}, '2.37'),
    ('OS::Nova::Server', {**SERVER, 'networks': [{**NET, 'tag': 'x'}]}, '2.42'),
    ('OS::Nova::Server', {**SERVER, 'tags': ['x']}, '2.26'),
    ('OS::Nova::Server', {**SERVER, 'block_device_mapping_v2': [TYPED]}, '2.67'),
    ('OS::Nova::ServerGroup', {'policies': ['soft-affinity']}, '2.15'),
    ('OS::Nova::ServerGroup', {'rules': {'max_server_per_host': 1}}, '2.64'),
    ('OS::Nova::KeyPair', {'name': 'k', 'type': 'ssh', 'public_key': 'k'}, '2.2'),
    ('OS::Nova::KeyPair', {'name': 'k', 'user': 'a user', 'public_key': 'k'}, '2.10'),
    ('OS::Nova::ShareAttachment', {'server': 'a server', 'share': 'a share'}, '2.97'),
    ('OS::Manila::ShareNetworkSubnet', {'share_network': 'a share_network'}, '2.51'),
    (
        'OS::Manila::ShareReplica',
        {'share': 'a share', 'share_network': 'a share_network'},
        '2.72',
    ),
    (
        'OS::Masakari::Segment',
        {'recovery_method': 'auto', 'service_type': 'compute', 'enabled': True},
        '1.2',
    ),
]


def preview(driver, kind, properties, **others):
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {'it': {'type': kind, 'properties': properties}, **others},
    }
    new = {'stack_name': 's', 'params': {}, 'files': {}, 'args': {}}
    return driver.client.preview_stack(driver.context, template=template, **new)


@pytest.mark.parametrize(('kind', 'properties', 'version'), VERSIONED)
def test_what_needs_a_newer_service_is_refused(
    kind, properties, version, running_cloud, driver, ids
):
    service = PREFIX_OF[kind.split('::')[1].lower()]
    major, minor = version.split('.')
    running_cloud.cloud.newest[service] = f'{major}.{int(minor) - 1}'
    with pytest.raises(exception.StackValidationFailed, match=f'microversion {version}'):
        preview(driver, kind, properties)
    running_cloud.cloud.newest[service] = version
    driver.context = request_context(running_cloud)
    assert preview(driver, kind, properties)


@pytest.mark.parametrize(
    ('kind', 'properties', 'reason'),
    [
        (
            'OS::Nova::Server',
            {**SERVER, 'metadata': {str(key): 'x' for key in range(129)}},
            'Instance metadata must not contain greater than 128 entries',
        ),
        ('OS::Nova::Server', {**SERVER, 'metadata': {str(key): 'x' for key in range(128)}}, None),
        (
            'OS::Trove::Instance',
            {**DATABASE, 'datastore_type': 'mysql', 'datastore_version': '9'},
            'version 9 for datastore type mysql is not valid. Allowed versions are one, two',
        ),
        (
            'OS::Trove::Instance',
            {**DATABASE, 'datastore_type': 'unknown', 'datastore_version': '9'},
            'Datastore unknown cannot be found',
        ),
        (
            'OS::Trove::Instance',
            {**DATABASE, 'datastore_type': 'mysql', 'datastore_version': 'two'},
            None,
        ),
    ],
)
def test_what_the_cloud_does_not_allow_is_refused(kind, properties, reason, driver, ids):
    if reason is None:
        assert preview(driver, kind, properties)
        return
    with pytest.raises((exception.StackValidationFailed, exception.NotFound), match=reason):
        preview(driver, kind, properties)


def test_lease_without_a_host_in_cloud_or_template_is_refused(running_cloud, driver, ids):
    assert preview(driver, 'OS::Blazar::Lease', LEASE)
    cloud = running_cloud.cloud
    cloud.objects = {key: cloud.objects[key] for key in cloud.objects if '/os-hosts' not in key}
    with pytest.raises(exception.StackValidationFailed, match='find any host in Blazar'):
        preview(driver, 'OS::Blazar::Lease', LEASE)
    host = {'type': 'OS::Blazar::Host', 'properties': {'name': 'h'}}
    assert preview(driver, 'OS::Blazar::Lease', LEASE, host=host)


ADMIN_TYPES = {
    'OS::Nova::Flavor': {'ram': 1, 'vcpus': 1},
    'OS::Cinder::VolumeType': {'name': 't'},
    'OS::Neutron::QoSPolicy': {},
    'OS::Nova::FlavorAccess': {'type': 'a flavor', 'project': 'a project'},
    'OS::Placement::Trait': {'name': 'CUSTOM_IT'},
}


@pytest.mark.parametrize('kind', ADMIN_TYPES)
def test_type_of_administrators_in_the_template_of_a_member(running_cloud, driver, ids, kind):
    driver.context = request_context(running_cloud, roles=['member'], is_admin=False)
    resource = {'type': kind, 'properties': ADMIN_TYPES[kind]}
    template = {'heat_template_version': '2021-04-16', 'resources': {'r': resource}}
    checked = driver.client.validate_template(driver.context, template=template)
    assert checked['Parameters'] == {}, 'nothing is created: every requester may validate it'
    new = {'stack_name': 's', 'params': {}, 'files': {}, 'args': {}}
    for create in (driver.client.preview_stack, driver.client.create_stack):
        with pytest.raises(exception.Forbidden, match=kind):
            create(driver.context, template=template, **new)


@pytest.mark.parametrize(
    'fault',
    [
        {'parameters': {'missing': {'type': 'string'}}},
        {'parameters': {'wrong': {'type': 'number', 'default': 'x'}}},
        {'parameter_groups': [{'label': 'g', 'parameters': ['unknown']}]},
        {'resources': {'a': {'type': 'OS::No::Such'}}},
    ],
)
def test_forbidden_type_is_reported_before_faults_of_parameters_and_types(
    running_cloud, driver, fault
):
    driver.context = request_context(running_cloud, roles=['member'], is_admin=False)
    resources = {**fault.get('resources', {}), 'r': {'type': 'OS::Nova::Flavor'}}
    template = {'heat_template_version': '2021-04-16', **fault, 'resources': resources}
    new = {'stack_name': 's', 'params': {}, 'files': {}, 'args': {}}
    with pytest.raises(exception.Forbidden, match='OS::Nova::Flavor'):
        driver.client.preview_stack(driver.context, template=template, **new)
