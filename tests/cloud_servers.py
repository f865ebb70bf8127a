"""Nova in the fake cloud: servers that boot, change and are deleted."""

import base64
import ipaddress
import itertools
import json
import re
import uuid

from tests.cloud_actions import Refused, require, route

KNOWN = frozenset(
    'name description flavorRef imageRef networks metadata security_groups user_data '
    'key_name availability_zone config_drive OS-DCF:diskConfig adminPass tags '
    'block_device_mapping block_device_mapping_v2 accessIPv4 accessIPv6 host hostname '
    'hypervisor_hostname trusted_image_certificates'.split()
)
V2 = frozenset(
    'uuid source_type destination_type boot_index delete_on_termination volume_size volume_type '
    'guest_format device_name device_type disk_bus'.split()
)
NIC = frozenset(('uuid', 'port', 'fixed_ip', 'tag'))
CONSOLES = {'vnc': ('novnc',)}
MACS, ADDRESSES = itertools.count(16), itertools.count()


def seed(cloud):
    """Create objects that updates of servers refer to; return their ids."""
    return {
        'other_flavor': cloud.put(
            'compute', '/flavors', name='another flavor', id=str(uuid.uuid4())
        ),
        'other_image': cloud.put('image', '/images', name='another image', id=str(uuid.uuid4())),
        'server_with_port': _with_port(cloud),
        'free_port': cloud.put(
            'network', '/ports', name='free', network_id=_of(cloud, 'network', '/networks')
        ),
    }


#: properties of a sample server, and changes for its update; see ``samples``
SAMPLE = {
    'admin_pass': 'first',
    'block_device_mapping_v2': [
        {'volume_id': 'a volume', 'boot_index': 1},
        {'swap_size': 1},
        {'ephemeral_size': 1, 'ephemeral_format': 'ext4'},
        {'image': 'a images', 'volume_size': 1, 'boot_index': -1, 'volume_type': 'a volume_type'},
    ],
    'networks': [
        {'network': 'a network'},
        {'network': 'a network', 'port': '{free_port}', 'tag': 'mine'},
        {
            'subnet': 'a subnet',
            'fixed_ip': '10.1.0.7',
            'port_extra_properties': {'value_specs': {'description': 'special'}},
        },
    ],
    'metadata': {'text': 'one', 'number': 1},
    'name': 'one',
    'locked': True,
    'locked_reason': 'mine',
}
CHANGE = {
    'admin_pass': 'second',
    'flavor': '{other_flavor}',
    'flavor_update_policy': 'RESIZE',
    'image': '{other_image}',
    'image_update_policy': 'REBUILD_PRESERVE_EPHEMERAL',
    'networks': [
        {
            'subnet': 'a subnet',
            'fixed_ip': '10.1.0.7',
            'port_extra_properties': {'admin_state_up': False},
        },
        {'network': 'a network', 'fixed_ip': '10.1.0.8'},
    ],
    'metadata': {'text': 'other'},
}


def _with_port(cloud):
    one = cloud.put('compute', '/servers')
    cloud.put(
        'network',
        '/ports',
        name='used',
        device_id=one,
        network_id=_of(cloud, 'network', '/networks'),
    )
    return one


def _of(cloud, service, path):
    return next(each['id'] for each in cloud.of(service, path))


# --------------------------------------------------------------- create and delete


@route('compute', 'POST', r'/servers')
def boot(cloud, service, body, **_):
    given = body['server']
    if given.keys() - KNOWN or body.keys() - {'server', 'os:scheduler_hints'}:
        raise Refused(400, f'Additional properties are not allowed: {sorted(given.keys() - KNOWN)}')
    _valid(cloud, given)
    one = str(uuid.uuid4())
    server = {
        **{
            key: given.get(key)
            for key in (
                'name',
                'description',
                'key_name',
                'metadata',
                'tags',
                'user_data',
                'imageRef',
                'flavorRef',
                'accessIPv4',
                'accessIPv6',
            )
        },
        **{
            'id': one,
            'status': 'BUILD',
            'coming': ['ACTIVE'],
            'looks': cloud.looks,
            'OS-EXT-STS:task_state': None,
            'asked': body,
        },
    }
    server['metadata'], server['tags'] = server['metadata'] or {}, server['tags'] or []
    server['security_groups'] = given.get('security_groups') or [{'name': 'default'}]
    if '/servers' in cloud.sick:
        server.update(coming=['ERROR'], fault={'message': 'No valid host was found.', 'code': 500})
    cloud.objects[service, '/servers', one] = server
    for nic in given['networks'] if isinstance(given['networks'], list) else ():
        _plug(cloud, server, nic)
    return 202, {
        'server': {
            'id': one,
            'links': [],
            'adminPass': 'secret',
            'security_groups': [{'name': 'default'}],
        }
    }


