"""The property ``networks``: requests for ports and interfaces. Pure functions."""

import json

from heat_lite.common.value_types import without_none
from heat_lite.resources.base.live_state import map_to_wire
from heat_lite.resources.openstack.neutron.base import UNSET, VALUE_SPECS, changed_specs
from heat_lite.resources.openstack.nova.server.schema import PORT

ALLOCATE, EXTRA = 'allocate_network', 'port_extra_properties'
#: keys by which two entries of ``networks`` are the same network
IDENTITY = ('network', 'port', 'subnet', 'fixed_ip', 'tag', ALLOCATE)
#: further properties of a port that Neutron does not change while a server uses the port
FIXED = {'mac_address', 'binding:vnic_type', 'no_fixed_ips'}
#: those that it can unset; a port without another one is a new port
UNSETTABLE = {'allowed_address_pairs', 'qos_policy'}


def needs_port(network):
    """Return whether a port must be created before the server.

    Nova creates ports too, but neither on a given subnet nor with further properties.
    """
    return network['port'] is None and (network['subnet'] is not None or bool(network[EXTRA]))


def allocation(networks):
    """Return 'auto' or 'none' if Nova allocates the networks, else None."""
    return networks[0][ALLOCATE] if networks else 'auto'


# --------------------------------------------------------------- requests


def port_name(name, index):
    """Return the name of a port. Servers of other stacks can have ports of the same name."""
    return f'{name}-port-{index}'


def port_body(name, network, network_id, groups):
    """Return the values of the port for a network; ``groups`` are ids of security groups."""
    extra = network[EXTRA] or {}
    values = {'name': name, 'network_id': network_id, **map_to_wire(PORT, extra)}
    if extra.get('no_fixed_ips'):
        values['fixed_ips'] = []
    elif network['fixed_ip'] or network['subnet']:
        address = {'ip_address': network['fixed_ip'], 'subnet_id': network['subnet']}
        values['fixed_ips'] = [{key: value for key, value in address.items() if value}]
    if groups:
        values['security_groups'] = groups
    return {**values, **(extra.get('value_specs') or {})}


def port_changes(before, after, fetch):
    """Return the new values of the port of a network; None if it must be a new port.

    ``before`` and ``after`` are the network, ``fetch`` returns the port as Neutron shows it.
    """
    before, after = _port_properties(before), _port_properties(after)
    changed = {name: after[name] for name in PORT if before[name] != after[name]}
    unset = {name for name, value in changed.items() if value is None}
    was, becomes = before[VALUE_SPECS], after[VALUE_SPECS]
    specs = {key for key in {**was, **becomes} if was.get(key) != becomes.get(key)}
    if FIXED & (changed.keys() | specs) or unset - UNSETTABLE:
        return None
    return {
        **{PORT[name].key(name): UNSET.get(name) for name in unset},
        **map_to_wire(PORT, changed),
        **changed_specs(was, becomes, fetch),
    }


def _port_properties(network):
    """Return the further properties of the port of a network, with defaults."""
    given = without_none(network[EXTRA] or {})
    return {name: given.get(name, each.default) for name, each in PORT.items()}


def nic(network, port_id):
    """Return a network as the request for a new server names it; ``port_id`` may be None."""
    if port_id:
        body = {'port': port_id}
    else:
        body = {'uuid': network['network'], 'fixed_ip': network['fixed_ip']}
    return _given({**body, 'tag': network['tag']})


def interface(network, port_id):
    """Return the request that attaches a network to a server; ``port_id`` may be None."""
    if port_id:
        body = {'port_id': port_id}
    else:
        address = network['fixed_ip']
        body = {'net_id': network['network'], 'fixed_ips': address and [{'ip_address': address}]}
    return _given({**body, 'tag': network['tag']})


def _given(body):
    return {key: value for key, value in body.items() if value}


# --------------------------------------------------------------- attachments


