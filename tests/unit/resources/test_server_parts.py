"""What a server is made of: disks, networks and the data of its first start, as plain data."""

import ast
import email
import json
import subprocess

import pytest

from heat_lite.common import exception
from heat_lite.resources.openstack.nova import block_devices, guest, networks, user_data
from heat_lite.resources.openstack.nova.server_schema import MAPPING_V2, NETWORK


def disk(**given):
    return {**dict.fromkeys(MAPPING_V2), **given}


def net(**given):
    return {**dict.fromkeys(NETWORK), **given}


# --------------------------------------------------------------- disks


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        (
            disk(volume_id='v', device_name='vdb', boot_index=1),
            {
                'source_type': 'volume',
                'uuid': 'v',
                'destination_type': 'volume',
                'boot_index': 1,
                'delete_on_termination': False,
                'device_name': 'vdb',
            },
        ),
        (
            disk(image='i', volume_size=3, volume_type='t', delete_on_termination=True),
            {
                'source_type': 'image',
                'uuid': 'i',
                'destination_type': 'volume',
                'boot_index': 0,
                'delete_on_termination': True,
                'volume_size': 3,
                'volume_type': 't',
            },
        ),
        (disk(snapshot_id='s'), {'source_type': 'snapshot', 'uuid': 's', 'destination_type': 'volume', 'boot_index': 0}),
        (disk(swap_size=64), {'source_type': 'blank', 'guest_format': 'swap', 'volume_size': 64, 'boot_index': -1}),
        (disk(ephemeral_size=1, ephemeral_format='ext4'), {'guest_format': 'ext4', 'volume_size': 1, 'destination_type': 'local'}),
    ],
)
def test_what_is_said_of_a_disk(given, said):
    (made,) = block_devices.body(None, None, [given])['block_device_mapping_v2']
    assert said.items() <= made.items()


def test_who_says_something_of_disks_says_it_of_that_of_the_image_too():
    root, swap = block_devices.body('i', None, [disk(swap_size=1)])['block_device_mapping_v2']
    assert (root['uuid'], root['boot_index'], root['destination_type']) == ('i', 0, 'local')
    assert swap['boot_index'] == -1


def test_the_first_form_goes_on_as_it_is():
    given = {'device_name': 'vda', 'volume_id': 'v', 'snapshot_id': None, 'volume_size': None, 'delete_on_termination': True}
    said = block_devices.body(None, [given], None)
    assert said == {'block_device_mapping': [{'device_name': 'vda', 'volume_id': 'v', 'delete_on_termination': True}]}


@pytest.mark.parametrize(
    ('image', 'mapping', 'mapping_v2', 'text'),
    [
        (None, [], [], 'Neither image nor bootable volume is specified for instance s'),
        (None, [], [disk(swap_size=1)], 'Neither image nor bootable volume'),
        (None, [], [disk(volume_id='v', boot_index=1)], 'Neither image nor bootable volume'),
        (None, [], [disk(image='i'), disk(volume_id='v')], 'Multiple bootable sources for instance s.'),
        ('i', [{}], [disk(swap_size=1)], 'block_device_mapping, block_device_mapping_v2'),
        ('i', [], [disk(device_name='vdb')], 'Either volume_id, snapshot_id, image_id, swap_size, ephemeral_size or'),
        ('i', [], [disk(image='i', swap_size=1)], 'volume_id, snapshot_id, image, swap_size, ephemeral_size, ephemeral_format'),
        ('i', [{'device_name': 'vdb', 'volume_id': None, 'snapshot_id': None}], [], 'for device mapping vdb'),
    ],
)
def test_disks_that_cannot_be(image, mapping, mapping_v2, text):
    with pytest.raises(exception.HeatException, match=text):
        block_devices.validate('s', image, mapping, mapping_v2)


# --------------------------------------------------------------- networks


@pytest.mark.parametrize(
    ('given', 'groups', 'text'),
    [
        ([net(fixed_ip='10.0.0.1')], [], 'One of the properties "network", "port", "allocate_network" or "subnet"'),
        ([net(allocate_network='auto', network='n')], [], 'Can not specify "allocate_network" with other keys'),
        ([net(allocate_network='auto'), net(network='n')], [], 'if multiple network interfaces set'),
        ([net(port='p', fixed_ip='10.0.0.1')], [], 'networks/fixed_ip, networks/port'),
        ([net(port='p')], ['g'], 'security_groups, networks/port'),
        ([net(network='n', floating_ip='f')], [], 'Property "floating_ip" is not supported if only "network" is specified'),
    ],
)
def test_networks_that_cannot_be(given, groups, text):
    with pytest.raises(exception.HeatException, match=text):
        networks.validate('s', given, groups)


