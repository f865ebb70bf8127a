"""The service under test: started once for each shape, shared by the tests that ask for it."""

import contextlib

import pytest

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


@pytest.fixture
def service(request, services):
    """A running service of the shape that the test names."""
    return services(request.param)
