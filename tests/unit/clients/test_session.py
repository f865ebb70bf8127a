"""Which certificates and interfaces count for a service: its own options, else those for all."""

import pytest

from heat_lite.clients import session
from tests.unit.clients.test_clients import conf, place  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments


def test_a_service_has_options_of_its_own_or_those_of_all(conf):
    conf.set_override('ca_file', '/all.pem', 'clients')
    conf.set_override('ca_file', '/nova.pem', 'clients_nova')
    assert session.options(conf, 'nova')('ca_file') == '/nova.pem'
    assert session.options(conf, 'cinder')('ca_file') == '/all.pem'
    assert session.options(conf, 'blazar')('ca_file') == '/all.pem', 'a service without a group of its own'
    assert session.options(conf, 'cinder')('endpoint_type') == 'public'


@pytest.mark.parametrize(
    ('given', 'verify'),
    [({}, True), ({'ca_file': '/ca.pem'}, '/ca.pem'), ({'insecure': True}, False), ({'insecure': True, 'ca_file': '/ca.pem'}, False)],
)
def test_how_the_certificate_of_a_service_is_checked(given, verify, conf):
    for name, value in given.items():
        conf.set_override(name, value, 'clients_neutron')
    assert session.plain(conf, service='neutron').verify == verify
    assert session.plain(conf, service='nova').verify is True


def test_a_service_that_is_to_be_checked_although_others_are_not(conf):
    conf.set_override('insecure', True, 'clients')
    conf.set_override('insecure', False, 'clients_keystone')
    assert session.plain(conf, service='keystone').verify is True
    assert session.plain(conf, service='nova').verify is False


@pytest.mark.parametrize(
    ('given', 'cert'),
    [
        ({}, None),
        ({'cert_file': '/c.pem'}, '/c.pem'),
        ({'cert_file': '/c.pem', 'key_file': '/k.pem'}, ('/c.pem', '/k.pem')),
        ({'key_file': '/k.pem'}, None),
    ],
)
def test_who_we_prove_to_be(given, cert, conf):
    for name, value in given.items():
        conf.set_override(name, value, 'clients_cinder')
    assert session.plain(conf, service='cinder').cert == cert
