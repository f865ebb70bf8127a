"""Actions of the fake cloud's services, and side effects of creates, updates and deletes."""

import functools
import re
import zlib

ROUTES = []


class Refused(Exception):
    """An error response."""

    def __init__(self, status, message, headers=()):
        super().__init__(message)
        self.status = status
        self.headers = dict(headers)


def route(service, method, pattern):
    """Register a function for requests whose path matches; groups of the pattern are its
    arguments.
    """

    def add(function):
        ROUTES.append((service, method, re.compile(pattern), function))
        return function

    return add


def find(service, method, path):
    for owner, wanted, pattern, function in ROUTES:
        match = pattern.fullmatch(path)
        if (owner, wanted) == (service, method) and match:
            return functools.partial(function, **match.groupdict())
    return None


def after_create(cloud, service, where, values):
    """Apply the side effects of a create."""
    if where == '/security-groups':
        for family in ('IPv4', 'IPv6'):
            rule = {'security_group_id': values['id'], 'direction': 'egress', 'ethertype': family}
            cloud.put('network', '/security-group-rules', **rule)
    if where == '/subnets' and not values.get('cidr'):
        values['cidr'] = '10.99.0.0/24'
    if where == '/qos-specs':
        _gather_specs(values)
    if where.endswith(('/application_credentials', '/trusts')):
        _show_delegation(values, implied=['reader'] if where[1:6] == 'users' else [])
    for key, shown in (('loadbalancer_id', 'loadbalancers'), ('pool_id', 'pools')):
        if shown in values and values.get(key):
            values[shown] = [{'id': values[key]}]
    if where.endswith('/recordsets'):
        values['zone_name'] = require(cloud, service, '/zones', where.split('/')[2])['name']
    if where == '/os-keypairs' and not values.get('public_key'):
        values['private_key'] = 'PRIVATE'
        values['public_key'] = 'ssh-rsa made'


def _gather_specs(values):
    """Show specs under a key of their own, and their consumer beside them, as Cinder does."""
    names = [name for name in values if name not in ('id', 'name', 'consumer', 'specs')]
    values['specs'] = {**(values.get('specs') or {}), **{each: values.pop(each) for each in names}}
    values['consumer'] = values['consumer'] or 'back-end'


def _show_delegation(values, implied):
    """Show roles by id and name, and the time of the end in full, as Keystone does."""
    given = [each.get('name') or each['id'] for each in values['roles'] or ()]
    values['roles'] = [{'id': f'id of {each}', 'name': each} for each in [*given, *implied]]
    if values['expires_at']:
        values['expires_at'] = f'{values["expires_at"]}.000000Z'


def after_update(cloud, service, where, found, values):
    """Apply the side effects of an update."""
    if where == '/qos-specs':
        _gather_specs(found)
    if where == '/floatingips' and found.get('port_id') is None:
        found['fixed_ip_address'] = None
    if service == 'shared-file-system':
        for name in ('display_name', 'display_description'):
            found[name.removeprefix('display_')] = values.get(
                name, found.get(name.removeprefix('display_'))
            )
    if 'extra_dhcp_opts' in values:
        options = (each for each in values['extra_dhcp_opts'] if each.get('opt_value') is not None)
        found['extra_dhcp_opts'] = list(options)


def after_delete(cloud, service, where, one):
    for name in ('agents', 'related', 'shared', 'members', 'associated'):
        cloud.state[name] = {each for each in cloud.state.get(name, ()) if one not in str(each)}
    if where == '/security-groups':
        for key in [
            key
            for key, each in cloud.objects.items()
            if key[1] == '/security-group-rules' and each['security_group_id'] == one
        ]:
            del cloud.objects[key]

    for name in ('specs', 'rules'):
        cloud.state.pop((name, one), None)


def require(cloud, service, where, one):
    found = cloud.objects.get((service, where, one))
    if found is None:
        raise Refused(404, f'{where}/{one} could not be found.')
    return found


# --------------------------------------------------------------- network


@route('network', 'GET', r'/security-groups/(?P<one>[^/]+)')
def show_group(cloud, service, one, **_):
    group = require(cloud, service, '/security-groups', one)
    return 200, {'security_group': {**group, **rules_of(cloud, one)}}


def rules_of(cloud, one):
    rules = cloud.of('network', '/security-group-rules')
    return {'security_group_rules': [each for each in rules if each['security_group_id'] == one]}


@route('network', 'POST', r'/security-group-rules')
def create_rules(cloud, service, body, **_):
    """Create one rule, or all rules of a list: none if the group has an equivalent of one."""
    where, many = '/security-group-rules', body.get('security_group_rules')
    some = [body['security_group_rule']] if many is None else many
    keys = [_traffic(each) for each in (*some, *cloud.of(service, where))]
    if len(set(keys)) < len(keys):
        raise Refused(409, 'Security group rule already exists.')
    if many is None:
        return cloud.create(service, where, body)
    made = [cloud.create(service, where, {'security_group_rule': each})[1] for each in many]
    return 201, {'security_group_rules': [each['security_group_rule'] for each in made]}


def _traffic(rule):
    """Return the traffic that a rule allows: 0.0.0.0/0 is no restriction."""
    values = {key: value for key, value in rule.items() if value not in (None, '', '0.0.0.0/0')}
    known = ('security_group_id', 'direction', 'protocol', 'port_range_min', 'remote_ip_prefix')
    return tuple(values.get(key) for key in (*known, 'remote_group_id', 'ethertype'))


@route('network', 'PUT', r'/(?P<where>[\w-]+)/(?P<one>[^/]+)/tags')
def tag(cloud, service, where, one, body, **_):
    path = '/qos/policies' if where == 'policies' else f'/{where}'
    require(cloud, service, path, one)['tags'] = body['tags']
    return 200, body


