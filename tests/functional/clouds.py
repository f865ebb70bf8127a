"""An engine beside a cloud for tests: fixtures for the modules that import them."""

import uuid

import pytest

from heat_lite.common.context import RequestContext
from tests import cloud, databases, engines, samples


@pytest.fixture(scope='module')
def place():
    with cloud.running() as found:
        yield found


@pytest.fixture(scope='module')
def driver(place, tmp_path_factory):
    folder = tmp_path_factory.mktemp('engine')
    (folder / 'heat.conf').write_text(place.configuration())
    with databases.migrated('sqlite', folder) as url, engines.running(url, files=[folder / 'heat.conf'], action_retry_limit=0) as found:
        yield found


@pytest.fixture
def ids(place, driver):
    """A cloud with nothing in it but what properties may name."""
    place.cloud.__init__()
    driver.context = asking(place)
    return samples.seed(place.cloud)


def asking(place, **more):
    """The context of whoever asks."""
    values = {'user_name': cloud.USER, 'project_id': uuid.uuid4().hex, 'auth_token': place.token, 'is_admin': True, **more}
    return RequestContext(user_id='u', roles=['admin', 'member'], **values)
