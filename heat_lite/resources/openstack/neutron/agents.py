"""Which agents serve a network, or run a router: only an administrator says so."""

import dataclasses

from heat_lite.clients import errors


@dataclasses.dataclass(frozen=True)
class Agents:
    """``listed`` is where an object tells its agents, ``served`` where an agent keeps its objects, ``key`` what names the object there."""

    listed: str
    served: str
    key: str


DHCP = Agents('dhcp-agents', 'dhcp-networks', 'network_id')
L3 = Agents('l3-agents', 'l3-routers', 'router_id')


def assign(resource, kind, wanted):
    """A generator: from now on these agents, and no others, serve the object."""
    client = resource.client()
    wanted = {each for each in wanted or () if each}
    present = {each['id'] for each in client.list(f'{resource.object_path()}/{kind.listed}', 'agents')}
    for agent in sorted(present - wanted):
        yield from resource.take_away(client.delete, f'/agents/{agent}/{kind.served}/{resource.resource_id}')
    for agent in sorted(wanted - present):
        try:
            yield from resource.ask(client.ask, 'POST', f'/agents/{agent}/{kind.served}', {kind.key: resource.resource_id})
        except errors.Conflict:
            continue  # the service has chosen it by itself meanwhile