@route('network', 'PUT', r'/routers/(?P<one>[^/]+)/add_router_interface')
def add_interface(cloud, service, one, body, **_):
    router = require(cloud, service, '/routers', one)
    ((name, value),) = body.items()
    require(cloud, service, {'subnet_id': '/subnets', 'port_id': '/ports'}[name], value)
    cloud.state.setdefault('interfaces', set()).add((router['id'], value))
    return 200, {'id': router['id'], name: value}


def _with_addresses(port):
    """Return a port as Neutron shows it: each of its fixed_ips has an address."""
    number = zlib.crc32(port['id'].encode())
    address = f'10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}'
    known = [{'ip_address': address, **each} for each in port.get('fixed_ips') or ()]
    return {**port, 'fixed_ips': known}


@route('network', 'GET', r'/ports')
def list_ports(cloud, service, query, **_):
    """List ports, those of routers in subnets included."""
    row = next(each for each in cloud.rows if (each.service, each.path) == (service, '/ports'))
    status, answer = cloud._list(row, '/ports', query)
    answer['ports'] = [_with_addresses(port) for port in answer['ports']]
    for router, value in cloud.state.get('interfaces', ()) if 'device_id' in query else ():
        if router == query['device_id']:
            answer['ports'].append(
                {
                    'id': value,
                    'device_id': router,
                    'fixed_ips': [{'subnet_id': value, 'ip_address': '10.0.0.1'}],
                }
            )
    return status, answer


@route('network', 'PUT', r'/routers/(?P<one>[^/]+)/remove_router_interface')
def remove_interface(cloud, service, one, body, **_):
    require(cloud, service, '/routers', one)
    ((_, value),) = body.items()
    if (one, value) not in cloud.state.get('interfaces', ()):
        raise Refused(404, f'Router {one} has no interface on {value}')
    cloud.state['interfaces'].discard((one, value))
    return 200, {'id': one}


@route('network', 'PUT', r'/routers/(?P<one>[^/]+)/(?P<what>add|remove)_extraroutes')
def extra_routes(cloud, service, one, what, body, **_):
    router = require(cloud, service, '/routers', one)
    routes = body['router']['routes']
    kept = [each for each in router['routes'] if each not in routes]
    router['routes'] = [*kept, *routes] if what == 'add' else kept
    return 200, {'router': router}


@route('network', 'GET', r'/(?P<where>[\w-]+)/(?P<one>[^/]+)/(?:bgp-dr|dhcp-|l3-)agents')
def agents_of(cloud, service, where, one, **_):
    require(cloud, service, f'/{where}', one)
    return 200, {
        'agents': [
            {'id': agent} for agent, other in sorted(cloud.state.get('agents', ())) if other == one
        ]
    }


@route('network', 'POST', r'/agents/(?P<agent>[^/]+)/(?:bgp-drinstances|dhcp-networks|l3-routers)')
def add_agent(cloud, service, agent, body, **_):
    require(cloud, service, '/agents', agent)
    ((_, value),) = body.items()
    cloud.state.setdefault('agents', set()).add((agent, value))
    return 201, None


@route('network', 'DELETE', r'/agents/(?P<agent>[^/]+)/[\w-]+/(?P<one>[^/]+)')
def remove_agent(cloud, service, agent, one, **_):
    cloud.state['agents'].discard((agent, one))
    return 204, None


@route('network', 'PUT', r'/address-groups/(?P<one>[^/]+)/(?P<what>add|remove)_addresses')
def change_addresses(cloud, service, one, what, body, **_):
    group = require(cloud, service, '/address-groups', one)
    kept = [each for each in group['addresses'] if each not in body['addresses']]
    group['addresses'] = [*kept, *body['addresses']] if what == 'add' else kept
    return 200, {'address_group': group}


BGP_LINK = r'/bgp-speakers/(?P<one>[^/]+)/(?P<what>add|remove)_(bgp|gateway)_(?P<noun>\w+)'


@route('network', 'PUT', BGP_LINK)
def change_speaker(cloud, service, one, what, noun, body, **_):
    links = require(cloud, service, '/bgp-speakers', one)[f'{noun}s']
    ((_, value),) = body.items()
    require(cloud, service, {'peer': '/bgp-peers', 'network': '/networks'}[noun], value)
    (links.append if what == 'add' else links.remove)(value)
    return 200, body


@route('network', 'PUT', r'/network-gateways/(?P<one>[^/]+)/(?P<what>connect|disconnect)_network')
def add_members(cloud, service, one, what, body, **_):
    require(cloud, service, '/networks', body['network_id'])
    connections = require(cloud, service, '/network-gateways', one)['connections']
    if what == 'disconnect' and body not in connections:
        raise Refused(404, f'There is no such connection: {body}')
    (connections.append if what == 'connect' else connections.remove)(body)
    return 200, {'connection_info': body}


@route('network', 'PUT', r'/trunks/(?P<one>[^/]+)/(?P<what>add|remove)_subports')
def remove_members(cloud, service, one, what, body, **_):
    trunk = require(cloud, service, '/trunks', one)
    ids = {each['port_id'] for each in body['sub_ports']}
    kept = [each for each in trunk['sub_ports'] if each['port_id'] not in ids]
    trunk['sub_ports'] = [*kept, *body['sub_ports']] if what == 'add' else kept
    return 200, trunk


# --------------------------------------------------------------- quotas


