import pytest

from tests.cluster import site as sites


@pytest.fixture(scope='module')
def site(request, tmp_path_factory):
    """A site for all tests of a module that have the same database and walk.

    Its logs stay, since the cause of a broken promise is in them.
    """
    kind, walk = request.param
    folder = tmp_path_factory.mktemp('-'.join(request.param))
    with sites.running(kind, walk == 'convergence', folder) as started:
        yield started
