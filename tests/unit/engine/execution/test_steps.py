import pytest

from heat_lite.engine.execution import steps


@pytest.mark.parametrize(
    'reason',
    [
        'ValueError: resources.web: told to fail',
        'NotFound: resources.web.resources.inner.resources[0]: gone: for ever',
        'resources.web: without a class',
        'CREATE aborted (user triggered cancel)',
    ],
)
def test_recorded_failure_repeats_its_reason(reason):
    failure = steps.recorded_failure('web', 'CREATE', reason)
    assert str(failure) == reason and failure.action == 'CREATE'


@pytest.mark.parametrize('name', ['web', 'a.b', '3'])
def test_recorded_failure_names_its_resource(name):
    rendered = '[3]' if name == '3' else f'.{name}'
    failure = steps.recorded_failure(name, 'CHECK', f'Error: resources{rendered}: gone')
    assert failure.path[:2] == ('resources', name)
    assert str(failure) == f'Error: resources{rendered}: gone'


def test_recorded_failure_without_a_place_has_no_path():
    assert not steps.recorded_failure('web', 'CHECK', 'CHECK aborted (Timed out)').path
