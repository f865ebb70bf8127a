"""Certificates and interfaces of a service: its own options precede those of [clients]."""

import pytest

from heat_lite.clients import keystone_session
from tests.unit.clients.test_clients import conf, running_cloud  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments


def test_option_of_service_precedes_that_of_clients(conf):
    conf.set_override('ca_file', '/all.pem', 'clients')
    conf.set_override('ca_file', '/nova.pem', 'clients_nova')
    assert keystone_session.options(conf, 'nova')('ca_file') == '/nova.pem'
    assert keystone_session.options(conf, 'cinder')('ca_file') == '/all.pem'
    assert keystone_session.options(conf, 'blazar')('ca_file') == '/all.pem', (
        '[clients_blazar] does not exist'
    )
    assert keystone_session.options(conf, 'cinder')('endpoint_type') == 'public'


@pytest.mark.parametrize(
    ('given', 'verify'),
    [
        ({}, True),
        ({'ca_file': '/ca.pem'}, '/ca.pem'),
        ({'insecure': True}, False),
        ({'insecure': True, 'ca_file': '/ca.pem'}, False),
    ],
)
def test_verify_follows_ca_file_and_insecure_of_the_service(given, verify, conf):
    for name, value in given.items():
        conf.set_override(name, value, 'clients_neutron')
    assert keystone_session.create_session(conf, service='neutron').verify == verify
    assert keystone_session.create_session(conf, service='nova').verify is True


def test_insecure_false_of_service_precedes_insecure_of_clients(conf):
    conf.set_override('insecure', True, 'clients')
    conf.set_override('insecure', False, 'clients_keystone')
    assert keystone_session.create_session(conf, service='keystone').verify is True
    assert keystone_session.create_session(conf, service='nova').verify is False


@pytest.mark.parametrize(
    ('given', 'cert'),
    [
        ({}, None),
        ({'cert_file': '/c.pem'}, '/c.pem'),
        ({'cert_file': '/c.pem', 'key_file': '/k.pem'}, ('/c.pem', '/k.pem')),
        ({'key_file': '/k.pem'}, None),
    ],
)
def test_cert_follows_cert_file_and_key_file(given, cert, conf):
    for name, value in given.items():
        conf.set_override(name, value, 'clients_cinder')
    assert keystone_session.create_session(conf, service='cinder').cert == cert
