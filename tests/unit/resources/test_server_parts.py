"""The parts of a server request: disks, networks and user data."""

import ast
import email
import json
import subprocess
import urllib.parse

import pytest

from heat_lite.resources.openstack.nova.server import (
    block_devices,
    boot_scripts,
    networks_property,
    user_data,
)
from heat_lite.resources.openstack.nova.server.schema import MAPPING_V2, NETWORK


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
        (
            disk(snapshot_id='s'),
            {'source_type': 'snapshot', 'uuid': 's', 'destination_type': 'volume', 'boot_index': 0},
        ),
        (
            disk(swap_size=64),
            {'source_type': 'blank', 'guest_format': 'swap', 'volume_size': 64, 'boot_index': -1},
        ),
        (
            disk(ephemeral_size=1, ephemeral_format='ext4'),
            {'guest_format': 'ext4', 'volume_size': 1, 'destination_type': 'local'},
        ),
    ],
)
def test_disk_of_each_source_becomes_a_request(given, said):
    (made,) = block_devices.body(None, None, [given])['block_device_mapping_v2']
    assert said.items() <= made.items()


def test_block_device_mapping_v2_with_image_lists_its_disk_first():
    root, swap = block_devices.body('i', None, [disk(swap_size=1)])['block_device_mapping_v2']
    assert (root['uuid'], root['boot_index'], root['destination_type']) == ('i', 0, 'local')
    assert swap['boot_index'] == -1


def test_block_device_mapping_is_sent_without_empty_values():
    given = {
        'device_name': 'vda',
        'volume_id': 'v',
        'snapshot_id': None,
        'volume_size': None,
        'delete_on_termination': True,
    }
    said = block_devices.body(None, [given], None)
    assert said == {
        'block_device_mapping': [
            {'device_name': 'vda', 'volume_id': 'v', 'delete_on_termination': True}
        ]
    }


# --------------------------------------------------------------- networks


def test_port_is_needed_for_a_subnet_only():
    given = [
        net(network='n', fixed_ip='10.0.0.1'),
        net(subnet='u', floating_ip='f'),
        net(network='n', tag='t'),
    ]
    assert [networks_property.needs_port(each) for each in given] == [False, True, False]


def test_allocation_without_networks_is_auto():
    assert networks_property.allocation([]) == 'auto'
    assert networks_property.allocation([net(allocate_network='none')]) == 'none'
    assert networks_property.allocation([net(network='n')]) is None


