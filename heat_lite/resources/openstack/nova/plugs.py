"""Plugging a server into its networks, and out of them: ports that are made for it, interfaces, floating IPs."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.cloud import pauses
from heat_lite.resources.openstack.nova import networks
from heat_lite.resources.openstack.nova.interfaces import Interfaced

#: where it is remembered what the server is plugged in to; and what it has lent to the server that is to replace it
PLUGS, LENT = 'plugs', 'lent'
EXTRA = 'port_extra_properties'


class Plugged(Interfaced):
    """What is mixed into the type of servers."""

    #: whether an engine has died while it made the server
    interrupted = False

    def find_existing(self):
        """It is asked where an engine has died: then there may be ports, too, of which nobody heard."""
        self.interrupted = True
        return super().find_existing()

    # ------------------------------------------------------------ with the server

    def plug_in_new(self):
        """A generator: the networks as the request for a server names them; its own ports are made first."""
        given = self.properties['networks'] or []
        alone = networks.allocation(given)
        if alone is not None:
            self._remember([])
            return alone
        plugs, nics = [], []
        for number, each in enumerate(given):
            plug = yield from self._prepared(each, number)
            plugs.append(plug)
            nics.append(networks.nic(each, plug.port))
            # each is remembered at once: what comes next may fail
            self._remember(plugs)
        return nics

    def find_own_ports(self):
        """A server that an engine has made which then died: what it had plugged in is found again."""
        plugs = []
        for number, each in enumerate(self.properties['networks'] or ()):
            lost = self._lost_ports(number) if networks.wants_port(each) else []
            plugs.append(networks.Plug(each, lost[0] if lost else each['port'], own=bool(lost)))
        self._remember(plugs if networks.allocation(self.properties['networks']) is None else [])

    def unplug_all(self):
        """A generator: the ports that were made for the server go with it; floating IPs lead nowhere then."""
        for plug in self._plugs():
            if plug.said['floating_ip'] and not plug.own:
                yield from self._float(plug.said['floating_ip'], None)
            yield from self._remove_port(plug)
        for port in self._lost_ports() if self.interrupted else ():
            yield from self.take_away(self.client('neutron').delete, f'/ports/{port}')
        self.data_delete(PLUGS)

    def has_ports(self):
        return any(plug.own for plug in self._plugs())

    # ------------------------------------------------------------ while it is there

    def plug_otherwise(self, diff):
        """A generator: after an update the server is plugged in to what the template says now."""
        lent = self._lent()
        if 'networks' not in diff and not lent:
            return
        given = self.properties['networks'] or []
        alone = networks.allocation(given)
        wanted = [] if alone is not None else given
        plugs = [plug for plug in self._plugs() if plug.port not in lent]
        found = yield from self.interfaces()
        free = networks.find_ports(plugs, found)
        stays, gone, new = networks.compare(plugs, wanted, found)
        for plug in gone:
            yield from self._unplug(plug)
        if alone is not None:
            yield from self._plug_in_anywhere(alone, free)
        kept = [plug for plug, _ in stays]
        self._remember(kept)
        for plug, each in stays:
            yield from self._adapt(plug, each)
        for each in new:
            plug = yield from self._prepared(each, given.index(each), lent)
            kept.append(plug)
            self._remember(kept)
            yield from self._plug_in(plug)
        self.data_delete(LENT)
        if gone or new or alone is not None:
            yield from self.until_addresses_told()

    def prepare_for_replace(self, definition):
        """A generator: what only one server can have, a port or a fixed address, is let go for the one that comes instead."""
        if self.resource_id is None:
            return
        wanted = self.properties_of(definition).get('networks') or []
        plugs = self._plugs()
        try:
            networks.find_ports(plugs, (yield from self.interfaces()))
        except errors.NotFound:
            return
        lent = [plug for plug in plugs if plug.takes_from(wanted)]
        if lent:
            # first remembered, for should it come back it has to be plugged in again
            self.data_set(LENT, networks.stored(lent))
            self._remember([plug for plug in plugs if plug not in lent])
        for plug in lent:
            yield from self._unplug(plug)

    def needs_update(self, definition):
        """A server that was to be replaced, and was not, gets back what it had lent."""
        return LENT in self.data() or super().needs_update(definition)

    # ------------------------------------------------------------ one network

    def _prepared(self, given, number, lent=()):
        """A generator: the plug of a network of the template, with a port where it needs one of its own."""
        plug = networks.Plug(given, given['port'])
        if networks.wants_port(given):
            plug.port = yield from self._make_port(given, number)
            plug.own = True
        elif given['port'] and given['port'] in lent:
            yield from self._take_back(given['port'])
        if given['floating_ip'] and plug.port:
            yield from self._float(given['floating_ip'], plug.port, given['fixed_ip'])
        return plug

    def _make_port(self, given, number):
        network = yield from self._network_of(given)
        if self.interrupted and (found := self._lost_ports(number)):
            return found[0]
        groups = [self.stack.clients().find('neutron.security_group', each) for each in self.properties['security_groups'] or ()]
        body = networks.port_body(networks.port_name(self.name, number), given, network, groups)
        # by it the port is found again, should nobody hear that it was made: names are those of other stacks, too
        body.setdefault('description', self.physical_resource_name())
        return (yield from self.ask(self.client('neutron').create, '/ports', 'port', body))['id']

    def _network_of(self, given):
        if not given['subnet']:
            return given['network']
        subnet = yield from self.ask(self.client('neutron').show, f'/subnets/{given["subnet"]}', 'subnet')
        if given['network'] and given['network'] != subnet['network_id']:
            raise exception.StackValidationFailed(f'Specified subnet {given["subnet"]} does not belongs to network {given["network"]}.')
        return subnet['network_id']

    def _lost_ports(self, number=None):
        """Ids of ports that were made for the server, maybe without anybody hearing of it."""
        query = {'description': self.physical_resource_name(), 'fields': 'id'}
        if number is not None:
            query['name'] = networks.port_name(self.name, number)
        return [each['id'] for each in self.client('neutron').list('/ports', 'ports', **query)]

    def _adapt(self, plug, given):
        """A generator: what can be changed of a port of the server's own, and of the floating IP that leads to it."""
        if plug.own and plug.said[EXTRA] != given[EXTRA]:
            body = networks.port_body(networks.port_name(self.name, 0), given, None, ())
            for name in ('name', 'network_id', 'mac_address', *(() if 'no_fixed_ips' in body else ('fixed_ips',))):
                body.pop(name, None)
            yield from self.ask(self.client('neutron').update, f'/ports/{plug.port}', 'port', body)
        before, after = plug.said['floating_ip'], given['floating_ip']
        if before and before != after:
            yield from self._float(before, None)
        if after and before != after and plug.port:
            yield from self._float(after, plug.port, given['fixed_ip'])
        plug.said = networks.Plug(given).said

    # ------------------------------------------------------------ interfaces

    def _plug_in(self, plug):
        port = yield from self.attach_interface(networks.interface(plug.said, plug.port))
        plug.port = port if plug.port else None

    def _plug_in_anywhere(self, how, free):
        """Without any networks in the template one is found by the compute service; with "none" nothing stays plugged in."""
        if how == 'none':
            for each in free:
                yield from self._unplug(networks.Plug({}, each['port_id']))
        elif not free:
            yield from self.attach_interface({})

    def _unplug(self, plug):
        if plug.said['floating_ip'] and not plug.own:
            yield from self._float(plug.said['floating_ip'], None)
        if plug.port:
            yield from self.detach_interface(plug.port)
        yield from self._remove_port(plug)

    def _take_back(self, port):
        """A generator: a port that was lent to another server, which may still have it."""
        found = yield from self.ask(self.client('neutron').show, f'/ports/{port}', 'port')
        holder = found.get('device_id')
        if holder and holder != self.resource_id:
            yield from self.take_away(self.client().delete, f'/servers/{holder}/os-interface/{port}')
            for pause in pauses():
                found = yield from self.ask(self.client('neutron').show, f'/ports/{port}', 'port')
                if not found.get('device_id'):
                    return
                yield pause

    def _remove_port(self, plug):
        if plug.own:
            yield from self.take_away(self.client('neutron').delete, f'/ports/{plug.port}')

    def _float(self, floating_ip, port, fixed_ip=None):
        """A generator: the floating IP leads to a port, or nowhere."""
        body = {'port_id': port, **({'fixed_ip_address': fixed_ip} if fixed_ip else {})}
        call = self.take_away if port is None else self.ask
        yield from call(self.client('neutron').update, f'/floatingips/{floating_ip}', 'floatingip', body)

    # ------------------------------------------------------------ what is remembered

    def _plugs(self):
        return networks.loaded(self.data().get(PLUGS), self.held('networks') if self.record.properties else ())

    def _remember(self, plugs):
        self.data_set(PLUGS, networks.stored(plugs))

    def _lent(self):
        text = self.data().get(LENT)
        return set() if text is None else {plug.port for plug in networks.loaded(text, ())}
