"""The service under test: started once for each deployment shape and shared by the tests."""

import contextlib

import pytest

from heat_lite.engine.execution import nested_stacks
from heat_lite.engine.software import software
from heat_lite.resources.base import deployment, wait_condition
from tests.functional import shapes


@pytest.fixture(scope='session')
def services(tmp_path_factory):
    """A function from the name of a shape to its running service, started on first use."""
    with contextlib.ExitStack() as stack:
        started = {}

        def get(name):
            if name not in started:
                started[name] = stack.enter_context(
                    shapes.shape(name, tmp_path_factory.mktemp(name))
                )
            return started[name]

        yield get


@pytest.fixture(autouse=True)
def disable_polling(monkeypatch):
    """Disable the fallback polls: a test fails if a notification is lost."""
    for module in (nested_stacks, software, deployment, wait_condition):
        monkeypatch.setattr(module, 'POLL_SECONDS', 1000.0)


@pytest.fixture
def service(request, services):
    """The running service of the shape that the test names."""
    return services(request.param)
