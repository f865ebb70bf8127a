"""Microversions: the newest of client, service and operator's limit."""

import pytest

from heat_lite.clients import clients, errors, microversions
from tests.unit.clients.test_clients import conf, request_context, running_cloud  # noqa: F401

# ruff: noqa: F811 - fixtures are arguments


@pytest.mark.parametrize(
    ('limit', 'maximum', 'expected'),
    [
        (None, '3.80', '3.71'),
        (None, '3.9', '3.9'),
        ('3.60', '3.80', '3.60'),
        ('3.60', '3.59', '3.59'),
        (None, None, '3.71'),
        ('x', None, '3.71'),
    ],
)
def test_negotiate_returns_the_newest_within_all_limits(limit, maximum, expected, conf):
    conf.set_override('max_cinder_api_microversion', limit)
    assert microversions.negotiate(conf, 'cinder', '3.71', lambda: maximum) == expected


@pytest.fixture
def old(running_cloud):
    running_cloud.cloud.newest = {'block-storage': '3.40'}
    yield running_cloud
    running_cloud.cloud.newest = {}


def test_client_of_old_service_uses_its_maximum(old, conf):
    found = clients.ClientFactory(conf)(request_context(old))
    assert found.client('cinder').list('/volumes/detail', 'volumes') == []
    with pytest.raises(errors.ServiceError, match='Maximum is 3.40') as caught:
        found.client('cinder').request_json('GET', '/volumes/detail', microversion='3.41')
    assert caught.value.code == 406


def test_maximum_of_service_is_fetched_once(old, conf):
    cloud = clients.ClientFactory(conf)
    before = len(old.identity.asked), len(old.cloud.asked)
    for _ in range(3):
        cloud(request_context(old)).client('cinder')
    asked = [path for method, path, _ in old.cloud.asked[before[1] :]]
    assert len(asked) == 1 and asked[0].endswith('/v3/')


def test_service_without_published_maximum_gets_that_of_the_client(running_cloud, conf):
    api = clients.ClientFactory(conf)(request_context(running_cloud)).client('cinder')
    assert api.request_json('GET', '/volumes/detail') == {'volumes': []}
