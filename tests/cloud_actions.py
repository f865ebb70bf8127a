"""What the services of the cloud for tests do besides keeping objects: verbs, and what follows from an object's coming and going."""

import functools
import re
import uuid

VERBS = []


class Refused(Exception):
    """An answer other than what was asked for."""

    def __init__(self, status, message, headers=()):
        super().__init__(message)
        self.status = status
        self.headers = dict(headers)


def verb(service, method, pattern):
    """The function answers requests to paths that match; groups of the pattern are its arguments."""

    def add(function):
        VERBS.append((service, method, re.compile(pattern), function))
        return function

    return add


def find(service, method, path):
    for owner, wanted, pattern, function in VERBS:
        match = pattern.fullmatch(path)
        if (owner, wanted) == (service, method) and match:
            return functools.partial(function, **match.groupdict())
    return None


def made(cloud, service, where, values):
    """What the service does by itself when an object has come."""
    if where == '/security-groups':
        for family in ('IPv4', 'IPv6'):
            rule = {'security_group_id': values['id'], 'direction': 'egress', 'ethertype': family}
            cloud.put('network', '/security-group-rules', **rule)
    if where == '/subnets' and not values.get('cidr'):
        values['cidr'] = '10.99.0.0/24'
    if where == '/os-keypairs' and not values.get('public_key'):
        values['private_key'] = 'PRIVATE'
        values['public_key'] = 'ssh-rsa made'


def changed(cloud, service, where, found, values):
    """What the service does by itself when an object has changed."""
    if where == '/floatingips' and found.get('port_id') is None:
        found['fixed_ip_address'] = None


def gone(cloud, service, where, one):
    for name in ('agents', 'related', 'shared', 'members', 'associated'):
        cloud.state[name] = {each for each in cloud.state.get(name, ()) if one not in str(each)}
    if where == '/security-groups':
        for key in [key for key, each in cloud.objects.items() if key[1] == '/security-group-rules' and each['security_group_id'] == one]:
            del cloud.objects[key]

    for name in ('specs', 'rules'):
        cloud.state.pop((name, one), None)


def there(cloud, service, where, one):
    found = cloud.objects.get((service, where, one))
    if found is None:
        raise Refused(404, f'{where}/{one} could not be found.')
    return found


# --------------------------------------------------------------- the network


@verb('network', 'GET', r'/security-groups/(?P<one>[^/]+)')
def show_group(cloud, service, one, **_):
    group = there(cloud, service, '/security-groups', one)
    rules = [each for each in cloud.of(service, '/security-group-rules') if each['security_group_id'] == one]
    return 200, {'security_group': {**group, 'security_group_rules': rules}}


@verb('network', 'PUT', r'/(?P<where>[\w-]+)/(?P<one>[^/]+)/tags')
def tag(cloud, service, where, one, body, **_):
    there(cloud, service, f'/{where}', one)['tags'] = body['tags']
    return 200, body


@verb('network', 'PUT', r'/routers/(?P<one>[^/]+)/add_router_interface')
def add_interface(cloud, service, one, body, **_):
    router = there(cloud, service, '/routers', one)
    ((name, value),) = body.items()
    there(cloud, service, {'subnet_id': '/subnets', 'port_id': '/ports'}[name], value)
    cloud.state.setdefault('interfaces', set()).add((router['id'], value))
    return 200, {'id': router['id'], name: value}


@verb('network', 'GET', r'/ports')
def list_ports(cloud, service, query, **_):
    """Those that routers have in subnets are ports, too."""
    row = next(each for each in cloud.rows if (each.service, each.path) == (service, '/ports'))
    status, answer = cloud._list(row, '/ports', query)
    for router, value in cloud.state.get('interfaces', ()) if 'device_id' in query else ():
        if router == query['device_id']:
            answer['ports'].append({'id': value, 'device_id': router, 'fixed_ips': [{'subnet_id': value, 'ip_address': '10.0.0.1'}]})
    return status, answer


@verb('network', 'PUT', r'/routers/(?P<one>[^/]+)/remove_router_interface')
def remove_interface(cloud, service, one, body, **_):
    there(cloud, service, '/routers', one)
    ((_, value),) = body.items()
    if (one, value) not in cloud.state.get('interfaces', ()):
        raise Refused(404, f'Router {one} has no interface on {value}')
    cloud.state['interfaces'].discard((one, value))
    return 200, {'id': one}