def quotas(service, path, key, method='PUT'):
    """Register the quota of a project; without a stored one the defaults apply."""
    pattern = rf'{path}/(?P<project>[^/]+)'

    @route(service, 'GET', pattern)
    def show(cloud, service, project, **_):
        found = cloud.state.get(('quota', service, project), {'id': project})
        return 200, {key: found} if key else found

    @route(service, method, pattern)
    def change(cloud, service, project, body, **_):
        cloud.state.setdefault(('quota', service, project), {}).update(body[key] if key else body)
        return 200, body

    @route(service, 'DELETE', pattern)
    def delete_quota(cloud, service, project, **_):
        if cloud.state.pop(('quota', service, project), None) is None:
            raise Refused(404, f'Quota of {project} could not be found.')
        return 204, None


@route('compute', 'GET', '/limits')
def limits(cloud, service, **_):
    return 200, {'limits': {'absolute': {'maxServerMeta': 128}}}


@route('database', 'GET', '/datastores/(?P<datastore>[^/]+)/versions')
def versions(cloud, service, datastore, **_):
    if datastore == 'unknown':
        raise Refused(404, f'Datastore {datastore} cannot be found.')
    return 200, {'versions': [{'name': 'one'}, {'name': 'two'}]}


quotas('network', '/quotas', 'quota')
quotas('block-storage', '/os-quota-sets', 'quota_set')
quotas('compute', '/os-quota-sets', 'quota_set')
quotas('load-balancer', '/lbaas/quotas', 'quota')
quotas('dns', '/quotas', None, 'PATCH')
quotas('shared-file-system', '/quota-sets', 'quota_set')
quotas('key-manager', '/project-quotas', 'project_quotas')


@route('dns', 'POST', r'/zones/(?P<zone>[^/]+)/tasks/transfer_requests')
def request_transfer(cloud, service, zone, body, **_):
    require(cloud, service, '/zones', zone)
    return cloud.create(service, '/zones/tasks/transfer_requests', {**body, 'zone_id': zone})


def _pointer(cloud, one):
    address = require(cloud, 'network', '/floatingips', one)['floating_ip_address']
    shown = {'id': f'r:{one}', 'address': address, 'ptrdname': None, 'status': 'INACTIVE'}
    return {**shown, **cloud.state.get('pointers', {}).get(one, {})}


@route('dns', 'GET', '/reverse/floatingips')
def list_pointers(cloud, service, **_):
    found = [_pointer(cloud, each['id']) for each in cloud.of('network', '/floatingips')]
    return 200, {'floatingips': found}


@route('dns', 'GET', r'/reverse/floatingips/r:(?P<one>[^/]+)')
def show_pointer(cloud, service, one, **_):
    return 200, _pointer(cloud, one)


@route('dns', 'PATCH', r'/reverse/floatingips/r:(?P<one>[^/]+)')
def set_pointer(cloud, service, one, body, **_):
    pointers = cloud.state.setdefault('pointers', {})
    values = {**pointers.pop(one, {}), **body, 'status': 'ACTIVE'}
    if values['ptrdname'] is None:
        return 202, None
    pointers[one] = values
    return 202, _pointer(cloud, one)


@route('container-infra', 'POST', r'/clusters/(?P<cluster>[^/]+)/actions/resize')
def resize(cloud, service, cluster, body, **_):
    group = require(cloud, service, f'/clusters/{cluster}/nodegroups', body['nodegroup'])
    group['node_count'] = body['node_count']
    return 202, {'uuid': cluster}


# --------------------------------------------------------------- identity


ENDPOINT_GROUPS = '/OS-EP-FILTER/endpoint_groups'
GRANT = r'/(?:projects|domains)/[^/]+/(?:users|groups)/[^/]+/roles/[^/]+'
ASSIGNMENT = (
    rf'(?P<path>{GRANT}|/groups/[^/]+/users/[^/]+|/roles/[^/]+/implies/[^/]+'
    rf'|/OS-INHERIT{GRANT}/inherited_to_projects'
    r'|/OS-EP-FILTER/endpoint_groups/[^/]+/projects/[^/]+)'
)


@route(
    'identity',
    'PUT',
    ASSIGNMENT,
)
def assign(cloud, service, path, **_):
    _require_all(cloud, service, path)
    cloud.state.setdefault('related', set()).add(path)
    return 204, None


@route('identity', 'GET', r'/users/(?P<one>[^/]+)/groups')
def list_groups(cloud, service, one, **_):
    parts = [each.split('/') for each in sorted(cloud.state.get('related', ()))]
    found = [each[2] for each in parts if each[1] == 'groups' and each[3:] == ['users', one]]
    return 200, {'groups': [{'id': each} for each in found]}


@route('identity', 'HEAD', ASSIGNMENT)
def is_assigned(cloud, service, path, **_):
    if path not in cloud.state.get('related', ()):
        raise Refused(404, f'{path} could not be found.')
    return 204, None


@route(
    'identity',
    'DELETE',
    ASSIGNMENT,
)
def unassign(cloud, service, path, **_):
    if path not in cloud.state.get('related', ()):
        raise Refused(404, f'{path} could not be found.')
    cloud.state['related'].discard(path)
    return 204, None


def _require_all(cloud, service, path):
    path = re.sub('^/OS-(INHERIT|EP-FILTER)|/inherited_to_projects$', '', path)
    words, other = path.split('/')[1:], {'implies': '/roles', 'endpoint_groups': ENDPOINT_GROUPS}
    for where, one in zip(words[::2], words[1::2], strict=True):
        require(cloud, service, other.get(where, f'/{where}'), one)


@route('identity', 'POST', ENDPOINT_GROUPS)
def make_endpoint_group(cloud, service, body, **_):
    filters = body['endpoint_group'].get('filters') or {}
    if not filters or filters.keys() - {'interface', 'region_id', 'service_id'}:
        raise Refused(400, f'Invalid input for filters: {filters}')
    return cloud.create(service, ENDPOINT_GROUPS, body)


