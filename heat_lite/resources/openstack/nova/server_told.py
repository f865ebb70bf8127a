"""What a server tells of itself: addresses, consoles, its live state."""

import functools
import json
from collections.abc import Mapping

from heat_lite.clients import errors
from heat_lite.resources.cloud import ServiceResource
from heat_lite.resources.openstack.nova.interfaces import MAC

#: the consoles: what they are called in templates -> the protocol and the type of a request
CONSOLES = {
    'novnc': ('vnc', 'novnc'),
    'xvpvnc': ('vnc', 'xvpvnc'),
    'spice-html5': ('spice', 'spice-html5'),
    'rdp-html5': ('rdp', 'rdp-html5'),
    'serial': ('serial', 'serial'),
    'webmks': ('mks', 'webmks'),
}


class Told(ServiceResource):
    """What is mixed into the type of servers."""

    def show(self):
        """What the service shows, with what the agent on the server has to know."""
        found = super().show()
        return found and {**found, 'os_collect_config': self.os_collect_config()}

    def resolve_attribute(self, name):
        if name == 'os_collect_config':
            return self.os_collect_config() if self.resource_id else None
        if name == 'console_urls':
            return {kind: self._console(kind) for kind in CONSOLES} if self.resource_id else None
        try:
            shown = self.show()
        except errors.NotFound:
            return ''
        if shown is None:
            return None
        if name == 'name':
            return shown['name']
        teller = {'addresses': self._addresses, 'networks': self._networks, 'first_address': first_address}.get(name)
        if teller is not None:
            return teller(shown)
        return shown.get(self.attributes_schema[name].key(name) if name != 'instance_name' else 'OS-EXT-SRV-ATTR:instance_name')

    def attribute(self, *path):
        """One console is asked for alone: each has a token of its own."""
        if path[:1] == ('console_urls',) and len(path) > 1 and self.resource_id and path[1] in CONSOLES:
            return self._console(path[1])
        return super().attribute(*path)

    def _console(self, kind):
        protocol, type_ = CONSOLES[kind]
        try:
            made = self.client().create(f'{self.object_path()}/remote-consoles', 'remote_console', {'protocol': protocol, 'type': type_})
        except errors.ServiceError as error:
            return f'Cannot get console url: {error}'
        return made['url']

    # ------------------------------------------------------------ addresses

    def _networks(self, shown):
        """Addresses by the names of networks, and by their ids."""
        ids = self._network_ids(shown['addresses'])
        said = {}
        for label, addresses in shown['addresses'].items():
            plain = [each['addr'] for each in addresses]
            said[label] = plain
            if label in ids:
                said[ids[label]] = plain
        return said

    def _network_ids(self, addresses):
        by_mac = {port['mac_address']: port for port in self._ports()} if addresses else {}
        found = {}
        for label, each in addresses.items():
            port = next((by_mac[one[MAC]] for one in each if one.get(MAC) in by_mac), None)
            if port is not None:
                found[label] = port['network_id']
        return found

    def _addresses(self, shown):
        """The same, with the port, the subnets and the network of each address that a port has."""
        ports = {(port['mac_address'], fixed['ip_address']): port for port in self._ports() for fixed in port['fixed_ips']}
        network = functools.cache(lambda one: self.client('neutron').show(f'/networks/{one}', 'network'))
        subnet = functools.cache(lambda one: self.client('neutron').show(f'/subnets/{one}', 'subnet'))
        said = {}
        for label, addresses in shown['addresses'].items():
            full = [_with_port(each, ports.get((each.get(MAC), each['addr'])), network, subnet) for each in addresses]
            # floating ones, which no port has, come first
            said[label] = sorted(full, key=lambda each: each['port'] is not None)
            held = next((each['network']['id'] for each in full if each['port']), None)
            if held is not None:
                said[held] = said[label]
        return said

    def _ports(self):
        return self.client('neutron').list('/ports', 'ports', device_id=self.resource_id)

    # ------------------------------------------------------------ live state

    def as_told(self, found):
        """Flavor and image are told as more than ids, and labels are texts."""
        flavor, image = self.flavor_of(found), found.get('image')
        labels = self.held('metadata') or {}
        texts = self.labels(labels)
        same = {name: labels[name] for name, value in found['metadata'].items() if texts.get(name) == value}
        told = {**found, 'metadata': {**found['metadata'], **same}, 'flavor': flavor, 'image': image and image['id']}
        # a flavor that is gone since is no other one
        return told if flavor is not None else {name: value for name, value in told.items() if name != 'flavor'}

    @staticmethod
    def labels(metadata):
        """Labels of a server are texts; anything else becomes JSON."""
        return {name: value if isinstance(value, str) else json.dumps(value) for name, value in metadata.items()}


def first_address(shown):
    """The first that it has on the last of its networks, by their names."""
    return next((each[0]['addr'] for _, each in sorted(shown['addresses'].items(), reverse=True) if each), '')


def _with_port(said: Mapping, port, network, subnet):
    plain = {**said, 'version': [said['version']]}
    if port is None:
        return {**plain, 'port': None}
    subnets = [subnet(one) for one in dict.fromkeys(each['subnet_id'] for each in port['fixed_ips'])]
    return {**plain, 'port': port['id'], 'subnets': subnets, 'network': network(port['network_id'])}
