"""What of a template must come first although nothing refers to it: subnets before ports, routes before addresses that need them.

``others`` are the definitions of the template by name. What is compared are values as far as they can be told now: a reference to a
resource that is not there yet is its name.
"""

from collections.abc import Mapping

from heat_lite.common import exception
from heat_lite.template import function

SUBNET, PORT, ROUTER = 'OS::Neutron::Subnet', 'OS::Neutron::Port', 'OS::Neutron::Router'
INTERFACE, GATEWAY = 'OS::Neutron::RouterInterface', 'OS::Neutron::RouterGateway'


def value(resource, definition, *path):
    """What is at a path of the properties of a definition; None where that cannot be told."""
    try:
        found = resource.stack.resolve(definition.properties)
    except (exception.HeatException, *function.ARGUMENT_ERRORS):
        return None
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def own(resource, *names):
    """The first of its own properties that says something: some have older names, too."""
    return _first(resource, resource.definition, *names)


def subnets_of(resource, others, network):
    """Names of the subnets of a network."""
    if network is None:
        return []
    return [name for name, each in _of_type(resource, others, SUBNET) if _first(resource, each, 'network', 'network_id') == network]


def interfaces_of(resource, others, router):
    """Names of what puts a router into subnets."""
    if router is None:
        return []
    return [name for name, each in _of_type(resource, others, INTERFACE) if _first(resource, each, 'router', 'router_id') == router]


def gateways_to(resource, others, network):
    """Names of what leads to a network outside."""
    if network is None:
        return
    yield from (name for name, each in _of_type(resource, others, GATEWAY) if _first(resource, each, 'network', 'network_id') == network)
    for name, each in _of_type(resource, others, ROUTER):
        if value(resource, each, 'external_gateway_info', 'network') == network:
            yield name


def interfaces_near(resource, others, port):
    """Names of what puts routers into the subnets of the network that a port of the template is on."""
    near = {_reference(resource, name) for name in subnets_near(resource, others, port)}
    if near:
        for name, each in _of_type(resource, others, INTERFACE):
            if _first(resource, each, 'subnet', 'subnet_id') in near:
                yield name


def subnets_near(resource, others, port):
    """Names of the subnets of the network that a port of the template is on."""
    for name, each in _of_type(resource, others, PORT):
        if port is not None and _reference(resource, name) == port:
            yield from subnets_of(resource, others, _first(resource, each, 'network', 'network_id'))


def _of_type(resource, others, kind):
    return [(name, each) for name, each in others.items() if each.resource_type == kind and name != resource.name]


def _first(resource, definition, *names):
    found = (value(resource, definition, name) for name in names)
    return next((each for each in found if each is not None), None)


def _reference(resource, name):
    return resource.stack.resource_for(name).reference_id()