def _valid(cloud, given):
    for key, where in (
        ('flavorRef', ('compute', '/flavors')),
        ('imageRef', ('image', '/images')),
        ('key_name', ('compute', '/os-keypairs')),
    ):
        if given.get(key) is not None and (*where, given[key]) not in cloud.objects:
            raise Refused(400, f'{key} {given[key]} could not be found.')
    if given.get('availability_zone') == '':
        raise Refused(400, "Invalid input for field/attribute availability_zone. Value: ''.")
    if 'networks' not in given:
        raise Refused(400, "'networks' is a required property")
    if any(not isinstance(value, str) for value in (given.get('metadata') or {}).values()):
        raise Refused(400, 'Invalid input for field/attribute metadata.')
    if given.get('user_data'):
        base64.b64decode(given['user_data'], validate=True)
    disks = given.get('block_device_mapping_v2') or ()
    if any(disk.keys() - V2 for disk in disks):
        raise Refused(400, 'Additional properties are not allowed')
    if disks and sum(disk.get('boot_index') == 0 for disk in disks) != 1:
        raise Refused(400, 'Block Device Mapping is Invalid: Boot sequence is not valid.')
    if not given.get('imageRef') and not disks and not given.get('block_device_mapping'):
        raise Refused(400, 'Invalid imageRef provided.')


def _plug(cloud, server, nic):
    """Attach the given port, or create one that is deleted with the server."""
    if nic.keys() - NIC:
        raise Refused(400, f'Additional properties are not allowed: {sorted(nic)}')
    if nic.get('port'):
        port = require(cloud, 'network', '/ports', nic['port'])
        if port.get('device_id'):
            raise Refused(409, f'Port {port["id"]} is still in use.')
    else:
        require(cloud, 'network', '/networks', nic['uuid'])
        made = cloud.put(
            'network',
            '/ports',
            network_id=nic['uuid'],
            name='',
            mac_address=f'fa:16:3e:00:01:{next(MACS) % 256:02x}',
        )
        port = cloud.objects['network', '/ports', made]
        port.update(of_nova=True, status='ACTIVE')
        port['fixed_ips'] = [
            {
                'subnet_id': _subnet(cloud, nic['uuid']),
                'ip_address': nic.get('fixed_ip') or _address(),
            }
        ]
    port.update(device_id=server['id'])
    return port


def _subnet(cloud, network):
    found = [
        each['id'] for each in cloud.of('network', '/subnets') if each.get('network_id') == network
    ]
    return found[0] if found else cloud.of('network', '/subnets')[0]['id']


def _address():
    return str(ipaddress.ip_address('10.1.0.10') + next(ADDRESSES))


def _ports(cloud, one):
    return [port for port in cloud.of('network', '/ports') if port.get('device_id') == one]


@route('compute', 'GET', r'/os-availability-zone')
@route('block-storage', 'GET', r'/os-availability-zone')
def list_zones(cloud, service, **_):
    return 200, {'availabilityZoneInfo': [{'zoneName': name} for name in ('nova', 'other')]}


def _named(cloud, service, query):
    """Return the servers whose names match the query, a regular expression."""
    pattern = re.compile(query.get('name', ''))
    return [each for each in cloud.of(service, '/servers') if pattern.search(each['name'] or '')]


@route('compute', 'GET', r'/servers')
def list_names(cloud, service, query, **_):
    found = _named(cloud, service, query)
    return 200, {'servers': [{key: each.get(key) for key in ('id', 'name')} for each in found]}


@route('compute', 'GET', r'/servers/detail')
def list_servers(cloud, service, query, **_):
    found = [_polled(cloud, each) for each in _named(cloud, service, query)]
    return 200, {'servers': [_shown(cloud, each) for each in found if each is not None]}


@route('compute', 'GET', r'/servers/(?P<one>[^/]+)')
def show_server(cloud, service, one, **_):
    server = _polled(cloud, require(cloud, service, '/servers', one))
    if server is None:
        raise Refused(404, f'Instance {one} could not be found.')
    return 200, {'server': _shown(cloud, server)}


def _polled(cloud, server):
    """Advance the server by one step per poll."""
    if server.get('looks', 0) > 0:
        server['looks'] -= 1
    elif server.get('dying'):
        _finish_delete(cloud, server['id'])
        return None
    elif server.get('coming'):
        server['status'], server['looks'] = server['coming'].pop(0), 0
        if not server['coming']:
            server['OS-EXT-STS:task_state'] = None
    return server


