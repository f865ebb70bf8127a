"""Which microversion is spoken, by what we know, what the service knows, and what the operator allows."""

import pytest

from heat_lite.clients import clients, errors, microversions
from tests.unit.clients.test_clients import asking, conf, place  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments


@pytest.mark.parametrize(
    ('allowed', 'told', 'wanted'),
    [
        (None, '3.80', '3.71'),
        (None, '3.9', '3.9'),
        ('3.60', '3.80', '3.60'),
        ('3.60', '3.59', '3.59'),
        (None, None, '3.71'),
        ('x', None, '3.71'),
    ],
)
def test_the_newest_that_all_know_and_allow(allowed, told, wanted, conf):
    conf.set_override('max_cinder_api_microversion', allowed)
    assert microversions.spoken(conf, 'cinder', '3.71', lambda: told) == wanted


@pytest.fixture
def old(place):
    place.cloud.newest = {'block-storage': '3.40'}
    yield place
    place.cloud.newest = {}


def test_an_old_service_is_spoken_to_as_it_understands(old, conf):
    found = clients.Cloud(conf)(asking(old))
    assert found.client('cinder').list('/volumes/detail', 'volumes') == []
    with pytest.raises(errors.ServiceError, match='Maximum is 3.40') as caught:
        found.client('cinder').ask('GET', '/volumes/detail', microversion='3.41')
    assert caught.value.code == 406


def test_it_is_asked_once_what_it_knows(old, conf):
    cloud = clients.Cloud(conf)
    before = len(old.identity.asked), len(old.cloud.asked)
    for _ in range(3):
        cloud(asking(old)).client('cinder')
    asked = [path for method, path, _ in old.cloud.asked[before[1] :]]
    assert len(asked) == 1 and asked[0].endswith('/v3/')


def test_one_that_does_not_say_is_spoken_to_as_we_know(place, conf):
    api = clients.Cloud(conf)(asking(place)).client('cinder')
    assert api.ask('GET', '/volumes/detail') == {'volumes': []}
