"""The values of properties in requests to container engines, and what engines show of them."""

import pytest

from heat_lite.common import exception
from heat_lite.resources.containers import container_body, image, live_container


@pytest.mark.parametrize('cpus', [0.01, 0.29, 1.15, 2.3, 64])
def test_number_of_cpus_is_shown_as_it_was_given(cpus):
    host = {'CpuQuota': container_body.cpu_quota(cpus), 'CpuPeriod': container_body.CPU_PERIOD}
    assert live_container.live_values({'HostConfig': host}, None)['cpus'] == cpus


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