def _shown(cloud, server):
    hidden = 'coming looks dying asked imageRef flavorRef told late user_data'.split()
    flavor = cloud.objects.get(('compute', '/flavors', server.get('flavorRef'))) or {}
    said = {key: value for key, value in server.items() if key not in hidden}
    said['image'] = {'id': server['imageRef']} if server.get('imageRef') else ''
    said['flavor'] = {'original_name': flavor.get('name')}
    said['addresses'] = {}
    for port in _ports(cloud, server['id']):
        label = (
            cloud.objects.get(('network', '/networks', port.get('network_id')))
            or {'name': 'unknown'}
        )['name']
        floating = [
            each
            for each in cloud.of('network', '/floatingips')
            if each.get('port_id') == port['id']
        ]
        addresses = [
            (each.get('ip_address') or '10.1.0.9', 'fixed') for each in port.get('fixed_ips') or ()
        ]
        for address, kind in [
            *addresses,
            *((each['floating_ip_address'], 'floating') for each in floating),
        ]:
            one = {
                'addr': address,
                'version': 4,
                'OS-EXT-IPS:type': kind,
                'OS-EXT-IPS-MAC:mac_addr': port['mac_address'],
            }
            said['addresses'].setdefault(label, []).append(one)
    if server.get('late'):
        # the old addresses are shown for some time, as Nova does
        server['late'] -= 1
        said['addresses'] = server['told']
    return {
        'OS-EXT-SRV-ATTR:instance_name': 'instance-1',
        **said,
        'accessIPv4': said.get('accessIPv4') or '',
        'accessIPv6': said.get('accessIPv6') or '',
    }


def unlocked(cloud, one):
    """Return a server, unless a lock refuses actions on it."""
    server = require(cloud, 'compute', '/servers', one)
    if server.get('locked'):
        raise Refused(409, f'Instance {one} is locked')
    return server


@route('compute', 'DELETE', r'/servers/(?P<one>[^/]+)')
def delete_server(cloud, service, one, **_):
    unlocked(cloud, one).update(
        {'dying': True, 'looks': cloud.looks, 'OS-EXT-STS:task_state': 'deleting'}
    )
    return 204, None


def _finish_delete(cloud, one):
    del cloud.objects['compute', '/servers', one]
    for port in _ports(cloud, one):
        _unplug(cloud, port)


def _unplug(cloud, port):
    port['device_id'] = ''
    if port.get('of_nova'):
        del cloud.objects['network', '/ports', port['id']]


# --------------------------------------------------------------- actions


@route('compute', 'PUT', r'/servers/(?P<one>[^/]+)')
def update_server(cloud, service, one, body, **_):
    if body['server'].keys() - {'name', 'accessIPv4', 'accessIPv6', 'description', 'hostname'}:
        raise Refused(400, 'Additional properties are not allowed')
    server = unlocked(cloud, one)
    server.update(body['server'])
    return 200, {'server': _shown(cloud, server)}


@route('compute', 'PUT', r'/servers/(?P<one>[^/]+)/(?P<what>metadata|tags)')
def replace_values(cloud, service, one, what, body, **_):
    unlocked(cloud, one)[what] = body[what]
    return 200, body


@route('compute', 'POST', r'/servers/(?P<one>[^/]+)/action')
def act_on_server(cloud, service, one, body, **_):
    ((name, args),) = body.items()
    if name in ('lock', 'unlock'):
        reason = (args or {}).get('locked_reason')
        locked = {'locked': name == 'lock', 'locked_reason': reason}
        require(cloud, service, '/servers', one).update(locked)
        return 202, None
    server = unlocked(cloud, one)
    if name.endswith('SecurityGroup'):
        groups = server['security_groups']
        if name == 'addSecurityGroup':
            groups.append(args)
        elif args in groups:
            groups.remove(args)
        else:
            raise Refused(404, f'Security group {args["name"]} not associated')
        return 202, None
    # action -> required status, status at once, final status
    needs, now, coming = {
        'resize': ('ACTIVE', 'RESIZE', ['VERIFY_RESIZE']),
        'confirmResize': ('VERIFY_RESIZE', 'VERIFY_RESIZE', ['ACTIVE']),
        'rebuild': ('ACTIVE', 'REBUILD', ['ACTIVE']),
        'suspend': ('ACTIVE', 'ACTIVE', ['SUSPENDED']),
        'resume': ('SUSPENDED', 'SUSPENDED', ['ACTIVE']),
        'os-stop': ('ACTIVE', 'ACTIVE', ['SHUTOFF']),
        'os-start': ('SHUTOFF', 'SHUTOFF', ['ACTIVE']),
        'changePassword': ('ACTIVE', 'ACTIVE', []),
        'createImage': ('ACTIVE', 'ACTIVE', []),
    }[name]
    if server['status'] != needs:
        raise Refused(
            409,
            f"Cannot '{name}' instance {one} while it is in vm_state {server['status'].lower()}",
        )
    if name == 'resize' and cloud.state.get('no room'):
        coming = ['ACTIVE']
    elif name in ('resize', 'rebuild'):
        key = 'flavorRef' if name == 'resize' else 'imageRef'
        require(
            cloud,
            *(('compute', '/flavors') if name == 'resize' else ('image', '/images')),
            args[key],
        )
        server[key] = args[key]
    server.update(
        {
            'status': now,
            'coming': coming,
            'looks': cloud.looks,
            'OS-EXT-STS:task_state': name if coming else None,
        }
    )
    if name == 'createImage':
        return 202, {'image_id': _create_image(cloud, server, args['name'])}
    return 202, None


