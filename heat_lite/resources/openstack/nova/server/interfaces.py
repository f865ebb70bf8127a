"""Interfaces of a server that exists: list, attach, detach, and wait for each change."""

import time

from heat_lite.common import exception
from heat_lite.resources.base.service_retry import retry_delays

#: seconds between the first two checks whether an interface is attached or detached; they double
#: up to the second number
FIRST_PAUSE, MAX_PAUSE = 0.5, 12.0
#: seconds that Nova may take to show the addresses of a new interface
ADDRESSES_TIMEOUT = 10
MAC = 'OS-EXT-IPS-MAC:mac_addr'


class ServerInterfaces:
    """The interfaces of ``server``, an OS::Nova::Server or an AWS::EC2::Instance."""

    def __init__(self, server):
        self._server = server

    def list(self):
        """A generator: return the interface attachments that Nova lists."""
        server = self._server
        return (
            yield from server.call_with_retry(
                server.client().list, self._path(), 'interfaceAttachments'
            )
        )

    def attach(self, body):
        """A generator: attach an interface, wait for it and return the id of its port."""
        server = self._server
        created = yield from server.call_with_retry(
            server.client().create, self._path(), 'interfaceAttachment', body
        )
        port_id = created['port_id']
        yield from self._wait_until(port_id, True)
        return port_id

    def detach(self, port_id):
        """A generator: detach the interface of a port, if there is one, and wait for that."""
        server = self._server
        yield from server.delete_path(f'{self._path()}/{port_id}')
        yield from self._wait_until(port_id, False)

    def _path(self):
        return f'{self._server.object_path()}/os-interface'

    def _wait_until(self, port_id, attached):
        attempts = self._server.stack.limits.max_interface_check_attempts
        for attempt in range(attempts):
            if attempt:
                yield min(FIRST_PAUSE * 2 ** (attempt - 1), MAX_PAUSE)
            listed = yield from self.list()
            if any(interface['port_id'] == port_id for interface in listed) == attached:
                return
        verb, preposition = ('attach', 'to') if attached else ('detach', 'from')
        raise exception.Error(
            f'Failed to {verb} interface ({port_id}) {preposition} '
            f'server ({self._server.resource_id})'
        )

    def wait_for_addresses(self):
        """A generator: wait until Nova shows the addresses of exactly the attached interfaces.

        Nova refreshes the addresses of a server some time after an interface has changed, and the
        attributes of the resource come from these addresses. A timeout is not a failure.
        """
        deadline = time.monotonic() + ADDRESSES_TIMEOUT
        for pause in retry_delays():
            listed = yield from self.list()
            attached = {each['mac_addr'] for each in listed if each.get('fixed_ips')}
            shown = yield from self._server.call_with_retry(self._server.fetch)
            with_address = {
                address.get(MAC)
                for addresses in shown['addresses'].values()
                for address in addresses
            }
            if attached == with_address or time.monotonic() > deadline:
                return
            yield pause