@route('identity', 'POST', r'(?P<where>/registered_limits|/limits)')
def make_limits(cloud, service, where, body, **_):
    """Create limits, which requests and responses hold in lists."""
    ((keys, values),) = body.items()
    made = [cloud.create(service, where, {keys[:-1]: each})[1][keys[:-1]] for each in values]
    return 201, {keys: made}


@route('identity', 'PUT', r'/domains/(?P<one>[^/]+)/config')
def configure_domain(cloud, service, one, body, **_):
    require(cloud, service, '/domains', one)['config'] = body['config']
    return 201, body


@route('identity', 'GET', r'/domains/(?P<one>[^/]+)/config')
def show_domain_config(cloud, service, one, **_):
    """Show the options of a domain but its passwords."""
    found = require(cloud, service, '/domains', one).get('config')
    if not found:
        raise Refused(404, f'Could not find domain configuration of {one}.')
    shown = {
        group: {name: value for name, value in options.items() if name != 'password'}
        for group, options in found.items()
    }
    return 200, {'config': shown}


@route('identity', 'DELETE', r'/domains/(?P<one>[^/]+)/config')
def delete_domain_config(cloud, service, one, **_):
    require(cloud, service, '/domains', one)['config'] = None
    return 204, None


@route('identity', 'DELETE', r'/domains/(?P<one>[^/]+)')
def delete_domain(cloud, service, one, **_):
    if require(cloud, service, '/domains', one)['enabled']:
        raise Refused(
            403, f'Cannot delete a domain that is enabled, please disable it first: {one}'
        )
    del cloud.objects[service, '/domains', one]
    return 204, None


# --------------------------------------------------------------- volumes


@route('block-storage', 'POST', r'/volumes')
def make_volume(cloud, service, body, **_):
    """Create a volume; scheduler hints are separate from its body."""
    if body.keys() - {'volume', 'OS-SCH-HNT:scheduler_hints'}:
        raise Refused(400, 'Additional properties are not allowed')
    if body['volume'].get('availability_zone') == '':
        raise Refused(400, "Invalid input for field/attribute availability_zone. Value: ''.")
    return cloud.create(service, '/volumes', {'volume': body['volume']})


@route('block-storage', 'POST', r'/volumes/(?P<one>[^/]+)/action')
def act_on_volume(cloud, service, one, body, **_):
    volume = require(cloud, service, '/volumes', one)
    if volume['status'] not in ('available', 'in-use'):
        raise Refused(400, f'Invalid volume: it is {volume["status"]}')
    ((name, args),) = body.items()
    if name == 'os-extend':
        if args['new_size'] <= volume['size']:
            raise Refused(
                400,
                'Invalid input received: New size for extend must be greater than current size.',
            )
        volume.update(size=args['new_size'])
    elif name == 'os-retype':
        volume.update(volume_type=args['new_type'])
    elif name == 'os-volume_upload_image':
        image = cloud.create('image', '/images', {'name': args['image_name'], 'checksum': 'c'})[1]
        cloud.objects['image', '/images', image['id']]['status'] = 'active'
        return 202, {name: {'image_id': image['id'], 'status': 'uploading'}}
    elif name == 'os-update_readonly_flag':
        volume['metadata'] = {**(volume['metadata'] or {}), 'readonly': str(args['readonly'])}
    else:
        raise Refused(400, f'There is no action {name}')
    volume.update(status='creating', looks=cloud.looks)
    return 202, None


@route('block-storage', 'PUT', r'(?P<where>/volumes|/snapshots)/(?P<one>[^/]+)/metadata')
@route('shared-file-system', 'PUT', r'(?P<where>/shares|/snapshots)/(?P<one>[^/]+)/metadata')
def label(cloud, service, where, one, body, **_):
    found = require(cloud, service, where, one)
    own = {key: value for key, value in (found['metadata'] or {}).items() if key == 'readonly'}
    found['metadata'] = {**body['metadata'], **own}
    return 200, body


@route('block-storage', 'POST', r'/backups')
def back_up(cloud, service, body, **_):
    require(cloud, service, '/volumes', body['backup']['volume_id'])
    status, answer = cloud.create(service, '/backups', body)
    cloud.objects[service, '/backups', answer['backup']['id']]['status'] = 'available'
    return status, answer


@route('block-storage', 'POST', r'/groups/(?P<one>[^/]+)/action')
def delete_group(cloud, service, one, body, **_):
    group = require(cloud, service, '/groups', one)
    if set(split_ids(group, 'add_volumes')) - set(split_ids(group, 'remove_volumes')):
        raise Refused(400, f'Group {one} still contains volumes.')
    assert body == {'delete': {'delete-volumes': False}}
    group.update(status='deleting', looks=cloud.looks, dying=True)
    return 202, None


@route('block-storage', 'GET', r'/groups/(?P<one>[0-9a-f-]{36})')
def show_group_with_volumes(cloud, service, one, **_):
    row = next(each for each in cloud.rows if (each.service, each.path) == (service, '/groups'))
    found = require(cloud, service, '/groups', one)
    held = set(split_ids(found, 'add_volumes')) - set(split_ids(found, 'remove_volumes'))
    status, answer = cloud._show(row, '/groups', one, found)
    return status, {'group': {**answer['group'], 'volumes': sorted(held)}}


def split_ids(values, name):
    return (values.get(name) or '').split(',') if values.get(name) else []


