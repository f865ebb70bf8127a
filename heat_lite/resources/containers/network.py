"""HeatLite::Container::Network."""

from heat_lite.resources.containers import container_body
from heat_lite.resources.containers.engine_object import (
    ENDPOINT_PROPERTY,
    LABELS_PROPERTY,
    EngineObject,
)
from heat_lite.template.schema import (
    OURS,
    boolean,
    list_attribute,
    map_,
    map_attribute,
    name_property,
    string,
)


class Network(EngineObject):
    """A network of containers, which find each other by their names and aliases."""

    resource_type = 'HeatLite::Container::Network'
    since = OURS
    entity = 'networks'
    noun = 'network'
    shown_at = {
        'driver': 'Driver',
        'driver_options': 'Options',
        'internal': 'Internal',
        'attachable': 'Attachable',
        'enable_ipv6': 'EnableIPv6',
        'subnet': 'IPAM.Config.0.Subnet',
        'gateway': 'IPAM.Config.0.Gateway',
        'ip_range': 'IPAM.Config.0.IPRange',
    }

    properties_schema = {
        'name': name_property(update_allowed=False),
        'docker_endpoint': ENDPOINT_PROPERTY,
        'driver': string('Driver of the network.', default='bridge'),
        'driver_options': map_('Options of the driver.', default={}),
        'internal': boolean(
            'Whether containers reach nothing outside of the network.', default=False
        ),
        'attachable': boolean(
            'Whether containers outside of a swarm service may join the network.', default=False
        ),
        'subnet': string(
            'Range of the addresses of the network. If omitted, the container engine chooses one.',
            custom='net_cidr',
        ),
        'gateway': string('Address of the gateway in the subnet.', custom='ip_addr'),
        'ip_range': string(
            'Part of the subnet from which containers get their addresses.', custom='net_cidr'
        ),
        'enable_ipv6': boolean('Whether the network has IPv6 addresses as well.', default=False),
        'labels': LABELS_PROPERTY,
    }
    attributes_schema = {
        'name': 'Name of the network.',
        'subnet': 'Range of the addresses of the network.',
        'gateway': 'Address of the gateway: containers reach the host by it.',
        'containers': list_attribute(
            'Names of the containers in the network.', cache_mode='cache_none'
        ),
        'labels': map_attribute('Labels of the network.'),
    }

    def handle_create(self):
        if self.resource_id is None:
            made = yield from self.create_once(
                'create_network',
                self.object_name(),
                driver=self.properties['driver'],
                options=container_body.map_of_texts(self.properties['driver_options']) or None,
                ipam=self._ipam(),
                check_duplicate=True,
                internal=self.properties['internal'],
                attachable=self.properties['attachable'] or None,
                enable_ipv6=self.properties['enable_ipv6'],
                labels=self.labels(),
            )
            self.resource_id_set(made)

    def find_existing(self):
        return self.own_id(self.container_engine().call('networks', filters=self.own_filter()))

    def get_reference_id(self):
        """Return the name: all requests of container engines accept it, also those of Podman."""
        return super().get_reference_id() if self.resource_id is None else self.object_name()

    def resolve_attribute(self, name):
        found = self.show()
        if found is None:
            return None
        if name == 'containers':
            return sorted(each['Name'] for each in (found.get('Containers') or {}).values())
        if name in ('subnet', 'gateway'):
            ranges = (found.get('IPAM') or {}).get('Config') or [{}]
            return ranges[0].get(name.capitalize())
        return found.get(name.capitalize())

    def _ipam(self):
        given = {
            'Subnet': self.properties['subnet'],
            'Gateway': self.properties['gateway'],
            'IPRange': self.properties['ip_range'],
        }
        ranges = {name: value for name, value in given.items() if value}
        return {'Driver': 'default', 'Config': [ranges]} if ranges else None