class Attachment:
    """One network of a server: the entry of ``networks`` and the id of its port.

    ``own`` is True if the port has been created for the server and is deleted with it.
    """

    def __init__(self, network, port=None, own=False):
        self.network = {key: network.get(key) for key in (*IDENTITY, EXTRA, 'floating_ip')}
        self.port = port
        self.own = own

    def matches(self, network):
        """Return whether an entry of the template is this network.

        Its floating IP and the further properties of its port may differ if they can be updated.
        """
        same = all(self.network[key] == network[key] for key in IDENTITY)
        return same and needs_port(self.network) == needs_port(network) and self._port_fits(network)

    def _port_fits(self, network):
        """Return whether the port has, or can get, the further properties of a network."""
        changes = port_changes(self.network, network, dict)
        return self.network['port'] is not None or changes == {} or self.own and changes is not None

    def satisfies(self, network, found):
        """Return whether the attached interface ``found`` is what an entry of the template wants.

        A port that the template names belongs to the entry that names it.
        """
        if found is None or self.network['port'] is not None:
            return False
        if self.network['tag'] != network['tag']:
            return False
        if not self._port_fits(network):
            return False
        if network['port'] is not None:
            return network['port'] == self.port
        subnets = (None, *(address['subnet_id'] for address in found['fixed_ips']))
        return _fits(network, found) and network['subnet'] in subnets

    def conflicts_with(self, networks):
        """Return whether one of ``networks`` wants the same port or the same address."""
        return any(
            self.network[key] is not None
            and self.network[key] == other[key]
            and (key == 'port' or _overlap(self.network, other))
            for key in ('port', 'fixed_ip')
            for other in networks
        )


def _overlap(one, other):
    return any(one[key] is not None and one[key] == other[key] for key in ('network', 'subnet'))


def dump(attachments):
    """Return the attachments as JSON, for the data of the resource."""
    return json.dumps([[each.network, each.port, each.own] for each in attachments], sort_keys=True)


def load(text, networks, own_ports=()):
    """Return the attachments in ``text``; without it (None) those of the property ``networks``.

    ``own_ports`` are the ids of the ports that Heat has created for ``networks``, in their order.
    """
    if text is not None:
        return [Attachment(*each) for each in json.loads(text)]
    ports, attachments = list(own_ports), []
    for network in networks or ():
        if network.get(ALLOCATE) is None:
            attachment = Attachment(network, network.get('port'))
            if ports and needs_port(attachment.network):
                attachment.port, attachment.own = ports.pop(0), True
            attachments.append(attachment)
    return attachments


def heat_ports(text):
    """Return the ids of ports in a list of Heat, ``[{"id": ...}]``; [] without a text."""
    return [each['id'] for each in json.loads(text or '[]')]


def compare(attachments, networks, interfaces=()):
    """Return what stays, what goes and what is new.

    They are: pairs of an attachment and its entry in ``networks``; attachments; and entries.
    An attachment stays if its entry is unchanged, or else if its interface, one of
    ``interfaces`` as Nova lists them, is what a changed entry wants.
    """
    listed = {each['port_id']: each for each in interfaces}
    left, stays, new = list(attachments), [], list(networks)

    def satisfies(attachment, network):
        return attachment.satisfies(network, listed.get(attachment.port))

    for fits in (Attachment.matches, satisfies):
        for network in list(new):
            attachment = next((each for each in left if fits(each, network)), None)
            if attachment is not None:
                left.remove(attachment)
                new.remove(network)
                stays.append((attachment, network))
    return stays, left, new


def assign_ports(attachments, interfaces):
    """Set the ports that Nova has created, and return the interfaces of no attachment.

    ``interfaces`` are those that Nova lists. Attachments with a fixed IP choose first.
    """
    known = {each.port for each in attachments}
    free = [each for each in interfaces if each['port_id'] not in known]
    without_port = (each for each in attachments if each.port is None)
    for attachment in sorted(without_port, key=lambda each: each.network['fixed_ip'] is None):
        found = next((each for each in free if _fits(attachment.network, each)), None)
        if found is not None:
            free.remove(found)
            attachment.port = found['port_id']
    return free


def _fits(network, found):
    addresses = [address['ip_address'] for address in found.get('fixed_ips') or ()]
    return network['network'] in (None, found['net_id']) and (
        network['fixed_ip'] is None or network['fixed_ip'] in addresses
    )
