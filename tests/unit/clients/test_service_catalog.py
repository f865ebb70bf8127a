"""URLs of APIs by their endpoints in the catalog, and the custom constraints of Heat."""

import json
from pathlib import Path

import pytest

from heat_lite import resources
from heat_lite.clients.finders import FINDERS
from heat_lite.clients.service_catalog import SERVICES
from heat_lite.template import format_constraints

FACTS = json.loads((Path(__file__).parents[2] / 'reference' / 'resource_types.json').read_text())[
    'types'
]

#: all custom constraints of Heat 27
CONSTRAINTS = (
    'barbican.container barbican.secret blazar.reservation cinder.backup cinder.qos_specs '
    'cinder.snapshot cinder.volume cinder.vtype cron_expression designate.zone dns_domain '
    'dns_name expiration glance.image ip_addr ip_or_cidr ironic.node ironic.portgroup iso_8601 '
    'json_string keystone.domain keystone.group keystone.project keystone.region keystone.role '
    'keystone.service keystone.user mac_addr magnum.cluster_template manila.share_network '
    'manila.share_snapshot manila.share_type mistral.workflow net_cidr neutron.address_scope '
    'neutron.flow_classifier neutron.lbaas.listener neutron.lbaas.loadbalancer '
    'neutron.lbaas.pool neutron.lbaas.provider neutron.network neutron.port neutron.port_pair '
    'neutron.port_pair_group neutron.qos_policy neutron.router neutron.security_group '
    'neutron.segment neutron.subnet neutron.subnetpool neutron.taas.tap_flow '
    'neutron.taas.tap_service nova.flavor nova.host nova.keypair nova.network nova.server '
    'octavia.availabilityzone octavia.availabilityzoneprofile octavia.flavor '
    'octavia.flavorprofile octavia.l7policy octavia.listener octavia.loadbalancer octavia.pool '
    'rel_dns_name test_constr timezone trove.flavor zaqar.queue'
).split()


@pytest.mark.parametrize(
    ('name', 'endpoint', 'base'),
    [
        ('neutron', 'http://c:9696', 'http://c:9696/v2.0'),
        ('neutron', 'http://c:9696/', 'http://c:9696/v2.0'),
        ('neutron', 'http://c/networking/v2.0', 'http://c/networking/v2.0'),
        ('cinder', 'http://c/volume/v3/abc', 'http://c/volume/v3/abc'),
        ('cinder', 'http://v3.example.org/volume', 'http://v3.example.org/volume/v3'),
        ('nova', 'http://c/compute/v2.1', 'http://c/compute/v2.1'),
        ('keystone', 'http://c/identity', 'http://c/identity/v3'),
        ('swift', 'http://c:8080/v1/AUTH_x', 'http://c:8080/v1/AUTH_x'),
    ],
)
def test_url_has_version_whether_the_endpoint_has_it_or_not(name, endpoint, base):
    assert SERVICES[name].url(endpoint) == base


def test_client_of_each_resource_type_exists():
    assert {facts['client'] for facts in FACTS.values() if facts.get('client')} <= SERVICES.keys()


def constraints(schemata):
    for schema in schemata.values():
        yield from (each['custom'] for each in schema.get('constraints', ()) if 'custom' in each)
        yield from constraints(schema.get('keys', {}))
        yield from constraints({'*': schema['items']} if 'items' in schema else {})


def test_constraint_of_each_property_exists():
    wanted = {name for facts in FACTS.values() for name in constraints(facts['properties'])}
    assert wanted <= {*format_constraints.CHECKS, *FINDERS, *resources.CHECKS}


def test_service_of_each_finder_exists():
    assert {kind.service for kind in FINDERS.values()} <= SERVICES.keys()


def test_each_constraint_of_heat_exists():
    assert len(CONSTRAINTS) == 70
    assert set(CONSTRAINTS) <= {*format_constraints.CHECKS, *FINDERS, *resources.CHECKS}
