"""The service under test: started once for each shape, shared by the tests that ask for it."""

import contextlib

import pytest

from heat_lite.engine import children, software
from heat_lite.resources import deployment, wait_condition
from tests.functional import shapes


@pytest.fixture(scope='session')
def services(tmp_path_factory):
    """Starts a shape when it is first asked for; ends all at the end."""
    with contextlib.ExitStack() as stack:
        started = {}

        def get(name):
            if name not in started:
                started[name] = stack.enter_context(shapes.shape(name, tmp_path_factory.mktemp(name)))
            return started[name]

        yield get


@pytest.fixture(autouse=True)
def no_second_look(monkeypatch):
    """News must come by itself: what is looked for now and then, in case it was lost, would otherwise be found after all."""
    for module in (children, software, deployment, wait_condition):
        monkeypatch.setattr(module, 'PATIENCE', 1000.0)


@pytest.fixture
def service(request, services):
    """A running service of the shape that the test names."""
    return services(request.param)
