"""Attributes of a server: addresses, networks and consoles."""

import functools
import json
from collections.abc import Mapping

from heat_lite.clients import errors
from heat_lite.resources.openstack.nova.server.interfaces import MAC

#: consoles: their names in templates -> protocol and type in the request
CONSOLES = {
    'novnc': ('vnc', 'novnc'),
    'xvpvnc': ('vnc', 'xvpvnc'),
    'spice-html5': ('spice', 'spice-html5'),
    'rdp-html5': ('rdp', 'rdp-html5'),
    'serial': ('serial', 'serial'),
    'webmks': ('mks', 'webmks'),
}


class ServerAttributes:
    """The attributes of ``server``, an OS::Nova::Server."""

    def __init__(self, server):
        self._server = server

    def resolve(self, name):
        """Return the value of an attribute; None without a server, '' if it is not found."""
        if name == 'os_collect_config':
            return self._server.os_collect_config() if self._server.resource_id else None
        if name == 'console_urls':
            if not self._server.resource_id:
                return None
            return {console: self.console_url(console) for console in CONSOLES}
        try:
            shown = self._server.show()
        except errors.NotFound:
            return ''
        if shown is None:
            return None
        if name == 'addresses':
            return self._addresses(shown)
        if name == 'networks':
            return self._networks(shown)
        if name == 'first_address':
            return first_address(shown)
        if name == 'instance_name':
            return shown.get('OS-EXT-SRV-ATTR:instance_name')
        if name == 'name':
            return shown['name']
        return shown.get(self._server.attributes_schema[name].key(name))

    def has_console(self, path):
        """Return whether ``path`` names one console of a server that exists."""
        return (
            path[:1] == ('console_urls',)
            and len(path) > 1
            and bool(self._server.resource_id)
            and path[1] in CONSOLES
        )

    def console_url(self, console):
        """Return a new URL of a console, or the text of the error."""
        protocol, console_type = CONSOLES[console]
        try:
            created = self._server.client().create(
                f'{self._server.object_path()}/remote-consoles',
                'remote_console',
                {'protocol': protocol, 'type': console_type},
            )
        except errors.ServiceError as error:
            return f'Cannot get console url: {error}'
        return created['url']

    def _networks(self, shown):
        """Return ``{network name or id: [IP address]}``."""
        ids = self._network_ids(shown['addresses'])
        networks = {}
        for label, addresses in shown['addresses'].items():
            plain = [address['addr'] for address in addresses]
            networks[label] = plain
            if label in ids:
                networks[ids[label]] = plain
        return networks

    def _network_ids(self, addresses):
        by_mac = {port['mac_address']: port for port in self._ports()} if addresses else {}
        ids = {}
        for label, listed in addresses.items():
            macs = (address.get(MAC) for address in listed)
            port = next((by_mac[mac] for mac in macs if mac in by_mac), None)
            if port is not None:
                ids[label] = port['network_id']
        return ids

    def _addresses(self, shown):
        """Return ``{network name or id: [address]}``, each with its port, subnets and network.

        A floating IP belongs to no port of the server; floating IPs come first.
        """
        neutron = self._server.client('neutron')
        ports = {
            (port['mac_address'], fixed['ip_address']): port
            for port in self._ports()
            for fixed in port['fixed_ips']
        }
        network = functools.cache(lambda one: neutron.show(f'/networks/{one}', 'network'))
        subnet = functools.cache(lambda one: neutron.show(f'/subnets/{one}', 'subnet'))
        result = {}
        for label, addresses in shown['addresses'].items():
            detailed = [
                _with_port(address, ports.get((address.get(MAC), address['addr'])), network, subnet)
                for address in addresses
            ]
            result[label] = sorted(detailed, key=lambda address: address['port'] is not None)
            ids = (address['network']['id'] for address in detailed if address['port'])
            network_id = next(ids, None)
            if network_id is not None:
                result[network_id] = result[label]
        return result

    def _ports(self):
        server = self._server
        return server.client('neutron').list('/ports', 'ports', device_id=server.resource_id)


def with_property_names(shown, flavor, metadata):
    """Return a server as Nova shows it, with values that compare with its properties.

    ``flavor`` is the id of its flavor; None, if the flavor has been deleted, is no difference.
    ``metadata`` is the property: values that Nova keeps as JSON compare as what they were.
    """
    texts = metadata_texts(metadata)
    unchanged = {
        name: metadata[name]
        for name, value in shown['metadata'].items()
        if texts.get(name) == value
    }
    image = shown.get('image')
    comparable = {name: value for name, value in shown.items() if name != 'flavor'}
    comparable.update(metadata={**shown['metadata'], **unchanged}, image=image and image['id'])
    return comparable if flavor is None else {**comparable, 'flavor': flavor}


def metadata_texts(metadata):
    """Return server metadata as Nova takes it: a value that is not a text becomes JSON."""
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in metadata.items()
    }


def first_address(shown):
    """Return the first address on the last network by name; '' without addresses."""
    by_network = sorted(shown['addresses'].items(), reverse=True)
    return next((addresses[0]['addr'] for _, addresses in by_network if addresses), '')


def _with_port(address: Mapping, port, network, subnet):
    plain = {**address, 'version': [address['version']]}
    if port is None:
        return {**plain, 'port': None}
    subnet_ids = dict.fromkeys(fixed['subnet_id'] for fixed in port['fixed_ips'])
    return {
        **plain,
        'port': port['id'],
        'subnets': [subnet(one) for one in subnet_ids],
        'network': network(port['network_id']),
    }