@route('block-storage', 'POST', r'/volume-transfers/(?P<one>[^/]+)/accept')
def accept_transfer(cloud, service, one, body, **_):
    found = require(cloud, service, '/volume-transfers', one)
    if body['accept']['auth_key'] != found['auth_key']:
        raise Refused(400, 'Attempt to transfer volume with invalid auth key.')
    del cloud.objects[service, '/volume-transfers', one]
    cloud.objects[service, '/volumes', found['volume_id']].pop('foreign', None)
    return 202, {'transfer': {'id': one, 'volume_id': found['volume_id']}}


@route('block-storage', 'GET', r'/types/(?P<one>[^/]+)/os-volume-type-access')
@route('compute', 'GET', r'/flavors/(?P<one>[^/]+)/os-flavor-access')
def list_access(cloud, service, one, **_):
    """List the projects that a private type is shared with."""
    is_volume = service == 'block-storage'
    key = 'volume_type_access' if is_volume else 'flavor_access'
    noun, shared = 'project_id' if is_volume else 'tenant_id', cloud.state.get('shared', ())
    return 200, {key: [{noun: project} for kind, project in shared if kind == one]}


@route('block-storage', 'POST', r'/backups/(?P<one>[^/]+)/restore')
def restore(cloud, service, one, body, **_):
    require(cloud, service, '/backups', one)
    volume = require(cloud, service, '/volumes', body['restore']['volume_id'])
    if volume['status'] != 'available':
        raise Refused(400, 'Invalid volume: Volume to be restored to must be available')
    volume.update(status='creating', looks=cloud.looks, restored=one)
    return 202, {'restore': body['restore']}


@route('block-storage', 'POST', r'/types/(?P<one>[^/]+)/extra_specs')
@route('shared-file-system', 'POST', r'/types/(?P<one>[^/]+)/extra_specs')
def add_specs(cloud, service, one, body, **_):
    require(cloud, service, '/types', one)['extra_specs'].update(body['extra_specs'])
    return 200, body


@route('block-storage', 'DELETE', r'/types/(?P<one>[^/]+)/extra_specs/(?P<name>[^/]+)')
@route('shared-file-system', 'DELETE', r'/types/(?P<one>[^/]+)/extra_specs/(?P<name>[^/]+)')
def delete_spec(cloud, service, one, name, **_):
    if require(cloud, service, '/types', one)['extra_specs'].pop(name, None) is None:
        raise Refused(404, f'Volume type {one} has no extra specs with key {name}.')
    return 202, None


@route('block-storage', 'POST', r'/types/(?P<one>[^/]+)/encryption')
def encrypt(cloud, service, one, body, **_):
    require(cloud, service, '/types', one)
    if not body['encryption'].get('provider'):
        raise Refused(400, 'provider is required')
    cloud.state['encryption', one] = {
        'encryption_id': 'e',
        'volume_type_id': one,
        **body['encryption'],
    }
    return 200, {'encryption': cloud.state['encryption', one]}


@route('block-storage', 'GET', r'/types/(?P<one>[^/]+)/encryption')
def encryption(cloud, service, one, **_):
    return 200, cloud.state.get(('encryption', one), {})


@route('block-storage', 'PUT', r'/types/(?P<one>[^/]+)/encryption/[^/]+')
def change_encryption(cloud, service, one, body, **_):
    cloud.state['encryption', one].update(body['encryption'])
    return 200, body


@route('block-storage', 'DELETE', r'/types/(?P<one>[^/]+)/encryption/[^/]+')
def delete_encryption(cloud, service, one, **_):
    if cloud.state.pop(('encryption', one), None) is None:
        raise Refused(404, f'Volume type encryption for type {one} does not exist.')
    return 202, None


@route('block-storage', 'PUT', r'/qos-specs/(?P<one>[^/]+)/delete_keys')
def delete_specs(cloud, service, one, body, **_):
    specs = require(cloud, service, '/qos-specs', one)
    for name in body['keys']:
        del specs['specs'][name]
    return 202, None


@route('block-storage', 'GET', r'/qos-specs/(?P<one>[^/]+)/(?P<what>associate|disassociate)')
def associate(cloud, service, one, what, query, **_):
    require(cloud, service, '/qos-specs', one)
    require(cloud, service, '/types', query['vol_type_id'])
    pairs = cloud.state.setdefault('associated', set())
    (pairs.add if what == 'associate' else pairs.discard)((one, query['vol_type_id']))
    return 202, None


@route('block-storage', 'GET', r'/qos-specs/(?P<one>[^/]+)/associations')
def associations(cloud, service, one, **_):
    require(cloud, service, '/qos-specs', one)
    pairs = sorted(cloud.state.get('associated', ()))
    shown = [
        {'association_type': 'volume_type', 'id': each} for specs, each in pairs if specs == one
    ]
    return 200, {'qos_associations': shown}


# --------------------------------------------------------------- servers


@route('compute', 'POST', r'/servers/(?P<one>[^/]+)/os-volume_attachments')
def attach_volume(cloud, service, one, body, **_):
    require(cloud, service, '/servers', one)
    volume = require(cloud, 'block-storage', '/volumes', body['volumeAttachment']['volumeId'])
    if volume['status'] != 'available':
        raise Refused(400, f'Invalid volume: it is {volume["status"]}')
    volume.update(status='in-use', attachments=[{'server_id': one}])
    return 200, {'volumeAttachment': {'volumeId': volume['id'], 'serverId': one}}


@route('compute', 'GET', r'/servers/(?P<one>[^/]+)/os-volume_attachments')
def list_attachments(cloud, service, one, **_):
    require(cloud, service, '/servers', one)
    mine = [
        each
        for each in cloud.of('block-storage', '/volumes')
        if {'server_id': one} in (each['attachments'] or ())
    ]
    return 200, {'volumeAttachments': [{'volumeId': each['id'], 'serverId': one} for each in mine]}


