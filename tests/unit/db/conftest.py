"""Tests with the fixture ``database`` run on SQLite, MariaDB and PostgreSQL."""

import functools

import pytest

from heat_lite.common.context import RequestContext
from heat_lite.db import session, templates
from tests import databases


@pytest.fixture(scope='session', params=databases.BACKENDS)
def backend_url(request, tmp_path_factory):
    """Return (backend, URL) of a migrated database that all tests of a run share."""
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        yield request.param, url
        session.dispose()


@pytest.fixture
def database(backend_url):
    """Return the name of the backend, whose tables are empty."""
    backend, url = backend_url
    databases.connect(url)
    databases.delete_all_rows()
    yield backend


@pytest.fixture
def context():
    return RequestContext(project_id='tenant', user_name='someone', overwrite=False)


@pytest.fixture
def other():
    return RequestContext(project_id='other', overwrite=False)


@pytest.fixture
def template_id(database, context):
    return templates.store({'heat_template_version': '2018-08-31'})


@pytest.fixture
def make_stack(context, database):
    """Return a function that creates a stack (name, tags, values) and returns its id."""
    return functools.partial(databases.make_stack, context)
