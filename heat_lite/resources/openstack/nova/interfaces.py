"""Interfaces of a server that is there: what it is plugged in to."""

import time

from heat_lite.common import exception
from heat_lite.resources.cloud import ServiceObject, pauses

#: seconds until an interface must have come, or gone
PATIENCE = 60
#: seconds that a server may take to tell of what it is plugged in to
HESITATION = 10
MAC = 'OS-EXT-IPS-MAC:mac_addr'


class Interfaced(ServiceObject):
    """What is mixed into types of servers."""

    def interfaces(self):
        """A generator: what the compute service tells of them."""
        return (yield from self.ask(self.client().list, f'{self.object_path()}/os-interface', 'interfaceAttachments'))

    def attach_interface(self, said):
        """A generator: plugs the server in, and waits until it is. Gives the id of the port."""
        path = f'{self.object_path()}/os-interface'
        port = (yield from self.ask(self.client().create, path, 'interfaceAttachment', said))['port_id']
        yield from self._until_plugged(port, True)
        return port

    def detach_interface(self, port):
        yield from self.take_away(self.client().delete, f'{self.object_path()}/os-interface/{port}')
        yield from self._until_plugged(port, False)

    def _until_plugged(self, port, wanted):
        until = time.monotonic() + PATIENCE
        for pause in pauses():
            there = any(each['port_id'] == port for each in (yield from self.interfaces()))
            if there == wanted:
                return
            if time.monotonic() > until:
                verb, way = ('attach', 'to') if wanted else ('detach', 'from')
                raise exception.Error(f'Failed to {verb} interface ({port}) {way} server ({self.resource_id})')
            yield pause

    def until_addresses_told(self):
        """A generator: waits until the server tells of the addresses that it has. It does so a moment later than it is plugged in to them,
        or out of them, and what it tells now is what its attributes are. That it takes too long is no failure."""
        until = time.monotonic() + HESITATION
        for pause in pauses():
            plugged = {each['mac_addr'] for each in (yield from self.interfaces()) if each.get('fixed_ips')}
            shown = yield from self.ask(self.look)
            if plugged == {each.get(MAC) for one in shown['addresses'].values() for each in one} or time.monotonic() > until:
                return
            yield pause
