"""What a server is plugged in to: the rules, and how networks become ports and addresses. Plain data in, plain data out."""

import json

from heat_lite.common import exception
from heat_lite.resources.cloud import wired_map
from heat_lite.resources.openstack.nova.server_schema import PORT

ALLOCATE = 'allocate_network'
#: what tells one network of a template from another
TELLING = ('network', 'port', 'subnet', 'fixed_ip', 'tag', ALLOCATE)


# --------------------------------------------------------------- the rules


def validate(name, networks, groups):
    """Raises StackValidationFailed or ResourcePropertyConflict for networks that cannot be; ``name`` is that of the server's resource."""
    for each in networks:
        _validate(name, each)
        if groups and each['port'] is not None:
            raise exception.ResourcePropertyConflict('security_groups', 'networks/port')
        if each[ALLOCATE] is not None and len(networks) > 1:
            raise exception.StackValidationFailed(
                'Property "allocate_network" can not be specified if multiple network interfaces set for server.'
            )


def _validate(name, given):
    others = [key for key, value in given.items() if key != ALLOCATE and value is not None]
    if given[ALLOCATE] is not None and others:
        raise exception.StackValidationFailed('Can not specify "allocate_network" with other keys of networks at the same time.')
    if all(given[key] is None for key in ('network', 'port', 'subnet', ALLOCATE)):
        raise exception.StackValidationFailed(
            'One of the properties "network", "port", "allocate_network" or "subnet" should be set '
            f'for the specified network of server "{name}".'
        )
    if given['fixed_ip'] is not None and given['port'] is not None:
        raise exception.ResourcePropertyConflict('networks/fixed_ip', 'networks/port')
    if given['floating_ip'] is not None and given['port'] is None and not wants_port(given):
        raise exception.StackValidationFailed(
            'Property "floating_ip" is not supported if only "network" is specified, because the corresponding port can not be retrieved.'
        )


def wants_port(given):
    """Whether the server gets a port of its own that is made before it: the compute service makes only the simplest ones."""
    return given['port'] is None and (given['subnet'] is not None or bool(given['port_extra_properties']))


def allocation(networks):
    """'auto' or 'none' where that is all that is asked for; without any networks the compute service finds one."""
    return networks[0][ALLOCATE] if networks else 'auto'


# --------------------------------------------------------------- what is sent


def port_name(name, number):
    """What the port that is made for a network of a server is called; the servers of other stacks may have such, too."""
    return f'{name}-port-{number}'


def port_body(name, given, network, groups):
    """The port that is made for a network of a template; ``groups`` are ids of security groups."""
    extra = given['port_extra_properties'] or {}
    values = {'name': name, 'network_id': network, **wired_map(PORT, extra)}
    if extra.get('no_fixed_ips'):
        values['fixed_ips'] = []
    elif given['fixed_ip'] or given['subnet']:
        address = {'ip_address': given['fixed_ip'], 'subnet_id': given['subnet']}
        values['fixed_ips'] = [{key: value for key, value in address.items() if value}]
    if groups:
        values['security_groups'] = groups
    return {**values, **(extra.get('value_specs') or {})}


def nic(given, port):
    """A network as the request for a server names it; ``port`` is that of the template, or one that was made."""
    said = {'port': port} if port else {'uuid': given['network'], 'fixed_ip': given['fixed_ip']}
    return {key: value for key, value in {**said, 'tag': given['tag']}.items() if value}


def interface(given, port):
    """The same for a server that is there."""
    if port:
        said = {'port_id': port}
    else:
        said = {'net_id': given['network'], 'fixed_ips': given['fixed_ip'] and [{'ip_address': given['fixed_ip']}]}
    return {key: value for key, value in {**said, 'tag': given['tag']}.items() if value}


# --------------------------------------------------------------- what is remembered of it


class Plug:
    """One network of a server: what the template said of it, and its port. ``own``: the port was made for it, and goes with it."""

    def __init__(self, said, port=None, own=False):
        self.said = {key: said.get(key) for key in (*TELLING, 'port_extra_properties', 'floating_ip')}
        self.port = port
        self.own = own

    def is_for(self, given):
        """Whether it is what a template asks for, but for what can be changed of its port."""
        return all(self.said[key] == given[key] for key in TELLING) and wants_port(self.said) == wants_port(given)

    def will_do(self, given, found):
        """Whether what it has, as the compute service tells of it, is also what ``given`` asks for. A port of the template is its own."""
        if found is None or self.said['port'] is not None or self.said['tag'] != given['tag']:
            return False
        if not self.own and self.said['port_extra_properties'] != given['port_extra_properties']:
            return False
        if given['port'] is not None:
            return given['port'] == self.port
        return _fits(given, found) and given['subnet'] in (None, *(each['subnet_id'] for each in found['fixed_ips']))

    def takes_from(self, others):
        """Whether one of ``others`` wants the same port, or the same address."""
        return any(
            self.said[key] is not None and self.said[key] == other[key] and (key == 'port' or _near(self.said, other))
            for key in ('port', 'fixed_ip')
            for other in others
        )


def _near(one, other):
    return any(one[key] is not None and one[key] == other[key] for key in ('network', 'subnet'))


def stored(plugs):
    return json.dumps([[plug.said, plug.port, plug.own] for plug in plugs], sort_keys=True)


def loaded(text, networks):
    """The plugs as they were stored; of a server that was never asked, what its template says."""
    if text is None:
        return [Plug(each, each['port']) for each in networks or () if each[ALLOCATE] is None]
    return [Plug(*each) for each in json.loads(text)]


def compare(plugs, networks, interfaces=()):
    """What stays, what goes, and what is new, as pairs of a plug and what is now said of it, plugs, and networks of the template.

    Of the ``interfaces`` that the compute service tells of, one that has what is asked for stays, whatever was asked for before.
    """
    there = {each['port_id']: each for each in interfaces}
    left, stays, new = list(plugs), [], list(networks)
    for fits in (Plug.is_for, lambda plug, given: plug.will_do(given, there.get(plug.port))):
        for given in list(new):
            plug = next((each for each in left if fits(each, given)), None)
            if plug is not None:
                left.remove(plug)
                new.remove(given)
                stays.append((plug, given))
    return stays, left, new


def find_ports(plugs, interfaces):
    """The ports of plugs that the compute service has made itself, among the interfaces that it tells of."""
    known = {plug.port for plug in plugs}
    free = [each for each in interfaces if each['port_id'] not in known]
    for plug in sorted((each for each in plugs if each.port is None), key=lambda each: each.said['fixed_ip'] is None):
        found = next((each for each in free if _fits(plug.said, each)), None)
        if found is not None:
            free.remove(found)
            plug.port = found['port_id']
    return free


def _fits(said, found):
    addresses = [each['ip_address'] for each in found.get('fixed_ips') or ()]
    return said['network'] in (None, found['net_id']) and (said['fixed_ip'] is None or said['fixed_ip'] in addresses)
