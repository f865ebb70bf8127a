"""``heat-lite import --project``: templates of the objects of a project, and their adoption."""

import os
import uuid
from pathlib import Path

import yaml

from tests.functional.test_cli_cloud import command, name, service  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments

NETWORK, COMPUTE = 'network', 'compute'


class Project:
    """Puts objects of the project into the cloud."""

    def __init__(self, fake, project_id):
        self.cloud, self.project_id, self.count = fake, project_id, 0

    def put(self, service_type, path, **values):
        self.count += 1
        return self.cloud.put(service_type, path, **{'tenant_id': self.project_id, **values})

    def lan(self, number):
        net = self.put(NETWORK, '/networks', name=f'lan-{number}')
        subnet = self.put(
            NETWORK, '/subnets', name=f'lan-{number}', network_id=net, cidr=f'10.{number}.0.0/24'
        )
        return net, subnet

    def server(self, title, net, subnet, flavor, image, **values):
        one = str(uuid.uuid4())
        port = self.put(
            NETWORK,
            '/ports',
            name=f'{title}-port',
            network_id=net,
            device_id=one,
            device_owner='compute:nova',
            fixed_ips=[{'subnet_id': subnet, 'ip_address': f'10.0.1.{self.count % 250}'}],
        )
        shape = {'metadata': {}, 'flavorRef': flavor, 'imageRef': image}
        shape |= {'OS-EXT-SRV-ATTR:hostname': title, 'locked': False}
        self.put(COMPUTE, '/servers', id=one, name=title, status='ACTIVE', **{**shape, **values})
        return one, port


def fill(fake, project_id, servers):
    project = Project(fake, project_id)
    for kind, path in ((COMPUTE, '/servers'), ('block-storage', '/volumes')):
        for each in fake.of(kind, path):
            del fake.objects[kind, path, each['id']]
    fake.put(NETWORK, '/networks', name='of another project', tenant_id='other')
    outside = fake.put(NETWORK, '/networks', name='internet', tenant_id='other')
    flavor = fake.put(COMPUTE, '/flavors', name=f'm1-{uuid.uuid4()}')
    image = fake.put('image', '/images', name='cirros', status='active', owner='other')
    net, subnet = project.lan(1)
    gateway = {'network_id': outside}
    router = project.put(NETWORK, '/routers', name='edge', external_gateway_info=gateway)
    owner = {'device_id': router, 'device_owner': 'network:router_interface'}
    fixed = [{'subnet_id': subnet, 'ip_address': '10.1.0.1'}]
    project.put(NETWORK, '/ports', name='', network_id=net, fixed_ips=fixed, **owner)
    groups = [project.put(NETWORK, '/security-groups', name=each) for each in ('web', 'db')]
    for one, other in (groups, groups[::-1]):
        rule = {'direction': 'ingress', 'ethertype': 'IPv4', 'protocol': 'tcp'}
        where = {'security_group_id': one, 'remote_group_id': other}
        fake.put(NETWORK, '/security-group-rules', **rule, **where)
    fake.put(NETWORK, '/security-groups', name='default', tenant_id=project_id)
    made = [project.server(f'web-{n}', net, subnet, flavor, image) for n in range(servers)]
    fake.objects[NETWORK, '/ports', made[0][1]]['security_groups'] = groups[:1]
    single, port = project.server('single', net, subnet, flavor, image, metadata={'a': 'b'})
    project.put(NETWORK, '/floatingips', floating_network_id=outside, port_id=port)
    attached = [{'server_id': made[1][0], 'device': '/dev/vdb'}]
    project.put('block-storage', '/volumes', name='data', size=2, attachments=attached)
    fake.put(COMPUTE, '/os-keypairs', id='login', name='login', public_key='ssh-rsa AAAA')
    policies = [
        project.put(NETWORK, f'/vpn/{each}policies', name=each) for each in ('ike', 'ipsec')
    ]
    vpn = project.put(NETWORK, '/vpn/vpnservices', name='vpn', router_id=router)
    values = {'peer_address': '192.0.2.9', 'peer_id': 'x', 'peer_cidrs': ['10.9.0.0/24']}
    project.put(
        NETWORK,
        '/vpn/ipsec-site-connections',
        name='tunnel',
        psk='a very secret word',
        ikepolicy_id=policies[0],
        ipsecpolicy_id=policies[1],
        vpnservice_id=vpn,
        **values,
    )
    return project


def read(folder):
    return {each.stem: yaml.safe_load(each.read_text()) for each in Path(folder).iterdir()}


def test_project_becomes_modules_whose_preview_is_empty(service, command, name, tmp_path):
    project = fill(service.cloud, service.project, servers=3)
    status, output, errors = command('import', '-y', '--project', name)
    assert (status, 'ADOPT_COMPLETE' in output) == (0, True), (output, errors)
    found = read(name)
    assert found.keys() == {'project', 'environment', 'network', 'storage', 'compute'}
    network, compute = (found[each]['resources'] for each in ('network', 'compute'))
    group = compute['web-group']
    assert group['type'] == 'OS::Heat::ResourceGroup' and group['properties']['count'] == 3
    assert compute['login']['type'] == 'OS::Nova::KeyPair'
    assert "not imported: '" not in errors  # the text of a KeyError
    assert compute['single']['type'] == 'OS::Nova::Server'
    assert not {'hostname', 'locked'} & compute['single']['properties'].keys()
    assert network['lan-1-2']['properties']['network'] == {'get_resource': 'lan-1'}
    assert 'of-another-project' not in network
    texts = ''.join((tmp_path / name / f'{each}.yaml').read_text() for each in found)
    assert texts.count('a very secret word') == 1
    [secret] = [key for key, each in found['environment']['parameters'].items() if 'secret' in each]
    assert found['project']['parameters'][secret] == {'type': 'string', 'hidden': True}
    assert os.stat(tmp_path / name).st_mode & 0o077 == 0
    words = ('-t', f'{name}/project.yaml', '-e', f'{name}/environment.yaml', name)
    status, output, errors = command('preview', '--detailed-exitcode', *words)
    assert (status, errors) == (0, ''), (output, errors)
    status, output, _ = command('resource', 'list', '--nested', '--json', name)
    assert output.count('ADOPT_COMPLETE') > project.count

    status, _, errors = command('import', '--print', '--project', name)
    assert (status, errors.strip()) == (
        1,
        f'heat-lite: {name} exists: remove it, or name another --directory',
    )
    status, _, errors = command('import', '--print', '--project', 'again')
    assert status == 1 and 'OS::Nova::Server: not imported: in a stack already (4)' in errors
    assert 'there is nothing to import' in errors
