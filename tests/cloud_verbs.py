"""What the services of the cloud for tests do besides keeping objects: verbs, and what follows from an object's coming and going."""

import functools
import re

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
    for name in ('agents', 'related'):
        cloud.state[name] = {each for each in cloud.state.get(name, ()) if one not in str(each)}
    if where == '/security-groups':
        for key in [key for key, each in cloud.objects.items() if key[1] == '/security-group-rules' and each['security_group_id'] == one]:
            del cloud.objects[key]


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


@verb('network', 'PUT', r'/trunks/(?P<one>[^/]+)/(?P<what>add|remove)_subports')
def carry(cloud, service, one, what, body, **_):
    trunk = there(cloud, service, '/trunks', one)
    ids = {each['port_id'] for each in body['sub_ports']}
    kept = [each for each in trunk['sub_ports'] if each['port_id'] not in ids]
    trunk['sub_ports'] = [*kept, *body['sub_ports']] if what == 'add' else kept
    return 200, trunk


# --------------------------------------------------------------- quotas


@verb('network', 'GET', r'/quotas/(?P<project>[^/]+)')
def show_quota(cloud, service, project, **_):
    return 200, {'quota': cloud.state.get(('quota', service, project), {})}


@verb('network', 'PUT', r'/quotas/(?P<project>[^/]+)')
def set_quota(cloud, service, project, body, **_):
    cloud.state.setdefault(('quota', service, project), {}).update(body['quota'])
    return 200, body


@verb('network', 'DELETE', r'/quotas/(?P<project>[^/]+)')
def usual_quota(cloud, service, project, **_):
    if cloud.state.pop(('quota', service, project), None) is None:
        raise Refused(404, f'Quota of {project} could not be found.')
    return 204, None


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
