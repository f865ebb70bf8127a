"""Networks of a server: its ports, interfaces and floating IPs."""

import functools

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.service_retry import retry_delays
from heat_lite.resources.openstack.nova.server import networks_property
from heat_lite.resources.openstack.nova.server.interfaces import ServerInterfaces
from heat_lite.resources.openstack.nova.server.networks_property import Attachment

#: keys in the data of the resource: the attachments, and those released to the replacing server
ATTACHMENTS, RELEASED = 'plugs', 'lent'
#: the key by which Heat stores the ports that it has created for a server
HEAT_PORTS = 'internal_ports'


class ServerNetworking:
    """The networks of ``server``, an OS::Nova::Server."""

    #: True if the create of the server was interrupted: there may be ports without a record
    interrupted = False

    def __init__(self, server):
        self._server = server
        self._interfaces = ServerInterfaces(server)

    # ------------------------------------------------------------ create and delete

    def create_nics(self):
        """A generator: create the ports; return the networks for the request for the server."""
        networks = self._networks()
        allocation = networks_property.allocation(networks)
        if allocation is not None:
            self._store([])
            return allocation
        attachments, nics = [], []
        for index, network in enumerate(networks):
            attachment = yield from self._prepare(network, index)
            attachments.append(attachment)
            nics.append(networks_property.nic(network, attachment.port))
            # store each at once: the next one may fail
            self._store(attachments)
        return nics

    def find_created_ports(self):
        """Restore the attachments of a server whose create was interrupted."""
        attachments = []
        for index, network in enumerate(self._networks()):
            created = self._created_ports(index) if networks_property.needs_port(network) else []
            port = created[0] if created else network['port']
            attachments.append(Attachment(network, port, own=bool(created)))
        allocation = networks_property.allocation(self._networks())
        self._store(attachments if allocation is None else [])

    def delete_ports(self):
        """A generator: delete the server's own ports and disassociate its floating IPs."""
        for attachment in self._attachments():
            yield from self._detach(attachment, is_deleted=True)
        for port in self._created_ports() if self.interrupted else ():
            yield from self._delete_port(port)
        for key in (ATTACHMENTS, HEAT_PORTS):
            self._server.data_delete(key)

    # ------------------------------------------------------------ update and replace

    def update(self, diff):
        """A generator: attach and detach interfaces until the server has its networks."""
        released = self._released()
        if 'networks' not in diff and not released:
            return
        networks = self._networks()
        allocation = networks_property.allocation(networks)
        attachments = [each for each in self._attachments() if each.port not in released]
        listed = yield from self._interfaces.list()
        free = networks_property.assign_ports(attachments, listed)
        stays, removed, new = networks_property.compare(
            attachments, networks if allocation is None else [], listed
        )
        for attachment in removed:
            yield from self._detach(attachment)
        # of an interrupted update: their addresses may be needed
        for port in {*self._created_ports()} - {each.port for each in attachments}:
            yield from self._delete_port(port)
        if allocation is not None:
            yield from self._allocate(allocation, free)
        kept = [attachment for attachment, _ in stays]
        self._store(kept)
        for attachment, network in stays:
            yield from self._update(attachment, network)
        self._store(kept)
        for network in new:
            attachment = yield from self._prepare(network, networks.index(network), released)
            kept.append(attachment)
            self._store(kept)
            yield from self._attach(attachment)
        self._server.data_delete(RELEASED)
        if removed or new or allocation is not None:
            yield from self._interfaces.wait_for_addresses()

    def release_ports(self, definition):
        """A generator: detach the ports and addresses that the replacing server needs.

        ``definition`` is that of the replacing server. Only one server can have a port or a fixed
        IP. What is released is stored first, because a rollback must attach it again.
        """
        if self._server.resource_id is None:
            return
        networks = self._server.properties_of(definition).get('networks') or []
        attachments = self._attachments()
        try:
            networks_property.assign_ports(attachments, (yield from self._interfaces.list()))
        except errors.NotFound:
            return
        released = [each for each in attachments if each.conflicts_with(networks)]
        if released:
            self._server.data_set(RELEASED, networks_property.dump(released))
            self._store([each for each in attachments if each not in released])
        for attachment in released:
            yield from self._detach(attachment)

    # ------------------------------------------------------------ one network

    def _prepare(self, network, index, released=()):
        """A generator: return the attachment of a network, with a port if it needs its own."""
        attachment = Attachment(network, network['port'])
        if networks_property.needs_port(network):
            attachment.port = yield from self._create_port(network, index)
            attachment.own = True
        elif network['port'] and network['port'] in released:
            yield from self._reclaim(network['port'])
        if network['floating_ip'] and attachment.port:
            yield from self._associate(network['floating_ip'], attachment.port, network['fixed_ip'])
        return attachment

    def _create_port(self, network, index):
        server = self._server
        network_id = yield from self._network_id(network)
        if self.interrupted and (created := self._created_ports(index)):
            return created[0]
        groups = [
            server.stack.clients().find('neutron.security_group', group)
            for group in server.properties['security_groups'] or ()
        ]
        name = networks_property.port_name(server.name, index)
        body = networks_property.port_body(name, network, network_id, groups)
        # _created_ports finds the port by its description: its name is not unique
        body.setdefault('description', server.physical_resource_name())
        port = yield from server.call_with_retry(
            server.client('neutron').create, '/ports', 'port', body
        )
        return port['id']

    def _network_id(self, network):
        if not network['subnet']:
            return network['network']
        server = self._server
        subnet = yield from server.call_with_retry(
            server.client('neutron').show, f'/subnets/{network["subnet"]}', 'subnet'
        )
        if network['network'] and network['network'] != subnet['network_id']:
            raise exception.StackValidationFailed(
                f'Specified subnet {network["subnet"]} does not belongs to network '
                f'{network["network"]}.'
            )
        return subnet['network_id']

    def _created_ports(self, index=None):
        """Return the ids of the ports created for the server; with ``index`` for one network."""
        query = {'description': self._server.physical_resource_name(), 'fields': 'id'}
        if index is not None:
            query['name'] = networks_property.port_name(self._server.name, index)
        listed = self._server.client('neutron').list('/ports', 'ports', **query)
        return [port['id'] for port in listed]

    def _update(self, attachment, network):
        """A generator: update the own port and the floating IP of an attachment that stays."""
        server = self._server
        if attachment.own:
            client, path = server.client('neutron'), f'/ports/{attachment.port}'
            show = functools.partial(client.show, path, 'port')
            body = networks_property.port_changes(attachment.network, network, show)
            if body:
                yield from server.call_with_retry(client.update, path, 'port', body)
        before, after = attachment.network['floating_ip'], network['floating_ip']
        if before and before != after:
            yield from self._disassociate(before)
        if after and before != after and attachment.port:
            yield from self._associate(after, attachment.port, network['fixed_ip'])
        attachment.network = Attachment(network).network

    # ------------------------------------------------------------ interfaces

    def _attach(self, attachment):
        body = networks_property.interface(attachment.network, attachment.port)
        port = yield from self._interfaces.attach(body)
        attachment.port = port if attachment.port else None

    def _allocate(self, allocation, free):
        """A generator: detach all interfaces for 'none'; let Nova attach one for 'auto'."""
        if allocation == 'none':
            for interface in free:
                yield from self._detach(Attachment({}, interface['port_id']))
        elif not free:
            yield from self._interfaces.attach({})

    def _detach(self, attachment, is_deleted=False):
        """A generator: take an attachment from the server, which may be deleted already."""
        if attachment.network['floating_ip'] and not attachment.own:
            yield from self._disassociate(attachment.network['floating_ip'])
        if attachment.port and not is_deleted:
            yield from self._interfaces.detach(attachment.port)
        if attachment.own:
            yield from self._delete_port(attachment.port)

    def _reclaim(self, port):
        """A generator: detach a released port from the server that still has it."""
        server = self._server
        show = server.client('neutron').show
        shown = yield from server.call_with_retry(show, f'/ports/{port}', 'port')
        holder = shown.get('device_id')
        if not holder or holder == server.resource_id:
            return
        path = f'/servers/{holder}/os-interface/{port}'
        yield from server.delete_path(path)
        for pause in retry_delays():
            shown = yield from server.call_with_retry(show, f'/ports/{port}', 'port')
            if not shown.get('device_id'):
                return
            yield pause

    def _delete_port(self, port):
        server = self._server
        yield from server.delete_if_present(server.client('neutron').delete, f'/ports/{port}')

    def _associate(self, floating_ip, port, fixed_ip=None):
        server = self._server
        body = {'port_id': port, **({'fixed_ip_address': fixed_ip} if fixed_ip else {})}
        path = f'/floatingips/{floating_ip}'
        yield from server.call_with_retry(server.client('neutron').update, path, 'floatingip', body)

    def _disassociate(self, floating_ip):
        server = self._server
        path, body = f'/floatingips/{floating_ip}', {'port_id': None}
        yield from server.delete_if_present(
            server.client('neutron').update, path, 'floatingip', body
        )

    # ------------------------------------------------------------ stored state

    def _networks(self):
        return self._server.properties['networks'] or []

    def _attachments(self):
        server = self._server
        networks = server.stored_properties().get('networks')
        data = server.data()
        own = networks_property.heat_ports(data.get(HEAT_PORTS))
        return networks_property.load(data.get(ATTACHMENTS), networks, own)

    def _store(self, attachments):
        self._server.data_set(ATTACHMENTS, networks_property.dump(attachments))
        self._server.data_delete(HEAT_PORTS)

    def _released(self):
        text = self._server.data().get(RELEASED)
        return set() if text is None else {each.port for each in networks_property.load(text, ())}