@route('compute', 'PUT', r'/servers/(?P<one>[^/]+)/os-volume_attachments/(?P<volume>[^/]+)')
def change_attachment(cloud, service, one, volume, body, **_):
    found = require(cloud, 'block-storage', '/volumes', volume)
    if {'server_id': one} not in (found['attachments'] or ()):
        raise Refused(404, f'volume_id not found: {volume}')
    if body['volumeAttachment'].keys() != {'volumeId', 'delete_on_termination'}:
        raise Refused(400, 'Additional properties are not allowed')
    return 202, None


@route('compute', 'DELETE', r'/servers/(?P<one>[^/]+)/os-volume_attachments/(?P<volume>[^/]+)')
def detach_volume(cloud, service, one, volume, **_):
    found = require(cloud, 'block-storage', '/volumes', volume)
    if {'server_id': one} not in (found['attachments'] or ()):
        raise Refused(404, f'volume_id not found: {volume}')
    found.update(status='available', attachments=[])
    return 202, None


@route('compute', 'POST', r'/flavors/(?P<one>[^/]+)/os-extra_specs')
def add_extra_specs(cloud, service, one, body, **_):
    require(cloud, service, '/flavors', one)
    if not all(isinstance(value, str) for value in body['extra_specs'].values()):
        raise Refused(400, 'Invalid input for field/attribute extra_specs.')
    cloud.state.setdefault(('specs', one), {}).update(body['extra_specs'])
    return 200, body


@route('compute', 'GET', r'/flavors/(?P<one>[^/]+)/os-extra_specs')
def show_extra_specs(cloud, service, one, **_):
    return 200, {'extra_specs': cloud.state.get(('specs', one), {})}


@route('compute', 'DELETE', r'/flavors/(?P<one>[^/]+)/os-extra_specs/(?P<name>[^/]+)')
def delete_extra_spec(cloud, service, one, name, **_):
    if cloud.state.get(('specs', one), {}).pop(name, None) is None:
        raise Refused(404, f'Flavor {one} has no extra specs with key {name}.')
    return 200, None


@route('compute', 'POST', r'/flavors/(?P<one>[^/]+)/action')
@route('block-storage', 'POST', r'/types/(?P<one>[^/]+)/action')
def add_access(cloud, service, one, body, **_):
    ((name, args),) = body.items()
    pair = (one, *args.values())
    shared = cloud.state.setdefault('shared', set())
    if not name.startswith('add') and pair not in shared:
        raise Refused(404, f'Flavor access not found for {pair}.')
    (shared.add if name.startswith('add') else shared.discard)(pair)
    return 200, None


@route('compute', 'POST', r'/os-aggregates/(?P<one>[^/]+)/action')
def act_on_aggregate(cloud, service, one, body, **_):
    aggregate = require(cloud, service, '/os-aggregates', one)
    ((name, args),) = body.items()
    if name == 'set_metadata':
        if args['metadata'].get('availability_zone', 'a zone') is None:
            raise Refused(400, 'The aggregate does not support empty named availability zone')
        aggregate['metadata'] = {
            key: value
            for key, value in {**aggregate['metadata'], **args['metadata']}.items()
            if value is not None
        }
        return 200, {'aggregate': aggregate}
    hosts = set(aggregate['hosts'])
    (hosts.add if name == 'add_host' else hosts.remove)(args['host'])
    aggregate['hosts'] = sorted(hosts)
    return 200, {'aggregate': aggregate}


@route('compute', 'DELETE', r'/os-aggregates/(?P<one>[^/]+)')
def delete_aggregate(cloud, service, one, **_):
    if require(cloud, service, '/os-aggregates', one)['hosts']:
        raise Refused(409, 'Host aggregate is not empty')
    del cloud.objects[service, '/os-aggregates', one]
    return 200, None


# --------------------------------------------------------------- images


@route('image', 'POST', r'/images/(?P<one>[^/]+)/import')
def import_image(cloud, service, one, body, **_):
    if body['method']['name'] != 'web-download':
        raise Refused(400, 'Unknown import method')
    image = require(cloud, service, '/images', one)
    if 'nowhere' in body['method']['uri']:  # as in Glance, which waits for another import
        image.update(
            status='queued', os_glance_failed_import='file', os_glance_importing_to_stores=''
        )
    else:
        image.update(status='importing', fetched=body['method']['uri'], looks=cloud.looks)
    return 202, None


@route('image', 'GET', r'/images/(?P<one>[^/]+)/tasks')
def list_tasks(cloud, service, one, **_):
    failed = require(cloud, service, '/images', one).get('os_glance_failed_import')
    return 200, {
        'tasks': [
            {
                'type': 'api_image_import',
                'status': 'failure',
                'message': 'Task failed due to Internal Error',
            }
        ]
        if failed
        else []
    }


@route('image', 'GET', r'/images/(?P<one>[^/]+)')
def show_image(cloud, service, one, **_):
    image = require(cloud, service, '/images', one)
    if image['status'] == 'importing' and image.pop('looks', 0) <= 0:
        image['status'] = 'active'
    return 200, {
        name: value
        for name, value in image.items()
        if name not in ('looks', 'fetched') and value is not None
    }


@route('image', 'PATCH', r'/images/(?P<one>[^/]+)')
def patch_image(cloud, service, one, body, environ, **_):
    if environ['CONTENT_TYPE'] != 'application/openstack-images-v2.1-json-patch':
        raise Refused(400, 'unknown kind of patch')
    image = require(cloud, service, '/images', one)
    for step in body:
        name = step['path'][1:]
        if (step['op'] != 'add') != (image.get(name) is not None):
            raise Refused(409, f'Property {name} does not fit to {step["op"]}')
        image[name] = step.get('value')
    return 200, image