def test_port_body_with_extra_properties_holds_them():
    extra = {
        'mac_address': 'm',
        'qos_policy': 'q',
        'no_fixed_ips': False,
        'value_specs': {'description': 'd'},
        'admin_state_up': True,
    }
    given = net(subnet='u', fixed_ip='10.0.0.1', port_extra_properties=extra)
    assert networks_property.port_body('s-port-0', given, 'n', ['g']) == {
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
    assert networks_property.port_body('x', given, 'n', [])['fixed_ips'] == []


def test_nic_and_interface_name_network_or_port():
    simple, own = net(network='n', fixed_ip='10.0.0.1', tag='t'), net(subnet='u')
    assert networks_property.nic(simple, None) == {'uuid': 'n', 'fixed_ip': '10.0.0.1', 'tag': 't'}
    assert networks_property.nic(own, 'p') == {'port': 'p'}
    assert networks_property.interface(simple, None) == {
        'net_id': 'n',
        'fixed_ips': [{'ip_address': '10.0.0.1'}],
        'tag': 't',
    }
    assert networks_property.interface(own, 'p') == {'port_id': 'p'}


def test_compare_after_change_keeps_unchanged_networks():
    first, second, port = net(network='n'), net(network='n'), net(port='p')
    attachments = [networks_property.Attachment(first), networks_property.Attachment(port, 'p')]
    stays, gone, new = networks_property.compare(attachments, [first, second, net(subnet='u')])
    assert [attachment for attachment, _ in stays] == attachments[:1]
    assert gone == attachments[1:]
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
def test_compare_with_interface_that_fits_keeps_it(given, stays):
    attachment = networks_property.Attachment(net(network='n'), 'p')
    there = [
        {'port_id': 'p', 'net_id': 'n', 'fixed_ips': [{'ip_address': '10.0.0.6', 'subnet_id': 'u'}]}
    ]
    assert networks_property.compare([attachment], [given], there) == (
        ([(attachment, given)], [], []) if stays else ([], [attachment], [given])
    )
    of_template = networks_property.Attachment(net(port='p'), 'p')
    assert networks_property.compare([of_template], [net(network='n')], there)[0] == [], (
        'a port of the template stays with the entry that names it'
    )


PAIRS = [{'ip_address': '10.9.9.9'}]


@pytest.mark.parametrize(
    ('before', 'after', 'changes'),
    [
        ({}, {'admin_state_up': True, 'binding:vnic_type': 'normal'}, {}),
        ({'admin_state_up': False}, {}, {'admin_state_up': True}),
        ({}, {'qos_policy': 'q'}, {'qos_policy_id': 'q'}),
        (
            {'qos_policy': 'q', 'allowed_address_pairs': PAIRS},
            {'admin_state_up': False},
            {
                'qos_policy_id': None,
                'allowed_address_pairs': [],
                'admin_state_up': False,
            },
        ),
        ({'value_specs': {'a': 1, 'b': 1}}, {'value_specs': {'a': 1, 'b': 2}}, {'b': 2}),
        ({'mac_address': 'm'}, {'mac_address': 'n'}, None),
        ({'mac_address': 'm'}, {}, None),
        ({}, {'value_specs': {'mac_address': 'n'}}, None),
        ({}, {'binding:vnic_type': 'direct'}, None),
        ({'no_fixed_ips': True}, {'no_fixed_ips': False}, None),
        ({'port_security_enabled': False}, {}, None),
    ],
)
def test_change_of_a_port_is_sent_or_needs_another_port(before, after, changes):
    one, other = (net(subnet='u', port_extra_properties=each) for each in (before, after))
    assert networks_property.port_changes(one, other, dict) == changes
    attachment = networks_property.Attachment(one, 'p', own=True)
    there = [{'port_id': 'p', 'net_id': 'n', 'fixed_ips': [{'subnet_id': 'u'}]}]
    stays, gone, new = networks_property.compare([attachment], [other], there)
    assert (len(stays), len(gone), len(new)) == ((0, 1, 1) if changes is None else (1, 0, 0))


def test_compare_prefers_unchanged_networks():
    before = [net(network='n'), net(network='n', fixed_ip='10.0.0.33'), net(subnet='u')]
    attachments = [
        networks_property.Attachment(each, f'p{number}') for number, each in enumerate(before)
    ]
    there = [
        {
            'port_id': attachment.port,
            'net_id': 'n',
            'fixed_ips': [{'ip_address': '10.0.0.33', 'subnet_id': 'u'}],
        }
        for attachment in attachments
    ]
    stays, gone, new = networks_property.compare(
        attachments, [net(subnet='u'), net(network='n'), net(network='n', subnet='u')], there
    )
    assert {attachment.port: given for attachment, given in stays} == {
        'p2': net(subnet='u'),
        'p0': net(network='n'),
        'p1': net(network='n', subnet='u'),
    }
    assert gone == new == []


def test_attachments_survive_dump_and_load():
    attachments = [
        networks_property.Attachment(net(network='n')),
        networks_property.Attachment(net(subnet='u'), 'p', own=True),
    ]
    again = networks_property.load(networks_property.dump(attachments), ())
    assert [(each.network, each.port, each.own) for each in again] == [
        (each.network, each.port, each.own) for each in attachments
    ]


def test_assign_ports_chooses_fixed_addresses_first():
    attachments = [
        networks_property.Attachment(net(network='n')),
        networks_property.Attachment(net(network='n', fixed_ip='10.0.0.5')),
        networks_property.Attachment(net(port='p'), 'p'),
    ]
    made = [
        {'port_id': 'p', 'net_id': 'n', 'fixed_ips': []},
        {'port_id': 'fixed', 'net_id': 'n', 'fixed_ips': [{'ip_address': '10.0.0.5'}]},
        {'port_id': 'any', 'net_id': 'n', 'fixed_ips': [{'ip_address': '10.0.0.6'}]},
        {'port_id': 'other', 'net_id': 'm', 'fixed_ips': []},
    ]
    free = networks_property.assign_ports(attachments, made)
    assert [attachment.port for attachment in attachments] == ['any', 'fixed', 'p']
    assert [each['port_id'] for each in free] == ['other']


def test_attachment_with_port_or_address_conflicts_with_the_same():
    port, address, simple = (
        networks_property.Attachment(net(port='p'), 'p'),
        networks_property.Attachment(net(network='n', fixed_ip='i')),
        networks_property.Attachment(net(network='n')),
    )
    wanted = [net(port='p'), net(network='n', fixed_ip='i'), net(network='n')]
    assert [attachment.conflicts_with(wanted) for attachment in (port, address, simple)] == [
        True,
        True,
        False,
    ]
    assert not address.conflicts_with([net(network='m', fixed_ip='i')])


# --------------------------------------------------------------- user data


def parts(text):
    return {
        part.get_filename(): (part.get_content_type(), part.get_payload(decode=True).decode())
        for part in email.message_from_string(text).get_payload()
    }


def test_user_data_for_cfntools_holds_all_parts():
    made = parts(
        user_data.for_cfntools(
            '#!/bin/sh\necho hellö\n', {'a': 1}, 'http://cfn.example.org:8000', ('1', '0')
        )
    )
    assert list(made) == [
        *(
            'cloud-config',
            'boothook.sh',
            'part-handler.py',
            'cfn-userdata',
            'loguserdata.py',
            'cfn-init-data',
        ),
        *('cfn-metadata-server', 'cfn-boto-cfg'),
    ]
    assert made['cfn-userdata'] == ('text/x-cfninitdata', '#!/bin/sh\necho hellö\n')
    assert made['cloud-config'][0] == 'text/cloud-config'
    assert json.loads(made['cfn-init-data'][1]) == {'a': 1}
    assert made['cfn-metadata-server'][1] == 'http://cfn.example.org:8000/v1/'
    assert 'is_secure = 1\nhttps_validate_certificates = 0' in made['cfn-boto-cfg'][1]
    assert made['cfn-boto-cfg'][1].endswith('cfn_region_endpoint = cfn.example.org')


def test_user_data_without_metadata_and_cfn_api_omits_parts():
    made = parts(user_data.for_cfntools('x', {}, None, ('0', '1')))
    assert list(made)[-2:] == ['cfn-userdata', 'loguserdata.py']


def test_user_data_for_software_holds_text_and_metadata():
    made = parts(user_data.for_software('#!/bin/sh\n', {'deployments': []}))
    assert list(made) == ['cloud-config', 'boothook.sh', 'part-handler.py', None, 'cfn-init-data']
    assert made[None] == ('text/plain', '#!/bin/sh\n')
    assert json.loads(made['cfn-init-data'][1]) == {'deployments': []}


def test_user_data_that_is_multipart_is_merged():
    inner = user_data.for_software('text', {})
    assert len(email.message_from_string(user_data.for_software(inner, {})).get_payload()) == 9


IGNITION = {'ignition': {'version': '2.2.0'}, 'storage': {'files': [{'path': '/etc/own'}]}}


def test_user_data_of_ignition_gets_the_metadata_as_files():
    metadata = {'deployments': [], 'os-collect-config': {'a b': 'ü/"'}}
    made = json.loads(user_data.for_software(json.dumps(IGNITION), metadata))
    own, *files = made['storage']['files']
    assert (made['ignition'], own) == (IGNITION['ignition'], {'path': '/etc/own'})
    assert files == [
        {
            'filesystem': 'root',
            'group': {'name': 'root'},
            'path': path,
            'user': {'name': 'root'},
            'contents': {
                'source': f'data:,{urllib.parse.quote(json.dumps(metadata))}',
                'verification': {},
            },
            'mode': 416,
        }
        for path in (
            '/var/lib/heat-cfntools/cfn-init-data',
            '/var/lib/cloud/data/cfn-init-data',
        )
    ]
    text = json.dumps({'ignition': {'version': '3.0.0'}})
    assert len(json.loads(user_data.for_software(text, metadata))['storage']['files']) == 2
    assert user_data.for_software(text, {}) == text, 'nothing to add'


@pytest.mark.parametrize(
    'text',
    [
        '{"ignition": {}}',
        '{"ignition": "2.2.0"}',
        '["ignition"]',
        '{"a": 1}',
        '{',
        '1',
        '[' * 99999,
    ],
    ids=lambda text: text[:20],
)
def test_user_data_of_other_json_is_a_part_of_a_message(text):
    assert parts(user_data.for_software(text, {'a': 1}))[None] == ('text/plain', text)


@pytest.mark.parametrize(
    'storage, said', [([], '"storage" section must be a map'), ({'files': {}}, '"files" section')]
)
def test_user_data_of_ignition_without_a_list_of_files_is_refused(storage, said):
    with pytest.raises(ValueError, match=said):
        user_data.for_software(json.dumps({**IGNITION, 'storage': storage}), {'a': 1})


def test_boot_scripts_compile(tmp_path):
    ast.parse(boot_scripts.PART_HANDLER)
    ast.parse(boot_scripts.RUN_USER_DATA)
    (tmp_path / 'hook').write_text(boot_scripts.BOOTHOOK)
    assert subprocess.run(['sh', '-n', tmp_path / 'hook'], check=False).returncode == 0


def test_user_script_is_run_and_its_output_logged(tmp_path):
    folders = {name: tmp_path / name for name in ('cfn-userdata', 'provision.log', 'finished')}
    program = boot_scripts.RUN_USER_DATA
    for place, path in zip(
        (
            '/var/lib/cloud/data/cfn-userdata',
            '/var/log/heat-provision.log',
            '/var/lib/heat-cfntools/provision-finished',
        ),
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


def test_part_handler_stores_data_parts_as_files(tmp_path):
    names = {}
    exec(boot_scripts.PART_HANDLER.replace('/var/lib', str(tmp_path)), names)
    assert names['list_types']() == ['text/x-cfninitdata']
    for kind, payload in (('__begin__', None), ('text/x-cfninitdata', 'hellö'), ('__end__', None)):
        names['handle_part'](None, kind, 'cfn-userdata', payload)
    for folder in ('heat-cfntools', 'cloud/data'):
        assert (tmp_path / folder / 'cfn-userdata').read_text() == 'hellö'
