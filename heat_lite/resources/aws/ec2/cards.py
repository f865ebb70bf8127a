"""The network cards of an instance: those that the template names, one that is made for its subnet, or what the cloud finds."""

import contextlib

from heat_lite.clients import errors
from heat_lite.resources.aws.ec2.base import NETWORK_SERVICE
from heat_lite.resources.openstack.nova.interfaces import Interfaced

CARDS, SUBNET = 'NetworkInterfaces', 'SubnetId'
#: what is remembered: the port that was made, and that ports were let go for another instance
PORT, LENT = 'port', 'lent'
#: without cards and subnet: the compute service takes the network that the project has
ANY = 'auto'


class Carded(Interfaced):
    """What is mixed into the type of instances."""

    def groups(self):
        """The ids of the security groups."""
        given = [*(self.properties['SecurityGroups'] or ()), *(self.properties['SecurityGroupIds'] or ())]
        return [self.stack.clients().find('neutron.security_group', each) for each in given]

    def first_cards(self):
        """A generator: the cards as the request for a server names them."""
        cards = yield from self._wanted()
        return ANY if cards is None else [{'port': each} for each in cards]

    def _wanted(self):
        """A generator: the ids of the ports; None where any network will do."""
        if self.properties[CARDS]:
            return _ports(self.properties[CARDS])
        subnet = self.properties[SUBNET]
        return [(yield from self._made_port(subnet))] if subnet else None

    # ------------------------------------------------------------ the port of its subnet

    def _made_port(self, subnet):
        found = self._lost_port()
        if found is None:
            network = (yield from self.ask(self.client(NETWORK_SERVICE).show, f'/subnets/{subnet}', 'subnet'))['network_id']
            values = {'name': self.physical_resource_name(), 'network_id': network, 'fixed_ips': [{'subnet_id': subnet}]}
            if self.groups():
                values['security_groups'] = self.groups()
            found = yield from self.ask(self.client(NETWORK_SERVICE).create, '/ports', 'port', values)
        self.data_set(PORT, found['id'])
        return found['id']

    def _lost_port(self):
        """What an interrupted create has made: its name is that of no other."""
        return next(iter(self.client(NETWORK_SERVICE).list('/ports', 'ports', name=self.physical_resource_name())), None)

    def has_port(self):
        return PORT in self.data()

    def remove_port(self):
        """A generator: the port that was made for it goes with it."""
        if self.has_port():
            yield from self.take_away(self.client(NETWORK_SERVICE).delete, f'/ports/{self.data()[PORT]}')
            self.data_delete(PORT)

    # ------------------------------------------------------------ updates

    def change_cards(self, diff):
        """A generator: other cards, or another subnet."""
        if CARDS not in diff and SUBNET not in diff and LENT not in self.data():
            return
        there = {each['port_id'] for each in (yield from self.interfaces())}
        own = self.data().get(PORT)
        stays = set() if SUBNET in diff else {own}
        for port in there - stays - set(_ports(self.properties[CARDS])):
            yield from self.detach_interface(port)
        if own is not None and own not in stays:
            yield from self.remove_port()
        wanted = yield from self._wanted()
        present = {each['port_id'] for each in (yield from self.interfaces())}
        for port in [each for each in wanted or () if each not in present]:
            yield from self.attach_interface({'port_id': port})
        if wanted is None and not present:
            yield from self.attach_interface({})
        self.data_delete(LENT)
        yield from self.until_addresses_told()

    def prepare_for_replace(self, definition):
        """A generator: cards that the instance in its place is to have are let go."""
        if self.resource_id is None:
            return
        wanted = set(_ports(self.properties_of(definition)[CARDS]))
        with contextlib.suppress(errors.NotFound):
            for port in [each['port_id'] for each in (yield from self.interfaces()) if each['port_id'] in wanted]:
                self.data_set(LENT, 'yes')
                yield from self.detach_interface(port)

    def needs_update(self, definition):
        """What was to be replaced, and was not, gets its cards back."""
        return LENT in self.data() or super().needs_update(definition)


def _ports(cards):
    """The ids of cards: texts, or maps that say which comes first."""
    given = [each if isinstance(each, dict) else {'NetworkInterfaceId': each} for each in cards or ()]
    return [each['NetworkInterfaceId'] for each in sorted(given, key=lambda each: int(each.get('DeviceIndex', 0)))]
