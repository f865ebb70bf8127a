"""The network interfaces of an AWS::EC2::Instance.

They are the ports that the template names, or one port created for the subnet of the instance, or
those that Nova allocates.
"""

import contextlib
import functools

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.service_retry import ServiceRetry
from heat_lite.resources.openstack.neutron.addresses import NETWORK_SERVICE
from heat_lite.resources.openstack.nova.server.interfaces import ServerInterfaces
from heat_lite.template.unknown import Unknown

INTERFACES, SUBNET = 'NetworkInterfaces', 'SubnetId'
#: keys in the data of the resource: the created port, and a mark that ports have been released to
#: the replacing instance
PORT, RELEASED = 'port_id', 'lent'
#: the value of PORT while the response to the create of the port is missing
UNKNOWN = 'unknown'
#: the value of ``networks`` in a request: Nova allocates a network of the project
AUTO = 'auto'


class InstanceInterfaces:
    """The network interfaces of ``instance``."""

    #: True if the create of the instance was interrupted: its port may have no record
    interrupted = False

    def __init__(self, instance):
        self._instance = instance
        self._interfaces = ServerInterfaces(instance)

    def security_groups(self):
        """Return the ids of the security groups."""
        values = self._instance.properties
        names = [*(values['SecurityGroups'] or ()), *(values['SecurityGroupIds'] or ())]
        find = self._instance.stack.clients().find
        return [find('neutron.security_group', name) for name in names]

    def create_nics(self):
        """Generator: return the networks for the request for the server."""
        ports = yield from self._wanted_ports()
        return AUTO if ports is None else [{'port': port} for port in ports]

    def _wanted_ports(self):
        """Generator: return the ids of the ports, or None if Nova allocates a network."""
        values = self._instance.properties
        if values[INTERFACES]:
            return port_ids(values[INTERFACES])
        subnet = values[SUBNET]
        return [(yield from self._create_port(subnet))] if subnet else None

    # ------------------------------------------------------------ the port of the subnet

    def _create_port(self, subnet):
        instance, neutron = self._instance, self._instance.client(NETWORK_SERVICE)
        port = self._find_created_port()
        if port is None:
            values = yield from self._port_body(subnet)
            instance.data_set(PORT, UNKNOWN)
            made = yield from ServiceRetry(instance, service=NETWORK_SERVICE).until_made(
                functools.partial(neutron.create, '/ports', 'port', values),
                self._find_created_port,
                lambda found: neutron.show(f'/ports/{found}', 'port'),
            )
            port = made['id']
        instance.data_set(PORT, port)
        return port

    def _port_body(self, subnet):
        instance = self._instance
        shown = yield from instance.call_with_retry(
            instance.client(NETWORK_SERVICE).show, f'/subnets/{subnet}', 'subnet'
        )
        groups = self.security_groups()
        return {
            'name': instance.physical_resource_name(),
            'network_id': shown['network_id'],
            'fixed_ips': [{'subnet_id': subnet}],
            **({'security_groups': groups} if groups else {}),
        }

    def _find_created_port(self):
        """Return the id of the port of an interrupted create, found by its unique name; None
        without one.
        """
        name = self._instance.physical_resource_name()
        listed = self._instance.client(NETWORK_SERVICE).list('/ports', 'ports', name=name)
        return next((port['id'] for port in listed), None)

    def record_created_port(self):
        """Store the id of the port of an instance whose create was interrupted."""
        values = self._instance.properties
        port = None if values[INTERFACES] or not values[SUBNET] else self._find_created_port()
        if port is not None:
            self._instance.data_set(PORT, port)

    def delete_port(self):
        """Generator: delete the port created for the instance, if there is one."""
        instance = self._instance
        port = instance.data().get(PORT)
        if port == UNKNOWN or port is None and self.interrupted:
            port = self._find_created_port()
        if port is not None:
            path = f'/ports/{port}'
            yield from instance.delete_if_present(instance.client(NETWORK_SERVICE).delete, path)
        instance.data_delete(PORT)

    # ------------------------------------------------------------ update and replace

    def update(self, diff):
        """Generator: attach and detach ports after a change of the interfaces or the subnet."""
        instance = self._instance
        if INTERFACES not in diff and SUBNET not in diff and RELEASED not in instance.data():
            return
        attached = yield from self._attached_ports()
        own = instance.data().get(PORT)
        stays = set() if SUBNET in diff else {own}
        for port in attached - stays - set(port_ids(instance.properties[INTERFACES])):
            yield from self._interfaces.detach(port)
        if own is not None and own not in stays:
            yield from self.delete_port()
        wanted = yield from self._wanted_ports()
        attached = yield from self._attached_ports()
        for port in [each for each in wanted or () if each not in attached]:
            yield from self._interfaces.attach({'port_id': port})
        if wanted is None and not attached:
            yield from self._interfaces.attach({})
        instance.data_delete(RELEASED)
        yield from self._interfaces.wait_for_addresses()

    def _attached_ports(self):
        return {each['port_id'] for each in (yield from self._interfaces.list())}

    def release_ports(self, definition):
        """Generator: detach the ports that the replacing instance needs.

        ``definition`` is that of the replacing instance.
        """
        instance = self._instance
        if instance.resource_id is None:
            return
        wanted = set(port_ids(instance.properties_of(definition)[INTERFACES]))
        with contextlib.suppress(errors.NotFound):
            listed = yield from self._interfaces.list()
            for port in [each['port_id'] for each in listed if each['port_id'] in wanted]:
                instance.data_set(RELEASED, 'yes')
                yield from self._interfaces.detach(port)


def port_ids(interfaces):
    """Return the port ids, sorted by ``DeviceIndex``; an interface is an id or a map.

    Raises StackValidationFailed for any other.
    """
    maps = [
        each if isinstance(each, dict) else {'NetworkInterfaceId': each}
        for each in interfaces or ()
    ]
    for each in maps:
        known = isinstance(each.get('NetworkInterfaceId'), str | Unknown)
        if not known or not str(each.get('DeviceIndex', 0)).isdigit():
            raise exception.StackValidationFailed(
                'an interface in NetworkInterfaces is an id, or a map with NetworkInterfaceId and '
                'perhaps DeviceIndex, a number'
            )
    in_order = sorted(maps, key=lambda each: int(each.get('DeviceIndex', 0)))
    return [each['NetworkInterfaceId'] for each in in_order]