@verb('network', 'PUT', r'/routers/(?P<one>[^/]+)/(?P<what>add|remove)_extraroutes')
def extra_routes(cloud, service, one, what, body, **_):
    router = there(cloud, service, '/routers', one)
    routes = body['router']['routes']
    kept = [each for each in router['routes'] if each not in routes]
    router['routes'] = [*kept, *routes] if what == 'add' else kept
    return 200, {'router': router}


@verb('network', 'GET', r'/(?P<where>networks|routers)/(?P<one>[^/]+)/(?:dhcp|l3)-agents')
def agents_of(cloud, service, where, one, **_):
    there(cloud, service, f'/{where}', one)
    return 200, {'agents': [{'id': agent} for agent, other in sorted(cloud.state.get('agents', ())) if other == one]}


@verb('network', 'POST', r'/agents/(?P<agent>[^/]+)/(?:dhcp-networks|l3-routers)')
def serve(cloud, service, agent, body, **_):
    there(cloud, service, '/agents', agent)
    ((_, value),) = body.items()
    cloud.state.setdefault('agents', set()).add((agent, value))
    return 201, None


@verb('network', 'DELETE', r'/agents/(?P<agent>[^/]+)/(?:dhcp-networks|l3-routers)/(?P<one>[^/]+)')
def serve_no_more(cloud, service, agent, one, **_):
    cloud.state['agents'].discard((agent, one))
    return 204, None


@verb('network', 'PUT', r'/network-gateways/(?P<one>[^/]+)/(?P<what>connect|disconnect)_network')
def connect(cloud, service, one, what, body, **_):
    there(cloud, service, '/networks', body['network_id'])
    connections = there(cloud, service, '/network-gateways', one)['connections']
    if what == 'disconnect' and body not in connections:
        raise Refused(404, f'There is no such connection: {body}')
    (connections.append if what == 'connect' else connections.remove)(body)
    return 200, {'connection_info': body}


@verb('network', 'PUT', r'/trunks/(?P<one>[^/]+)/(?P<what>add|remove)_subports')
def carry(cloud, service, one, what, body, **_):
    trunk = there(cloud, service, '/trunks', one)
    ids = {each['port_id'] for each in body['sub_ports']}
    kept = [each for each in trunk['sub_ports'] if each['port_id'] not in ids]
    trunk['sub_ports'] = [*kept, *body['sub_ports']] if what == 'add' else kept
    return 200, trunk


# --------------------------------------------------------------- quotas


def quotas(service, path, key):
    """Quotas of a service: each project has some; without it the usual ones count."""
    pattern = rf'{path}/(?P<project>[^/]+)'

    @verb(service, 'GET', pattern)
    def show(cloud, service, project, **_):
        return 200, {key: cloud.state.get(('quota', service, project), {'id': project})}

    @verb(service, 'PUT', pattern)
    def change(cloud, service, project, body, **_):
        cloud.state.setdefault(('quota', service, project), {}).update(body[key])
        return 200, body

    @verb(service, 'DELETE', pattern)
    def forget(cloud, service, project, **_):
        if cloud.state.pop(('quota', service, project), None) is None:
            raise Refused(404, f'Quota of {project} could not be found.')
        return 204, None


quotas('network', '/quotas', 'quota')
quotas('block-storage', '/os-quota-sets', 'quota_set')
quotas('compute', '/os-quota-sets', 'quota_set')
quotas('load-balancer', '/lbaas/quotas', 'quota')


# --------------------------------------------------------------- identity


@verb('identity', 'PUT', r'(?P<path>/(?:projects|domains)/[^/]+/(?:users|groups)/[^/]+/roles/[^/]+|/groups/[^/]+/users/[^/]+)')
def relate(cloud, service, path, **_):
    _all_there(cloud, service, path)
    cloud.state.setdefault('related', set()).add(path)
    return 204, None


@verb('identity', 'DELETE', r'(?P<path>/(?:projects|domains)/[^/]+/(?:users|groups)/[^/]+/roles/[^/]+|/groups/[^/]+/users/[^/]+)')
def relate_no_more(cloud, service, path, **_):
    if path not in cloud.state.get('related', ()):
        raise Refused(404, f'{path} could not be found.')
    cloud.state['related'].discard(path)
    return 204, None


def _all_there(cloud, service, path):
    words = path.split('/')[1:]
    for where, one in zip(words[::2], words[1::2], strict=True):
        there(cloud, service, f'/{where}', one)


