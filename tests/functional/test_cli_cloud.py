"""Verbs of ``heat-lite`` about objects of a cloud, against API, engine and a fake cloud."""

import json
import uuid

import pytest
import yaml

from heat_lite.cli import main
from tests import cloud, identity
from tests.functional import shapes

VERSION = 'heat_template_version: 2021-04-16\n'
NET = """
resources:
  net: {type: OS::Neutron::Net, properties: {name: mine, shared: false, tags: [a, b]}}
"""


@pytest.fixture(scope='module')
def service(tmp_path_factory):
    """A service in shape keystone whose catalog has the services of a fake cloud."""
    made = cloud.Cloud()
    with identity.serve(made) as url:
        services = {name: f'{url}{prefix}' for name, prefix in cloud.PREFIXES.items()}
        del services['identity']  # the service validates tokens at Keystone
        folder = tmp_path_factory.mktemp('cloud')
        with shapes.split(folder, 'cloud', 'mysql', keystone=True, services=services) as running:
            running.cloud = made
            yield running


@pytest.fixture
def command(service, capsys, tmp_path, monkeypatch):
    """Run ``heat-lite`` in this process; return (exit status, output, errors)."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        capsys.readouterr()
        status = main.main(['--endpoint', service.endpoint, '--token', service.token(), *words])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def name():
    return f'cloud-{uuid.uuid4().hex[:8]}'


def network(service, **values):
    return service.cloud.put('network', '/networks', status='ACTIVE', **values)


def networks(service):
    return {each['id'] for each in service.cloud.of('network', '/networks')}


def test_object_is_described_as_part_of_a_template(service, command):
    net = network(service, name='backbone', mtu=1400, shared=True, admin_state_up=True)
    status, output, errors = command('import', 'OS::Neutron::Net', net)
    assert (status, errors) == (0, '')
    part = yaml.safe_load(output)['resources']['backbone']
    assert part['type'] == 'OS::Neutron::Net'
    shown = {'name': 'backbone', 'mtu': 1400, 'shared': True, 'port_security_enabled': True}
    assert part['properties'] == shown
    subnet = service.cloud.put(
        'network',
        '/subnets',
        network_id=net,
        cidr='10.9.0.0/24',
        ip_version=4,
        allocation_pools=[{'start': '10.9.0.2', 'end': '10.9.0.9'}],
    )
    words = ('import', '--json', '--name', 'lan', 'OS::Neutron::Subnet', subnet)
    status, output, errors = command(*words)
    assert (status, errors) == (0, '')
    properties = json.loads(output)['resources']['lan']['properties']
    assert properties['network'] == net and properties['cidr'] == '10.9.0.0/24'
    assert properties['allocation_pools'] == [{'start': '10.9.0.2', 'end': '10.9.0.9'}]


def test_new_stack_owns_an_imported_object(service, command, name):
    net = network(service, name='adopted', shared=True, admin_state_up=True)
    status, output, errors = command('import', '-y', 'OS::Neutron::Net', net, name)
    assert (status, errors) == (0, '') and 'ADOPT_COMPLETE' in output
    shown = json.loads(command('resource', 'show', '--json', name, 'adopted')[1])
    assert shown['physical_resource_id'] == net
    assert command('drift', name)[1].splitlines()[-1] == 'no drift'
    status, _, errors = command('import', '-y', 'OS::Neutron::Net', net, f'{name}-2')
    assert status == 1 and f'belongs to {name}/adopted already' in errors
    assert command('import', 'OS::Neutron::Net', '')[0] == 2
    assert command('delete', '-y', name)[0] == 0
    assert net not in networks(service)


def test_server_is_described_with_the_ports_that_it_has(service, command, name, tmp_path):
    """A server refuses security groups beside ports, which have their own."""
    service.cloud.put('compute', '/flavors', name='m1.small', id=str(uuid.uuid4()))
    service.cloud.put('image', '/images', name='cirros', id=str(uuid.uuid4()), status='active')
    (tmp_path / 'server.yaml').write_text(
        f'{VERSION}{NET}'
        '  subnet:\n    type: OS::Neutron::Subnet\n'
        '    properties: {network: {get_resource: net}, cidr: 10.7.0.0/24}\n'
        '  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}\n'
        '  server:\n    type: OS::Nova::Server\n'
        '    properties:\n      flavor: m1.small\n      image: cirros\n'
        '      networks: [{port: {get_resource: port}}]\n'
        'outputs:\n  id: {value: {get_resource: server}}\n'
        '  port: {value: {get_resource: port}}\n'
    )
    status, _, errors = command('create', '-t', 'server.yaml', name)
    assert (status, errors) == (0, '')
    made, port = (command('outputs', name, key)[1].strip() for key in ('id', 'port'))
    status, output, errors = command('import', '--name', 's', 'OS::Nova::Server', made)
    assert (status, errors) == (0, '')
    properties = yaml.safe_load(output)['resources']['s']['properties']
    assert properties['networks'] == [{'port': port}]
    assert 'security_groups' not in properties
    assert command('delete', '-y', name)[0] == 0


#: (type, path of the fake cloud, what its service shows, properties of the part)
DESCRIBED = [
    ('OS::Cinder::Volume', 'block-storage', '/volumes', {'size': 1, 'metadata': {'x': 'y'}})
    + ({'size': 1, 'metadata': {'x': 'y'}},),
    ('OS::Cinder::Volume', 'block-storage', '/volumes', {'size': 1, 'metadata': {'get_file': '/x'}})
    + (
        {
            'size': 1,
            'metadata': {
                'map_replace': [
                    {'literal get_file': '/x'},
                    {'keys': {'literal get_file': 'get_file'}},
                ]
            },
        },
    ),
    ('OS::Octavia::HealthMonitor', 'load-balancer', '/lbaas/healthmonitors')
    + ({'type': 'PING', 'delay': 1, 'timeout': 1, 'max_retries': 1, 'pools': [{'id': 'p1'}]},)
    + ({'type': 'PING', 'delay': 1, 'timeout': 1, 'max_retries': 1, 'pool': 'p1'},),
]


@pytest.mark.parametrize(('type_name', 'service_type', 'path', 'shown', 'expected'), DESCRIBED)
def test_import_describes_maps_and_parents(
    type_name, service_type, path, shown, expected, service, command
):
    made = service.cloud.put(service_type, path, **shown)
    status, output, errors = command('import', '--name', 'it', type_name, made)
    assert (status, errors) == (0, '')
    properties = yaml.safe_load(output)['resources']['it']['properties']
    assert {name: properties.get(name) for name in expected} == expected


def test_import_describes_the_rules_of_a_security_group(service, command):
    group = service.cloud.put('network', '/security-groups', name='web')
    egress = [{'direction': 'egress', 'ethertype': family} for family in ('IPv4', 'IPv6')]
    ssh = {'direction': 'ingress', 'ethertype': 'IPv4', 'protocol': 'tcp', 'description': ''}
    own = {'direction': 'ingress', 'ethertype': 'IPv6', 'remote_group_id': group}
    for rule in (*egress, ssh, own):
        where = '/security-group-rules'
        service.cloud.put('network', where, **{'security_group_id': group, **rule})
    output = command('import', 'OS::Neutron::SecurityGroup', group)[1]
    rules = yaml.safe_load(output)['resources']['web']['properties']['rules']
    del ssh['description'], own['remote_group_id']
    assert rules == [ssh, {**own, 'remote_mode': 'remote_group_id'}]


def test_object_of_another_project_is_only_referred_to(service, command, name):
    net = network(service, name='theirs', shared=True, tenant_id='other')
    for flags in (('-y',), ('-y', '--own')):
        status, _, errors = command('import', *flags, 'OS::Neutron::Net', net, name)
        assert status == 1 and 'belongs to the project other: import with --ext' in errors, flags
    assert command('import', '-y', '--external', 'OS::Neutron::Net', net, name)[0] == 0
    assert command('delete', '-y', name)[0] == 0
    assert net in networks(service)


def test_import_names_required_properties_that_are_not_shown(service, command, name):
    image = service.cloud.put('image', '/images', name='small', status='active')
    words = ('OS::Glance::WebImage', image)
    status, output, errors = command('import', *words)
    assert (status, 'small' in output) == (0, True)
    assert 'add --property container_format=VALUE --property disk_format=VALUE' in errors
    status, _, errors = command('import', '-y', *words, name)
    assert status == 1 and '--property location=VALUE' in errors
    assert command('show', name)[0] == 1


def test_existing_stack_refers_to_an_imported_object(service, command, name, tmp_path):
    (tmp_path / 'inner.yaml').write_text(f'{VERSION}resources: {{v: {{type: OS::Heat::None}}}}')
    (tmp_path / 'app.yaml').write_text(f'{VERSION}{NET}  nested: {{type: inner.yaml}}\n')
    assert command('create', '-t', 'app.yaml', name)[0] == 0
    net = network(service, name='other')
    words = ('import', '-y', '--name', 'other', 'OS::Neutron::Net', net, name)
    status, output, errors = command(*words)
    assert (status, errors) == (0, '') and 'UPDATE_COMPLETE' in output
    template = yaml.safe_load(command('template', name)[1])
    assert template['resources']['other']['external_id'] == net
    assert set(template['resources']) == {'net', 'nested', 'other'}
    status, _, errors = command(*words)
    assert status == 1 and 'has a resource other already' in errors
    assert command('delete', '-y', name)[0] == 0
    assert net in networks(service)


def test_existing_stack_owns_an_imported_object(service, command, name, tmp_path):
    (tmp_path / 'app.yaml').write_text(VERSION + NET)
    assert command('create', '-t', 'app.yaml', name)[0] == 0
    net = network(service, name='taken')
    words = ('import', '-y', '--own', 'OS::Neutron::Net', net, name)
    status, output, errors = command(*words)
    assert (status, errors) == (0, '') and 'ADOPT_COMPLETE' in output
    shown = json.loads(command('resource', 'show', '--json', name, 'taken')[1])
    assert shown['physical_resource_id'] == net
    assert 'external_id' not in command('template', name)[1]
    other = network(service, name='mine')
    status, _, errors = command(*words[:3], '--name', 'net', *words[3:4], other, name)
    assert status == 1 and 'net' in errors and other in networks(service)
    left = [line for line in command('list')[1].splitlines() if 'import-' in line]
    assert all('DELETE_' in line for line in left)
    assert command('delete', '-y', name)[0] == 0
    assert net not in networks(service) and other in networks(service)


def test_external_object_of_a_new_stack_stays(service, command, name):
    net = network(service, name='external')
    words = ('import', '-y', '--external', 'OS::Neutron::Net', net, name)
    status, output, _ = command(*words)
    assert status == 0 and 'CREATE_COMPLETE' in output
    assert command('delete', '-y', name)[0] == 0
    assert net in networks(service)


def test_object_of_the_service_itself_is_imported(service, command, name):
    config = {'name': 'motd', 'group': 'script', 'config': '#!/bin/sh\necho hi\n'}
    inputs = [{'name': 'who', 'type': 'String', 'default': 'you'}]
    body = {**config, 'inputs': inputs}
    made = service.ask('POST', '/software_configs', body).json()['software_config']['id']
    status, output, errors = command('import', '-y', 'OS::Heat::SoftwareConfig', made, name)
    assert (status, errors) == (0, '') and 'ADOPT_COMPLETE' in output
    properties = yaml.safe_load(command('template', name)[1])['resources']['softwareconfig']
    assert properties['properties']['config'] == config['config']
    assert properties['properties']['inputs'][0]['default'] == 'you'
    assert command('delete', '-y', name)[0] == 0
    assert service.ask('GET', f'/software_configs/{made}').status_code == 404


@pytest.mark.parametrize(
    ('words', 'text'),
    [
        (('OS::Neutron::Net', 'no-such-id'), 'Resource no-such-id'),
        (('OS::Neutron::Net', 'no-such-id'), 'can not be found. Give the id of the object'),
        (('OS::Heat::RandomString', 'x'), 'The objects of OS::Heat::RandomString cannot be read'),
        (('OS::Neutron::Nett', 'x'), 'OS::Neutron::Nett'),
        (('OS::Designate::RecordSet', 'x'), 'can not be found. Give the id of the object'),
        (('OS::Trove::Database', 'x'), 'can not be found. Give the id of the object'),
        (('OS::Nova::FloatingIPAssociation', 'x'), 'floatingip x could not be found'),
        (('OS::Swift::TempURL', 'x'), 'cannot be read: Swift keeps nothing of a signed URL.'),
    ],
)
def test_import_of_what_cannot_be_read_is_an_error(words, text, command):
    status, output, errors = command('import', *words)
    assert (status, output) == (1, '') and text in errors and 'Traceback' not in errors


def test_drift_is_shown_for_each_property(service, command, name, tmp_path):
    (tmp_path / 'inner.yaml').write_text(VERSION + NET.replace('mine', 'inner'))
    (tmp_path / 'app.yaml').write_text(f'{VERSION}{NET}  nested: {{type: inner.yaml}}\n')
    assert command('create', '-t', 'app.yaml', name)[0] == 0
    assert command('drift', name) == (0, 'no drift\n', '')
    for each in service.cloud.of('network', '/networks'):
        if each['name'] in ('mine', 'inner'):
            each.update(shared=True, tags=['b'])
    status, output, errors = command('drift', '--json', name)
    assert (status, errors) == (2, '')
    found = [json.loads(line) for line in output.splitlines()]
    assert sorted((each['resource'], each['property']) for each in found) == [
        ('nested/net', 'shared'),
        ('nested/net', 'tags'),
        ('net', 'shared'),
        ('net', 'tags'),
    ]
    assert {(each['wanted'], each['found']) for each in found if each['property'] == 'shared'} == {
        (False, True)
    }
    assert {each['status'] for each in found} == {'changed'}
    status, output, _ = command('drift', name)
    assert status == 2
    assert [line.split() for line in output.splitlines() if line.startswith('net ')][-1] == [
        *('net', 'OS::Neutron::Net', 'tags', '["a",', '"b"]', '["b"]')
    ]
    assert command('delete', '-y', name)[0] == 0


def test_plan_with_live_values_is_refused_when_an_object_has_changed(
    service, command, name, tmp_path
):
    (tmp_path / 'app.yaml').write_text(VERSION + NET)
    (tmp_path / 'new.yaml').write_text(VERSION + NET.replace('[a, b]', '[c]'))
    assert command('create', '-t', 'app.yaml', name)[0] == 0
    shown = json.loads(command('resource', 'show', '--json', name, 'net')[1])
    net = service.cloud.objects['network', '/networks', shown['physical_resource_id']]
    net.update(tags=['x'])
    words = ('preview', '--live', '--out', 'plan.json', '-t', 'new.yaml', name)
    status, output, errors = command(*words)
    assert (status, errors) == (0, '')
    (line,) = [line.split() for line in output.splitlines() if line.startswith('net ')]
    assert line == ['net', 'tags', '["c"]', '["a",', '"b"]', '["x"]']
    net.update(tags=['y'])
    status, output, errors = command('apply', '-y', '--plan', 'plan.json')
    assert status == 1 and 'would be refused now' in output
    assert 'have changed: live object net.' in errors
    net.update(tags=['x'])
    assert command('apply', '-y', '--plan', 'plan.json', '--message', 'x')[0] == 0
    assert net['tags'] == ['c']
    status, _, errors = command('apply', '-y', '--plan', 'plan.json')
    assert status == 1 and 'is outdated' in errors
    assert command('apply', '-y', '--plan', 'plan.json', name)[0] == 2
    assert command('apply', '-y', '--plan', 'plan.json', '-P', 'a=b')[0] == 2
    assert command('apply', '-y', '--plan', 'app.yaml')[0] == 1
    status, _, errors = command('preview', '--live', '-t', 'new.yaml', f'{name}-2')
    assert status == 1 and f'there is no stack {name}-2' in errors
    assert command('delete', '-y', name)[0] == 0


def test_missing_object_is_drift(service, command, name, tmp_path):
    other = NET.splitlines()[-1].replace('net:', 'other:').replace('mine', 'kept')
    (tmp_path / 'app.yaml').write_text(f'{VERSION}{NET}{other}\n')
    assert command('create', '-t', 'app.yaml', name)[0] == 0
    net = json.loads(command('resource', 'show', '--json', name, 'net')[1])
    del service.cloud.objects['network', '/networks', net['physical_resource_id']]
    for each in service.cloud.of('network', '/networks'):
        if each['name'] == 'kept':
            each.update(shared=True)
    status, output, errors = command('drift', name)
    assert (status, errors) == (2, '') and 'no drift' not in output
    assert [line.split() for line in output.splitlines()[1:]] == [
        ['net', 'OS::Neutron::Net', 'an', 'object', 'it', 'is', 'missing'],
        ['other', 'OS::Neutron::Net', 'shared', 'false', 'true'],
    ]
    states = json.loads(command('resource', 'list', '--json', name)[1])
    assert {each['resource_status'] for each in states} == {'CREATE_COMPLETE'}
    assert command('delete', '-y', name)[0] == 0


def test_drift_tells_what_was_not_compared(service, command, name, tmp_path):
    handle = '  handle: {type: OS::Heat::WaitConditionHandle}\n'
    random = '  random: {type: OS::Heat::RandomString}\n'
    (tmp_path / 'app.yaml').write_text(f'{VERSION}{NET}{handle}{random}')
    assert command('create', '-t', 'app.yaml', name)[0] == 0
    status, output, errors = command('drift', name)
    assert (status, errors) == (3, '')
    assert [line.split()[0] for line in output.splitlines()] == ['NOT', 'handle', 'no'], output
    assert output.splitlines()[-1] == 'no drift in what was compared'
    line = json.loads(command('drift', '--json', name)[1])
    assert (line['resource'], line['status']) == ('handle', 'unchecked') and line['reason']
    assert command('delete', '-y', name)[0] == 0


def test_drift_does_not_end_an_action(service, command, name, tmp_path):
    wait = 'action_wait_secs: {create: 20}'  # longer than the commands need to start
    (tmp_path / 'app.yaml').write_text(
        f'{VERSION}{NET}  slow: {{type: OS::Heat::TestResource, properties: {{{wait}}}}}\n'
        '  rest: {type: OS::Heat::RandomString, depends_on: slow}\n'
    )
    assert command('create', '--no-wait', '-t', 'app.yaml', name)[0] == 0
    status, output, _ = command('drift', name)
    assert status == 3 and 'slow' in output and 'An action works on the resource.' in output
    assert command('follow', name)[0] == 0
    states = json.loads(command('resource', 'list', '--json', name)[1])
    assert {each['resource_status'] for each in states} == {'CREATE_COMPLETE'} and len(states) == 3
    assert command('delete', '-y', name)[0] == 0


def test_object_of_a_hidden_type_is_described(service, command):
    made = service.cloud.put('network', '/floatingips', floating_network_id='outside')
    status, output, errors = command('import', 'OS::Nova::FloatingIP', made)
    assert (status, errors) == (0, '') and 'pool: outside' in output