def _create_image(cloud, server, name):
    """Create an image; that of a server with volumes refers to volume snapshots."""
    disks = [
        each
        for each in server['asked']['server'].get('block_device_mapping_v2', ())
        if each.get('source_type') == 'volume'
    ]
    told = [
        {
            'snapshot_id': cloud.put(
                'block-storage', '/snapshots', volume_id=each['uuid'], status='available'
            )
        }
        for each in disks
    ]
    more = {'block_device_mapping': json.dumps(told)} if told else {}
    return cloud.put('image', '/images', id=str(uuid.uuid4()), name=name, status='active', **more)


@route('compute', 'GET', r'/servers/(?P<one>[^/]+)/os-interface')
def interfaces(cloud, service, one, **_):
    require(cloud, service, '/servers', one)
    return 200, {'interfaceAttachments': [_interface(port) for port in _ports(cloud, one)]}


@route('compute', 'GET', r'/servers/(?P<one>[^/]+)/os-interface/(?P<port>[^/]+)')
def show_interface(cloud, service, one, port, **_):
    found = cloud.objects.get(('network', '/ports', port)) or {}
    if found.get('device_id') != one:
        raise Refused(404, f'Instance {one} is not attached to port {port}.')
    return 200, {'interfaceAttachment': _interface(found)}


@route('compute', 'POST', r'/servers/(?P<one>[^/]+)/os-interface')
def attach_interface(cloud, service, one, body, **_):
    given = body['interfaceAttachment']
    port = cloud.objects.get(('network', '/ports', given.get('port_id'))) or {}
    if port.get('device_id') not in (None, '', one):
        raise Refused(409, f'Port {port["id"]} is still in use.')
    nic = {'uuid': given.get('net_id'), 'port': given.get('port_id'), 'tag': given.get('tag')}
    if not (nic['uuid'] or nic['port']):
        nic['uuid'] = _of(cloud, 'network', '/networks')
    if given.get('fixed_ips'):
        nic['fixed_ip'] = given['fixed_ips'][0]['ip_address']
    port = _plug(
        cloud,
        unlocked(cloud, one),
        {key: value for key, value in nic.items() if value},
    )
    return 200, {'interfaceAttachment': _interface(port)}


@route('compute', 'DELETE', r'/servers/(?P<one>[^/]+)/os-interface/(?P<port>[^/]+)')
def detach_interface(cloud, service, one, port, **_):
    found = require(cloud, 'network', '/ports', port)
    if found.get('device_id') != one:
        raise Refused(404, f'Instance {one} is not attached to port {port}.')
    server = unlocked(cloud, one)
    server.update(told=_shown(cloud, server)['addresses'], low_priority=cloud.looks)
    _unplug(cloud, found)
    return 202, None


def _interface(port):
    said = {'port_id': port['id'], 'net_id': port['network_id'], 'mac_addr': port['mac_address']}
    return {**said, 'fixed_ips': port.get('fixed_ips') or []}


@route('compute', 'POST', r'/servers/(?P<one>[^/]+)/remote-consoles')
def console(cloud, service, one, body, **_):
    asked = body['remote_console']
    if asked['type'] not in CONSOLES.get(asked['protocol'], ()):
        raise Refused(400, f'Unavailable console type {asked["type"]}.')
    return 200, {'remote_console': {**asked, 'url': f'http://console/{one}'}}