@verb('identity', 'DELETE', r'/domains/(?P<one>[^/]+)')
def delete_domain(cloud, service, one, **_):
    if there(cloud, service, '/domains', one)['enabled']:
        raise Refused(403, f'Cannot delete a domain that is enabled, please disable it first: {one}')
    del cloud.objects[service, '/domains', one]
    return 204, None


# --------------------------------------------------------------- volumes


@verb('block-storage', 'POST', r'/volumes')
def make_volume(cloud, service, body, **_):
    """Hints stand beside the volume, not in it."""
    if body.keys() - {'volume', 'OS-SCH-HNT:scheduler_hints'}:
        raise Refused(400, 'Additional properties are not allowed')
    return cloud.create(service, '/volumes', {'volume': body['volume']})


@verb('block-storage', 'POST', r'/volumes/(?P<one>[^/]+)/action')
def act_on_volume(cloud, service, one, body, **_):
    volume = there(cloud, service, '/volumes', one)
    if volume['status'] not in ('available', 'in-use'):
        raise Refused(400, f'Invalid volume: it is {volume["status"]}')
    ((name, args),) = body.items()
    if name == 'os-extend':
        if args['new_size'] <= volume['size']:
            raise Refused(400, 'Invalid input received: New size for extend must be greater than current size.')
        volume.update(size=args['new_size'])
    elif name == 'os-retype':
        volume.update(volume_type=args['new_type'])
    elif name == 'os-update_readonly_flag':
        volume['metadata'] = {**(volume['metadata'] or {}), 'readonly': str(args['readonly'])}
    else:
        raise Refused(400, f'There is no action {name}')
    volume.update(status='creating', looks=cloud.looks)
    return 202, None


@verb('block-storage', 'PUT', r'(?P<where>/volumes)/(?P<one>[^/]+)/metadata')
@verb('shared-file-system', 'PUT', r'(?P<where>/shares)/(?P<one>[^/]+)/metadata')
def label(cloud, service, where, one, body, **_):
    there(cloud, service, where, one)['metadata'] = body['metadata']
    return 200, body


@verb('block-storage', 'POST', r'/backups')
def back_up(cloud, service, body, **_):
    values = body['backup']
    there(cloud, service, '/volumes', values['volume_id'])
    made = {'id': str(uuid.uuid4()), 'volume_id': values['volume_id'], 'name': values.get('name'), 'status': 'available'}
    cloud.objects[service, '/backups', made['id']] = made
    return 202, {'backup': made}


@verb('block-storage', 'POST', r'/backups/(?P<one>[^/]+)/restore')
def restore(cloud, service, one, body, **_):
    there(cloud, service, '/backups', one)
    volume = there(cloud, service, '/volumes', body['restore']['volume_id'])
    if volume['status'] != 'available':
        raise Refused(400, 'Invalid volume: Volume to be restored to must be available')
    volume.update(status='creating', looks=cloud.looks, restored=one)
    return 202, {'restore': body['restore']}


@verb('block-storage', 'POST', r'/types/(?P<one>[^/]+)/extra_specs')
@verb('shared-file-system', 'POST', r'/types/(?P<one>[^/]+)/extra_specs')
def promise(cloud, service, one, body, **_):
    there(cloud, service, '/types', one)['extra_specs'].update(body['extra_specs'])
    return 200, body


@verb('block-storage', 'DELETE', r'/types/(?P<one>[^/]+)/extra_specs/(?P<name>[^/]+)')
@verb('shared-file-system', 'DELETE', r'/types/(?P<one>[^/]+)/extra_specs/(?P<name>[^/]+)')
def promise_no_more(cloud, service, one, name, **_):
    if there(cloud, service, '/types', one)['extra_specs'].pop(name, None) is None:
        raise Refused(404, f'Volume type {one} has no extra specs with key {name}.')
    return 202, None


@verb('block-storage', 'POST', r'/types/(?P<one>[^/]+)/encryption')
def encrypt(cloud, service, one, body, **_):
    there(cloud, service, '/types', one)
    if not body['encryption'].get('provider'):
        raise Refused(400, 'provider is required')
    cloud.state['encryption', one] = {'encryption_id': 'e', 'volume_type_id': one, **body['encryption']}
    return 200, {'encryption': cloud.state['encryption', one]}