@route('image', 'POST', r'/images/(?P<one>[^/]+)/actions/(?P<what>deactivate|reactivate)')
def switch_image(cloud, service, one, what, **_):
    require(cloud, service, '/images', one)['status'] = (
        'deactivated' if what == 'deactivate' else 'active'
    )
    return 204, None


@route('image', 'POST', r'/images/(?P<one>[^/]+)/members')
def share_image(cloud, service, one, body, **_):
    cloud.state.setdefault('members', set()).add((one, body['member']))
    return 200, {'member_id': body['member'], 'status': 'pending'}


@route('image', 'DELETE', r'/images/(?P<one>[^/]+)/members/(?P<member>[^/]+)')
def unshare_image(cloud, service, one, member, **_):
    members = cloud.state.get('members', set())
    if (one, member) not in members:
        raise Refused(404, f'{member} is no member of {one}')
    members.remove((one, member))
    cloud.state.get(('answers', one), {}).pop(member, None)
    return 204, None


@route('image', 'GET', r'/images/(?P<one>[^/]+)/members')
def list_image_members(cloud, service, one, **_):
    found = [member for image, member in cloud.state.get('members', ()) if image == one]
    return 200, {'members': [{'member_id': each, 'image_id': one} for each in found]}


@route('image', 'GET', r'/images/(?P<one>[^/]+)/members/(?P<member>[^/]+)')
@route('image', 'PUT', r'/images/(?P<one>[^/]+)/members/(?P<member>[^/]+)')
def answer_offer(cloud, service, one, member, body, **_):
    """Show or change the answer of a project to the offer of an image."""
    if (one, member) not in cloud.state.get('members', ()):
        raise Refused(404, f'{member} is no member of {one}')
    answers = cloud.state.setdefault(('answers', one), {})
    answers.update({member: body['status']} if body else {})
    if answers.get(member) == 'pending':
        del answers[member]
    return 200, {'member_id': member, 'status': answers.get(member, 'pending')}


@route('image', 'DELETE', r'/images/(?P<one>[^/]+)')
def delete_image(cloud, service, one, **_):
    if require(cloud, service, '/images', one)['protected']:
        raise Refused(403, f'Image {one} is protected and cannot be deleted.')
    del cloud.objects[service, '/images', one]
    cloud.state.pop(('answers', one), None)
    after_delete(cloud, service, '/images', one)
    return 204, None


# --------------------------------------------------------------- objects


@route('object-store', 'PUT', r'/(?P<one>[^/]+)')
def make_container(cloud, service, one, environ, **_):
    said = {name: value for name, value in environ.items() if name.startswith(CONTAINER_HEADERS)}
    cloud.objects.setdefault((service, '/', one), {'id': one, 'objects': {}}).update(said)
    return 201, None


CONTAINER_HEADERS = tuple(
    f'HTTP_X_{each}' for each in ('CONTAINER', 'HISTORY', 'STORAGE', 'VERSIONS')
)


@route('object-store', 'POST', r'/(?P<one>[^/]+)')
def change_container(cloud, service, one, environ, **_):
    container = require(cloud, service, '/', one)
    for name, value in environ.items():
        if name.startswith('HTTP_X_REMOVE_'):
            container.pop(name.replace('X_REMOVE_', 'X_'), None)
        elif name.startswith(CONTAINER_HEADERS):
            container[name] = value
    return 204, None


@route('object-store', 'POST', r'/?')
def label_account(cloud, service, environ, **_):
    cloud.account_key = environ.get('HTTP_X_ACCOUNT_META_TEMP_URL_KEY', cloud.account_key)
    labels = cloud.account_labels
    for name, value in environ.items():
        if name.startswith('HTTP_X_ACCOUNT_META_') and not name.endswith('TEMP_URL_KEY'):
            labels[name] = value
        labels.pop(name.replace('X_REMOVE_', 'X_'), None) if 'X_REMOVE_' in name else None
    return 204, None


@route('object-store', 'HEAD', r'/(?P<one>[^/]+)')
def head_container(cloud, service, one, headers, **_):
    container = require(cloud, service, '/', one)
    held = container['objects']
    for name in filter(lambda name: name.startswith(CONTAINER_HEADERS), container):
        headers[name.removeprefix('HTTP_').replace('_', '-').title()] = container[name]
    headers['X-Container-Object-Count'] = str(len(held))
    headers['X-Container-Bytes-Used'] = str(sum(map(len, held.values())))
    return 204, None


@route('object-store', 'GET', r'/(?P<one>[^/]+)')
def list_container(cloud, service, one, query, headers, **_):
    held = require(cloud, service, '/', one)['objects']
    headers['X-Container-Bytes-Used'] = str(sum(map(len, held.values())))
    return 200, [{'name': name} for name in held if name.startswith(query.get('prefix', ''))]


@route('object-store', 'DELETE', r'/(?P<one>[^/]+)')
def delete_container(cloud, service, one, **_):
    if require(cloud, service, '/', one)['objects']:
        raise Refused(409, 'There was a conflict when trying to complete your request.')
    del cloud.objects[service, '/', one]
    return 204, None


@route('object-store', 'DELETE', r'/(?P<one>[^/]+)/(?P<name>.+)')
def delete_object(cloud, service, one, name, **_):
    """Delete an object; in a versioned container the previous version returns."""
    container = require(cloud, service, '/', one)
    held = container['objects']
    if held.pop(name, None) is None:
        raise Refused(404, 'The resource could not be found.')
    for kind in ('stamps', 'headers'):
        container.get(kind, {}).pop(name, None)
    older = sorted(each for each in held if each.startswith(f'{len(name):03x}{name}/'))
    if older:
        held[name] = held.pop(older[-1])
        container['stamps'][name] = older[-1].rpartition('/')[2]
    return 204, None