def test_networks_that_can_be():
    given = [net(network='n', fixed_ip='10.0.0.1'), net(subnet='u', floating_ip='f'), net(network='n', tag='t')]
    networks.validate('s', given, ['g'])
    assert [networks.wants_port(each) for each in given] == [False, True, False]


def test_without_networks_one_is_found():
    assert networks.allocation([]) == 'auto'
    assert networks.allocation([net(allocate_network='none')]) == 'none'
    assert networks.allocation([net(network='n')]) is None


def test_a_port_of_its_own():
    extra = {'mac_address': 'm', 'qos_policy': 'q', 'no_fixed_ips': False, 'value_specs': {'description': 'd'}, 'admin_state_up': True}
    given = net(subnet='u', fixed_ip='10.0.0.1', port_extra_properties=extra)
    assert networks.port_body('s-port-0', given, 'n', ['g']) == {
        'name': 's-port-0',
        'network_id': 'n',
        'mac_address': 'm',
        'qos_policy_id': 'q',
        'admin_state_up': True,
        'description': 'd',
        'fixed_ips': [{'ip_address': '10.0.0.1', 'subnet_id': 'u'}],
        'security_groups': ['g'],
    }
    given['port_extra_properties'] = {'no_fixed_ips': True}
    assert networks.port_body('x', given, 'n', [])['fixed_ips'] == []


def test_how_requests_name_networks():
    simple, own = net(network='n', fixed_ip='10.0.0.1', tag='t'), net(subnet='u')
    assert networks.nic(simple, None) == {'uuid': 'n', 'fixed_ip': '10.0.0.1', 'tag': 't'}
    assert networks.nic(own, 'p') == {'port': 'p'}
    assert networks.interface(simple, None) == {'net_id': 'n', 'fixed_ips': [{'ip_address': '10.0.0.1'}], 'tag': 't'}
    assert networks.interface(own, 'p') == {'port_id': 'p'}


def test_what_stays_when_networks_change():
    first, second, port = net(network='n'), net(network='n'), net(port='p')
    plugs = [networks.Plug(first), networks.Plug(port, 'p')]
    stays, gone, new = networks.compare(plugs, [first, second, net(subnet='u')])
    assert [plug for plug, _ in stays] == plugs[:1]
    assert gone == plugs[1:]
    assert new == [second, net(subnet='u')]


@pytest.mark.parametrize(
    ('given', 'stays'),
    [
        (net(subnet='u'), True),
        (net(network='n', subnet='u'), True),
        (net(network='n', fixed_ip='10.0.0.6'), True),
        (net(port='p'), True),
        (net(subnet='other'), False),
        (net(network='m'), False),
        (net(network='n', fixed_ip='10.0.0.7'), False),
        (net(port='q'), False),
        (net(network='n', tag='t'), False),
        (net(network='n', port_extra_properties={'qos_policy': 'x'}), False),
    ],
)
def test_an_interface_that_is_as_is_asked_for_now_stays(given, stays):
    plug = networks.Plug(net(network='n'), 'p')
    there = [{'port_id': 'p', 'net_id': 'n', 'fixed_ips': [{'ip_address': '10.0.0.6', 'subnet_id': 'u'}]}]
    assert networks.compare([plug], [given], there) == (([(plug, given)], [], []) if stays else ([], [plug], [given]))
    of_template = networks.Plug(net(port='p'), 'p')
    assert networks.compare([of_template], [net(network='n')], there)[0] == [], 'a port of the template goes with its name'


def test_what_is_asked_for_as_before_is_looked_for_first():
    before = [net(network='n'), net(network='n', fixed_ip='10.0.0.33'), net(subnet='u')]
    plugs = [networks.Plug(each, f'p{number}') for number, each in enumerate(before)]
    there = [{'port_id': plug.port, 'net_id': 'n', 'fixed_ips': [{'ip_address': '10.0.0.33', 'subnet_id': 'u'}]} for plug in plugs]
    stays, gone, new = networks.compare(plugs, [net(subnet='u'), net(network='n'), net(network='n', subnet='u')], there)
    assert {plug.port: given for plug, given in stays} == {
        'p2': net(subnet='u'),
        'p0': net(network='n'),
        'p1': net(network='n', subnet='u'),
    }
    assert gone == new == []


def test_plugs_outlive_the_engine():
    plugs = [networks.Plug(net(network='n')), networks.Plug(net(subnet='u'), 'p', own=True)]
    again = networks.loaded(networks.stored(plugs), ())
    assert [(each.said, each.port, each.own) for each in again] == [(each.said, each.port, each.own) for each in plugs]