@verb('block-storage', 'GET', r'/types/(?P<one>[^/]+)/encryption')
def encryption(cloud, service, one, **_):
    return 200, cloud.state.get(('encryption', one), {})


@verb('block-storage', 'PUT', r'/types/(?P<one>[^/]+)/encryption/[^/]+')
def encrypt_otherwise(cloud, service, one, body, **_):
    cloud.state['encryption', one].update(body['encryption'])
    return 200, body


@verb('block-storage', 'DELETE', r'/types/(?P<one>[^/]+)/encryption/[^/]+')
def encrypt_no_more(cloud, service, one, **_):
    if cloud.state.pop(('encryption', one), None) is None:
        raise Refused(404, f'Volume type encryption for type {one} does not exist.')
    return 202, None


@verb('block-storage', 'PUT', r'/qos-specs/(?P<one>[^/]+)/delete_keys')
def promise_less(cloud, service, one, body, **_):
    specs = there(cloud, service, '/qos-specs', one)
    for name in body['keys']:
        del specs[name]
    return 202, None


@verb('block-storage', 'GET', r'/qos-specs/(?P<one>[^/]+)/(?P<what>associate|disassociate)')
def associate(cloud, service, one, what, query, **_):
    there(cloud, service, '/qos-specs', one)
    there(cloud, service, '/types', query['vol_type_id'])
    pairs = cloud.state.setdefault('associated', set())
    (pairs.add if what == 'associate' else pairs.discard)((one, query['vol_type_id']))
    return 202, None


# --------------------------------------------------------------- servers


@verb('compute', 'POST', r'/servers/(?P<one>[^/]+)/os-volume_attachments')
def plug_in(cloud, service, one, body, **_):
    there(cloud, service, '/servers', one)
    volume = there(cloud, 'block-storage', '/volumes', body['volumeAttachment']['volumeId'])
    if volume['status'] != 'available':
        raise Refused(400, f'Invalid volume: it is {volume["status"]}')
    volume.update(status='in-use', attachments=[{'server_id': one}])
    return 200, {'volumeAttachment': {'volumeId': volume['id'], 'serverId': one}}


@verb('compute', 'GET', r'/servers/(?P<one>[^/]+)/os-volume_attachments')
def plugged_in(cloud, service, one, **_):
    there(cloud, service, '/servers', one)
    mine = [each for each in cloud.of('block-storage', '/volumes') if {'server_id': one} in (each['attachments'] or ())]
    return 200, {'volumeAttachments': [{'volumeId': each['id'], 'serverId': one} for each in mine]}


@verb('compute', 'DELETE', r'/servers/(?P<one>[^/]+)/os-volume_attachments/(?P<volume>[^/]+)')
def unplug(cloud, service, one, volume, **_):
    found = there(cloud, 'block-storage', '/volumes', volume)
    if {'server_id': one} not in (found['attachments'] or ()):
        raise Refused(404, f'volume_id not found: {volume}')
    found.update(status='available', attachments=[])
    return 202, None


@verb('compute', 'POST', r'/flavors/(?P<one>[^/]+)/os-extra_specs')
def specify(cloud, service, one, body, **_):
    there(cloud, service, '/flavors', one)
    if not all(isinstance(value, str) for value in body['extra_specs'].values()):
        raise Refused(400, 'Invalid input for field/attribute extra_specs.')
    cloud.state.setdefault(('specs', one), {}).update(body['extra_specs'])
    return 200, body


@verb('compute', 'GET', r'/flavors/(?P<one>[^/]+)/os-extra_specs')
def specified(cloud, service, one, **_):
    return 200, {'extra_specs': cloud.state.get(('specs', one), {})}


@verb('compute', 'DELETE', r'/flavors/(?P<one>[^/]+)/os-extra_specs/(?P<name>[^/]+)')
def specify_no_more(cloud, service, one, name, **_):
    if cloud.state.get(('specs', one), {}).pop(name, None) is None:
        raise Refused(404, f'Flavor {one} has no extra specs with key {name}.')
    return 200, None


@verb('compute', 'POST', r'/flavors/(?P<one>[^/]+)/action')
@verb('block-storage', 'POST', r'/types/(?P<one>[^/]+)/action')
def share(cloud, service, one, body, **_):
    ((name, args),) = body.items()
    pair = (one, *args.values())
    shared = cloud.state.setdefault('shared', set())
    if not name.startswith('add') and pair not in shared:
        raise Refused(404, f'Flavor access not found for {pair}.')
    (shared.add if name.startswith('add') else shared.discard)(pair)
    return 200, None