# --------------------------------------------------------------- secrets, clusters


@route('key-manager', 'GET', r'/secrets/(?P<one>[^/]+)/payload')
def show_payload(cloud, service, one, environ, **_):
    secret = require(cloud, service, '/secrets', one)
    if environ['HTTP_ACCEPT'] != secret['payload_content_type']:
        raise Refused(406, 'Not Acceptable')
    return 200, secret['payload']


@route('key-manager', 'PUT', r'/secrets/(?P<one>[^/]+)/metadata')
@route('key-manager', 'GET', r'/secrets/(?P<one>[^/]+)/metadata')
def label_secret(cloud, service, one, body, **_):
    secret = require(cloud, service, '/secrets', one)
    secret['labels'] = body['metadata'] if body else secret.get('labels', {})
    return 200, {'metadata': secret['labels']}


@route('key-manager', 'DELETE', r'/containers/(?P<one>[^/]+)/secrets')
@route('key-manager', 'POST', r'/containers/(?P<one>[^/]+)/secrets')
def change_secrets(cloud, service, one, body, environ, **_):
    container = require(cloud, service, '/containers', one)
    others = [each for each in container['secret_refs'] if each != body]
    added = [body] if environ['REQUEST_METHOD'] == 'POST' else []
    container['secret_refs'] = [*others, *added]
    return 204, None


@route(
    'container-infra',
    'PATCH',
    r'(?P<where>/cluster.*)/(?P<one>[^/]+)',
)
def patch_cluster(cloud, service, where, one, body, **_):
    found = require(cloud, service, where, one)
    for step in body:
        name = step['path'][1:]
        if name not in found:
            raise Refused(400, f'{name} is no attribute')
        found[name] = step.get('value')
    if where == '/clusters':
        found.update(status='CREATE_IN_PROGRESS', looks=cloud.looks)
    return 202, {'uuid': one}


# --------------------------------------------------------------- shares


@route('shared-file-system', 'POST', r'/share-networks/(?P<one>[^/]+)/action')
def act_on_share_network(cloud, service, one, body, **_):
    require(cloud, service, '/share-networks', one)
    ((name, args),) = body.items()
    pair = (one, args['security_service_id'])
    require(cloud, service, '/security-services', pair[1])
    (
        cloud.state.setdefault('shared', set()).add
        if name.startswith('add')
        else cloud.state['shared'].remove
    )(pair)
    return 200, None


@route('shared-file-system', 'POST', r'/shares/(?P<one>[^/]+)/action')
def act_on_share(cloud, service, one, body, **_):
    if require(cloud, service, '/shares', one)['status'] != 'available':
        raise Refused(400, 'New access rules cannot be applied while the share is not available')
    rules = cloud.state.setdefault(('rules', one), [])
    ((name, args),) = body.items()
    if name == 'allow_access':
        if any(each['access_to'] == args['access_to'] for each in rules):
            raise Refused(400, f'Share access {args["access_to"]} exists.')
        rule = {'access_level': 'rw', **args, 'id': f'rule-{len(rules)}-{args["access_to"]}'}
        rules.append({**rule, 'state': 'active', 'access_key': 'k'})
        return 200, {'access': rules[-1]}
    elif name == 'deny_access':
        for each in rules:
            if each['id'] == args['access_id']:
                each['state'] = 'denying'
    elif name in ('extend', 'shrink'):
        share = require(cloud, service, '/shares', one)
        share.update(size=args['new_size'], status='creating', looks=cloud.looks)
        return 202, None
    shown = [dict(each) for each in rules]
    if name == 'access_list':  # a denied rule is gone after one look
        rules[:] = [each for each in rules if each['state'] != 'denying']
    return 200, {'access_list': shown}


@route('shared-file-system', 'GET', '/security-services')
def list_security_services(cloud, service, query, **_):
    """List the security services of a share network, or all of them."""
    network, pairs = query.get('share_network_id'), cloud.state.get('shared', ())
    found = cloud.of(service, '/security-services')
    chosen = [each for each in found if network is None or (network, each['id']) in pairs]
    return 200, {'security_services': chosen}


@route('shared-file-system', 'GET', r'/share-access-rules/(?P<one>[^/]+)')
def show_rule(cloud, service, one, **_):
    kept = {key[1]: rules for key, rules in cloud.state.items() if key[0] == 'rules'}
    found = [{**each, 'share_id': share} for share in kept for each in kept[share]]
    return 200, {'access': next(each for each in found if each['id'] == one)}


@route('shared-file-system', 'GET', r'/shares/(?P<one>[^/]+)/export_locations')
def export_locations(cloud, service, one, **_):
    require(cloud, service, '/shares', one)
    return 200, {'export_locations': [{'path': f'10.0.0.1:/{one}'}]}


@route('identity', 'GET', r'/role_assignments')
def list_assignments(cloud, service, query, **_):
    """Return the roles of one user or group."""
    ((kind, one),) = ((name.removesuffix('.id'), value) for name, value in query.items())
    pattern = re.compile(rf'(/OS-INHERIT)?/(\w+)s/([^/]+)/{kind}s/{one}/roles/([^/]+)(/.*)?')
    found = (pattern.fullmatch(each) for each in sorted(cloud.state.get('related', ())))
    return 200, {
        'role_assignments': [
            {
                'role': {'id': each[4]},
                'scope': {
                    each[2]: {'id': each[3]},
                    **({'OS-INHERIT:inherited_to': 'projects'} if each[1] else {}),
                },
            }
            for each in found
            if each
        ]
    }