def test_the_ports_that_the_compute_service_has_made():
    plugs = [networks.Plug(net(network='n')), networks.Plug(net(network='n', fixed_ip='10.0.0.5')), networks.Plug(net(port='p'), 'p')]
    made = [
        {'port_id': 'p', 'net_id': 'n', 'fixed_ips': []},
        {'port_id': 'fixed', 'net_id': 'n', 'fixed_ips': [{'ip_address': '10.0.0.5'}]},
        {'port_id': 'any', 'net_id': 'n', 'fixed_ips': [{'ip_address': '10.0.0.6'}]},
        {'port_id': 'other', 'net_id': 'm', 'fixed_ips': []},
    ]
    free = networks.find_ports(plugs, made)
    assert [plug.port for plug in plugs] == ['any', 'fixed', 'p']
    assert [each['port_id'] for each in free] == ['other']


def test_what_only_one_server_can_have():
    port, address, simple = (
        networks.Plug(net(port='p'), 'p'),
        networks.Plug(net(network='n', fixed_ip='i')),
        networks.Plug(net(network='n')),
    )
    wanted = [net(port='p'), net(network='n', fixed_ip='i'), net(network='n')]
    assert [plug.takes_from(wanted) for plug in (port, address, simple)] == [True, True, False]
    assert not address.takes_from([net(network='m', fixed_ip='i')])


# --------------------------------------------------------------- the first start


def parts(text):
    return {
        part.get_filename(): (part.get_content_type(), part.get_payload(decode=True).decode())
        for part in email.message_from_string(text).get_payload()
    }


def test_for_cfntools():
    made = parts(user_data.for_cfntools('#!/bin/sh\necho hellö\n', {'a': 1}, 'http://cfn.example.org:8000', ('1', '0')))
    assert list(made) == [
        *('cloud-config', 'boothook.sh', 'part-handler.py', 'cfn-userdata', 'loguserdata.py', 'cfn-init-data'),
        *('cfn-metadata-server', 'cfn-boto-cfg'),
    ]
    assert made['cfn-userdata'] == ('text/x-cfninitdata', '#!/bin/sh\necho hellö\n')
    assert made['cloud-config'][0] == 'text/cloud-config'
    assert json.loads(made['cfn-init-data'][1]) == {'a': 1}
    assert made['cfn-metadata-server'][1] == 'http://cfn.example.org:8000/v1/'
    assert 'is_secure = 1\nhttps_validate_certificates = 0' in made['cfn-boto-cfg'][1]
    assert made['cfn-boto-cfg'][1].endswith('cfn_region_endpoint = cfn.example.org')


def test_without_metadata_and_without_the_other_api_there_is_less():
    made = parts(user_data.for_cfntools('x', {}, None, ('0', '1')))
    assert list(made)[-2:] == ['cfn-userdata', 'loguserdata.py']


def test_for_software():
    made = parts(user_data.for_software('#!/bin/sh\n', {'deployments': []}))
    assert list(made) == ['cloud-config', 'boothook.sh', 'part-handler.py', None, 'cfn-init-data']
    assert made[None] == ('text/plain', '#!/bin/sh\n')
    assert json.loads(made['cfn-init-data'][1]) == {'deployments': []}


def test_parts_of_a_message_become_parts_of_the_whole():
    inner = user_data.for_software('text', {})
    assert len(email.message_from_string(user_data.for_software(inner, {})).get_payload()) == 9


def test_what_runs_in_the_server_is_a_program(tmp_path):
    ast.parse(guest.PART_HANDLER)
    ast.parse(guest.RUN_USER_DATA)
    (tmp_path / 'hook').write_text(guest.BOOTHOOK)
    assert subprocess.run(['sh', '-n', tmp_path / 'hook'], check=False).returncode == 0


def test_the_text_of_the_user_is_run_and_its_words_are_kept(tmp_path):
    folders = {name: tmp_path / name for name in ('cfn-userdata', 'provision.log', 'finished')}
    program = guest.RUN_USER_DATA
    for place, path in zip(
        ('/var/lib/cloud/data/cfn-userdata', '/var/log/heat-provision.log', '/var/lib/heat-cfntools/provision-finished'),
        folders.values(),
        strict=True,
    ):
        program = program.replace(place, str(path))
    folders['cfn-userdata'].write_text('echo said; exit 3\n')
    (tmp_path / 'run').write_text(program)
    assert subprocess.run(['sh', tmp_path / 'run'], check=False).returncode == 3
    assert 'said\n' in folders['provision.log'].read_text()
    assert 'user data ends with 3' in folders['provision.log'].read_text()
    assert folders['finished'].exists()


def test_parts_that_are_data_become_files(tmp_path):
    names = {}
    exec(guest.PART_HANDLER.replace('/var/lib', str(tmp_path)), names)
    assert names['list_types']() == ['text/x-cfninitdata']
    for kind, payload in (('__begin__', None), ('text/x-cfninitdata', 'hellö'), ('__end__', None)):
        names['handle_part'](None, kind, 'cfn-userdata', payload)
    for folder in ('heat-cfntools', 'cloud/data'):
        assert (tmp_path / folder / 'cfn-userdata').read_text() == 'hellö'