@verb('compute', 'POST', r'/os-aggregates/(?P<one>[^/]+)/action')
def act_on_aggregate(cloud, service, one, body, **_):
    aggregate = there(cloud, service, '/os-aggregates', one)
    ((name, args),) = body.items()
    if name == 'set_metadata':
        aggregate['metadata'] = {key: value for key, value in {**aggregate['metadata'], **args['metadata']}.items() if value is not None}
        return 200, {'aggregate': aggregate}
    hosts = set(aggregate['hosts'])
    (hosts.add if name == 'add_host' else hosts.remove)(args['host'])
    aggregate['hosts'] = sorted(hosts)
    return 200, {'aggregate': aggregate}


@verb('compute', 'DELETE', r'/os-aggregates/(?P<one>[^/]+)')
def delete_aggregate(cloud, service, one, **_):
    if there(cloud, service, '/os-aggregates', one)['hosts']:
        raise Refused(409, 'Host aggregate is not empty')
    del cloud.objects[service, '/os-aggregates', one]
    return 200, None


# --------------------------------------------------------------- images


@verb('image', 'POST', r'/images/(?P<one>[^/]+)/import')
def fetch(cloud, service, one, body, **_):
    if body['method']['name'] != 'web-download':
        raise Refused(400, 'Unknown import method')
    image = there(cloud, service, '/images', one)
    if 'nowhere' in body['method']['uri']:  # as the real one: it waits for another import
        image.update(status='queued', os_glance_failed_import='file', os_glance_importing_to_stores='')
    else:
        image.update(status='importing', fetched=body['method']['uri'], looks=cloud.looks)
    return 202, None


@verb('image', 'GET', r'/images/(?P<one>[^/]+)/tasks')
def list_tasks(cloud, service, one, **_):
    failed = there(cloud, service, '/images', one).get('os_glance_failed_import')
    return 200, {
        'tasks': [{'type': 'api_image_import', 'status': 'failure', 'message': 'Task failed due to Internal Error'}] if failed else []
    }


@verb('image', 'GET', r'/images/(?P<one>[^/]+)')
def show_image(cloud, service, one, **_):
    image = there(cloud, service, '/images', one)
    if image['status'] == 'importing' and image.pop('looks', 0) <= 0:
        image['status'] = 'active'
    return 200, {name: value for name, value in image.items() if name not in ('looks', 'fetched') and value is not None}


@verb('image', 'PATCH', r'/images/(?P<one>[^/]+)')
def patch_image(cloud, service, one, body, environ, **_):
    if environ['CONTENT_TYPE'] != 'application/openstack-images-v2.1-json-patch':
        raise Refused(400, 'unknown kind of patch')
    image = there(cloud, service, '/images', one)
    for step in body:
        name = step['path'][1:]
        if (step['op'] != 'add') != (image.get(name) is not None):
            raise Refused(409, f'Property {name} does not fit to {step["op"]}')
        image[name] = step.get('value')
    return 200, image


@verb('image', 'POST', r'/images/(?P<one>[^/]+)/actions/(?P<what>deactivate|reactivate)')
def switch_image(cloud, service, one, what, **_):
    there(cloud, service, '/images', one)['status'] = 'deactivated' if what == 'deactivate' else 'active'
    return 204, None


@verb('image', 'POST', r'/images/(?P<one>[^/]+)/members')
def share_image(cloud, service, one, body, **_):
    cloud.state.setdefault('members', set()).add((one, body['member']))
    return 200, body


@verb('image', 'DELETE', r'/images/(?P<one>[^/]+)/members/(?P<member>[^/]+)')
def share_image_no_more(cloud, service, one, member, **_):
    cloud.state['members'].remove((one, member))
    return 204, None


@verb('image', 'DELETE', r'/images/(?P<one>[^/]+)')
def delete_image(cloud, service, one, **_):
    if there(cloud, service, '/images', one)['protected']:
        raise Refused(403, f'Image {one} is protected and cannot be deleted.')
    del cloud.objects[service, '/images', one]
    gone(cloud, service, '/images', one)
    return 204, None


# --------------------------------------------------------------- objects


