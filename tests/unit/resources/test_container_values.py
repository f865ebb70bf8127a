"""The values of properties in requests to container engines, and what engines show of them."""

import pytest

from heat_lite.common import exception
from heat_lite.resources.containers import (
    container_body,
    docker_container,
    image,
)


@pytest.mark.parametrize('cpus', [0.01, 0.29, 1.15, 2.3, 64])
def test_number_of_cpus_is_shown_as_it_was_given(cpus):
    host = {'CpuQuota': container_body.cpu_quota(cpus), 'CpuPeriod': container_body.CPU_PERIOD}
    assert container_body.live_values({'HostConfig': host}, None)['cpus'] == cpus


def test_base64_of_a_file_may_have_several_lines():
    assert image._file('f', {'base64': '  aGVs\n  bG8=\n'})['content'] == b'hello'


@pytest.mark.parametrize('text', ['data:;base64,aGVsbG8=', '_-_-', 'aGVsbG8', 'é', 5, ['x']])
def test_file_that_is_not_in_base64_is_refused(text):
    with pytest.raises(exception.Error, match='the file "f" is not in base64'):
        image._file('f', {'base64': text})


NO_RIGHTS = dict.fromkeys(
    'volumes devices privileged cap_add network_mode pid_mode ipc_mode security_opt networks '
    'log_options'.split()
)


@pytest.mark.parametrize(
    'given, right',
    [
        ({'log_options': {'path': '/etc/some.conf'}}, 'host_paths'),
        ({'log_options': {'PATH=/etc/some.conf': ''}}, 'host_paths'),
        ({'networks': [{'network': 'host'}]}, 'privileged'),
        ({'networks': [{'network': 'net'}], 'log_options': {'max-size': '1m'}}, None),
    ],
)
def test_uses_of_the_host_need_a_right(given, right):
    found = [option for option, _ in container_body.host_uses(NO_RIGHTS | given)]
    assert found == ([right] if right else [])


@pytest.mark.parametrize(
    'given, hosts',
    [
        ([{'HostIp': '', 'HostPort': '8080'}], [('', '8080')]),
        ({'HostPort': 8080}, [('', '8080')]),
        ([8080, '8081'], [('', '8080'), ('', '8081')]),
        (['127.0.0.1', 8080], [('127.0.0.1', '8080')]),
        ('127.0.0.1:8080', [('127.0.0.1', '8080')]),
        ([['::1', 80], {'HostIp': '127.0.0.1'}], [('::1', '80'), ('127.0.0.1', '')]),
        ('8000-8010', [('', '8000-8010')]),
        (None, [('', '')]),
        ([], [('', '')]),
    ],
)
def test_port_binding_is_read_in_each_form_of_docker(given, hosts):
    wanted = [{'HostIp': ip, 'HostPort': port} for ip, port in hosts]
    assert docker_container._binding('80', given) == ('80/tcp', wanted)


@pytest.mark.parametrize('given', [{'Port': 80}, True, 'http', ['x', 80], [{'HostPort': [80]}]])
def test_port_binding_of_another_form_is_refused_with_its_place(given):
    with pytest.raises(exception.StackValidationFailed) as caught:
        docker_container._binding('80/udp', given)
    assert caught.value.path == ('properties', 'port_bindings', '80/udp')


def test_scalars_become_texts_as_json_has_them():
    given = {'a': True, 'b': 1.5, 'c': 10, 'd': None, 'e': 'True'}
    texts = {'a': 'true', 'b': '1.5', 'c': '10', 'd': '', 'e': 'True'}
    assert container_body.map_of_texts(given) == texts
    assert container_body.texts([False, 0]) == ['false', '0']


@pytest.mark.parametrize('mode', [755, '0755'])
def test_file_of_a_context_gets_texts(mode):
    given = image._file('f', {'content': True, 'mode': mode})
    assert given == {'content': 'true', 'mode': str(mode)}
