"""Fixtures: an engine with a fake cloud. Test modules import the fixtures by name."""

import uuid

import pytest

from heat_lite.common.context import RequestContext
from tests import cloud, databases, engines, samples


@pytest.fixture(scope='module')
def running_cloud():
    with cloud.running() as services:
        yield services


@pytest.fixture(scope='module')
def driver(running_cloud, tmp_path_factory):
    folder = tmp_path_factory.mktemp('engine')
    (folder / 'heat.conf').write_text(running_cloud.configuration())
    with (
        databases.migrated('sqlite', folder) as url,
        engines.running(
            url, files=[folder / 'heat.conf'], action_retry_limit=0, enable_stack_abandon=True
        ) as running_driver,
    ):
        yield running_driver


@pytest.fixture
def ids(running_cloud, driver):
    """The ids of the objects in a new fake cloud: one sample of each kind a property may name."""
    running_cloud.cloud.__init__()
    driver.context = request_context(running_cloud)
    return samples.seed(running_cloud.cloud)


def request_context(running_cloud, **overrides):
    """The context of an admin request in a new project, with a token of the fake cloud."""
    values = {
        'user_name': cloud.USER,
        'project_id': uuid.uuid4().hex,
        'auth_token': running_cloud.token,
        'roles': ['admin', 'member'],
        'is_admin': True,
        **overrides,
    }
    return RequestContext(user_id='u', **values)