@verb('object-store', 'PUT', r'/(?P<one>[^/]+)')
def make_container(cloud, service, one, environ, **_):
    said = {name: value for name, value in environ.items() if name.startswith(('HTTP_X_CONTAINER', 'HTTP_X_VERSIONS'))}
    cloud.objects.setdefault((service, '/', one), {'id': one, 'objects': {}}).update(said)
    return 201, None


@verb('object-store', 'POST', r'/?')
def label_account(cloud, service, environ, **_):
    cloud.account_key = environ.get('HTTP_X_ACCOUNT_META_TEMP_URL_KEY', cloud.account_key)
    return 204, None


@verb('object-store', 'HEAD', r'/(?P<one>[^/]+)')
def look_at_container(cloud, service, one, headers, **_):
    held = there(cloud, service, '/', one)['objects']
    headers['X-Container-Object-Count'] = str(len(held))
    headers['X-Container-Bytes-Used'] = str(sum(map(len, held.values())))
    return 204, None


@verb('object-store', 'GET', r'/(?P<one>[^/]+)')
def list_container(cloud, service, one, query, **_):
    held = there(cloud, service, '/', one)['objects']
    return 200, [{'name': name} for name in held if name.startswith(query.get('prefix', ''))]


@verb('object-store', 'DELETE', r'/(?P<one>[^/]+)')
def delete_container(cloud, service, one, **_):
    if there(cloud, service, '/', one)['objects']:
        raise Refused(409, 'There was a conflict when trying to complete your request.')
    del cloud.objects[service, '/', one]
    return 204, None


@verb('object-store', 'DELETE', r'/(?P<one>[^/]+)/(?P<name>.+)')
def delete_object(cloud, service, one, name, **_):
    """Where versions are kept the one before comes back."""
    container = there(cloud, service, '/', one)
    held = container['objects']
    if held.pop(name, None) is None:
        raise Refused(404, 'The resource could not be found.')
    older = sorted(each for each in held if each.startswith(f'{len(name):03x}{name}/'))
    if older:
        held[name] = held.pop(older[-1])
        container['stamps'][name] = older[-1].rpartition('/')[2]
    return 204, None


# --------------------------------------------------------------- secrets, clusters


@verb('key-manager', 'GET', r'/secrets/(?P<one>[^/]+)/payload')
def reveal(cloud, service, one, environ, **_):
    secret = there(cloud, service, '/secrets', one)
    if environ['HTTP_ACCEPT'] != secret['payload_content_type']:
        raise Refused(406, 'Not Acceptable')
    return 200, secret['payload']


@verb('container-infra', 'PATCH', r'(?P<where>/clusters|/clustertemplates)/(?P<one>[^/]+)')
def patch_cluster(cloud, service, where, one, body, **_):
    found = there(cloud, service, where, one)
    for step in body:
        name = step['path'][1:]
        if name not in found:
            raise Refused(400, f'{name} is no attribute')
        found[name] = step.get('value')
    if where == '/clusters':
        found.update(status='CREATE_IN_PROGRESS', looks=cloud.looks)
    return 202, {'uuid': one}


# --------------------------------------------------------------- shares


@verb('shared-file-system', 'POST', r'/share-networks/(?P<one>[^/]+)/action')
def act_on_share_network(cloud, service, one, body, **_):
    there(cloud, service, '/share-networks', one)
    ((name, args),) = body.items()
    pair = (one, args['security_service_id'])
    there(cloud, service, '/security-services', pair[1])
    (cloud.state.setdefault('shared', set()).add if name.startswith('add') else cloud.state['shared'].remove)(pair)
    return 200, None


@verb('shared-file-system', 'POST', r'/shares/(?P<one>[^/]+)/action')
def act_on_share(cloud, service, one, body, **_):
    if there(cloud, service, '/shares', one)['status'] != 'available':
        raise Refused(400, 'New access rules cannot be applied while the share is not available')
    rules = cloud.state.setdefault(('rules', one), [])
    ((name, args),) = body.items()
    if name == 'allow_access':
        rules.append({'access_level': 'rw', **args, 'id': f'rule-{len(rules)}-{args["access_to"]}'})
    elif name == 'deny_access':
        rules[:] = [each for each in rules if each['id'] != args['access_id']]
    return 200, {'access_list': rules}


@verb('shared-file-system', 'GET', r'/shares/(?P<one>[^/]+)/export_locations')
def export_locations(cloud, service, one, **_):
    there(cloud, service, '/shares', one)
    return 200, {'export_locations': [{'path': f'10.0.0.1:/{one}'}]}
