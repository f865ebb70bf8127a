"""The client of container engines: connections and errors."""

import pytest

from heat_lite.clients import container_engine, errors

OPTIONS = {
    'timeout': 5,
    'ca_file': None,
    'cert_file': None,
    'key_file': None,
    'insecure': False,
}


def test_engine_that_cannot_be_reached_is_unavailable_and_named(tmp_path):
    url = f'unix://{tmp_path}/none.sock'
    engine = container_engine.ContainerEngine(url, OPTIONS)
    with pytest.raises(errors.Unavailable, match='none.sock cannot be reached') as caught:
        engine.call('containers')
    assert caught.value.transient


def test_connection_over_ssh_uses_the_client_of_the_user():
    options = container_engine.connection_options('ssh://me@host', OPTIONS)
    assert options['use_ssh_client'] and options['base_url'] == 'ssh://me@host'


def test_connection_with_certificates_verifies_the_host():
    files = {'ca_file': __file__, 'cert_file': __file__, 'key_file': __file__}
    options = container_engine.connection_options('tcp://host:2376', {**OPTIONS, **files})
    assert options['tls'].verify == __file__ and options['tls'].cert == (__file__, __file__)


def test_socket_has_no_tls():
    files = {'ca_file': __file__, 'cert_file': __file__, 'key_file': __file__}
    options = container_engine.connection_options('unix:///x', {**OPTIONS, **files})
    assert 'tls' not in options


@pytest.mark.parametrize('text', ['name "x" is already in use', 'network already exists'])
def test_conflicts_that_podman_reports_as_server_errors_are_recognized(text):
    assert container_engine._CONFLICT.search(text)
