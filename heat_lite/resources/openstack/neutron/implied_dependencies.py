"""Dependencies without a reference: subnets before ports, routes before floating IPs.

``others`` are the definitions of the template by name. Values are compared as far as they are known
before the create: the value of a reference is the name of the resource.
"""

from collections.abc import Mapping

from heat_lite.common import exception
from heat_lite.template import function

SUBNET, PORT, ROUTER = 'OS::Neutron::Subnet', 'OS::Neutron::Port', 'OS::Neutron::Router'
INTERFACE, GATEWAY = 'OS::Neutron::RouterInterface', 'OS::Neutron::RouterGateway'


def value(resource, definition, *path):
    """Return the value at a path of the properties of a definition; None if it is unknown."""
    try:
        found = resource.stack.resolve(definition.properties)
    except (exception.HeatException, *function.ARGUMENT_ERRORS):
        return None
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def own(resource, *names):
    """Return the first of the resource's own properties with a value: some have older names."""
    return _first(resource, resource.definition, *names)


def maps(resource, name):
    """Return the maps in the list of one of the resource's own properties.

    Dependencies are computed before the validation, which refuses any other value.
    """
    found = value(resource, resource.definition, name)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def subnets_of(resource, others, network):
    """Return the names of the subnets of a network."""
    return _connected(resource, others, SUBNET, 'network', network)


def interfaces_of(resource, others, router):
    """Return the names of the resources that add interfaces to a router."""
    return _connected(resource, others, INTERFACE, 'router', router)


def gateways_to(resource, others, network):
    """Return the names of the resources that connect routers to an external network."""
    if network is None:
        return
    yield from _connected(resource, others, GATEWAY, 'network', network)
    for name, each in _of_type(resource, others, ROUTER):
        if value(resource, each, 'external_gateway_info', 'network') == network:
            yield name


def interfaces_near(resource, others, port):
    """Return the names of the router interfaces on the network of a port of the template."""
    near = {_reference(resource, name) for name in subnets_near(resource, others, port)}
    if near:
        for name, each in _of_type(resource, others, INTERFACE):
            if _first(resource, each, 'subnet', 'subnet_id') in near:
                yield name


def subnets_near(resource, others, port):
    """Return the names of the subnets on the network of a port of the template."""
    for name, each in _of_type(resource, others, PORT):
        if port is not None and _reference(resource, name) == port:
            yield from subnets_of(resource, others, _first(resource, each, 'network', 'network_id'))


def _connected(resource, others, kind, key, target):
    """Return the names of the resources of a type whose property ``key`` refers to ``target``."""
    return [
        name
        for name, each in _of_type(resource, others, kind)
        if target is not None and _first(resource, each, key, f'{key}_id') == target
    ]


def _of_type(resource, others, kind):
    return [
        (name, each)
        for name, each in others.items()
        if each.resource_type == kind and name != resource.name
    ]


def _first(resource, definition, *names):
    found = (value(resource, definition, name) for name in names)
    return next((each for each in found if each is not None), None)


def _reference(resource, name):
    return resource.stack.resource_for(name).reference_id()
