"""The agents that serve a network or a router. Requires administrator rights."""

import dataclasses

from heat_lite.clients import errors


@dataclasses.dataclass(frozen=True)
class Agents:
    """The agents of an object.

    ``listed`` is the sub-path of the object that lists its agents, ``served`` the path of an agent
    that lists its objects, ``key`` the key of the object's id in a request.
    """

    listed: str
    served: str
    key: str


DHCP = Agents('dhcp-agents', 'dhcp-networks', 'network_id')
L3 = Agents('l3-agents', 'l3-routers', 'router_id')


def assign(resource, kind, wanted):
    """A generator: assign the object to exactly these agents."""
    client = resource.client()
    wanted = {each for each in wanted or () if each}
    present = {
        each['id'] for each in client.list(f'{resource.object_path()}/{kind.listed}', 'agents')
    }
    for agent in sorted(present - wanted):
        yield from resource.delete_if_present(
            client.delete, f'/agents/{agent}/{kind.served}/{resource.resource_id}'
        )
    for agent in sorted(wanted - present):
        try:
            yield from resource.call_with_retry(
                client.request_json,
                'POST',
                f'/agents/{agent}/{kind.served}',
                {kind.key: resource.resource_id},
            )
        except errors.Conflict:
            continue  # Neutron has scheduled the object to the agent meanwhile
