"""The cloud as one context sees it: endpoints, interfaces, regions, tokens, and what is asked how often."""

import gc

import pytest
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.clients import clients, errors
from heat_lite.common.context import RequestContext
from tests import cloud


@pytest.fixture(scope='module')
def place():
    with cloud.running() as found:
        yield found


@pytest.fixture
def conf(place):
    made = cfg.ConfigOpts()
    options.register(made)
    made([], project='heat_lite', default_config_files=[])
    made.set_override('auth_uri', place.auth_url, 'clients_keystone')
    return made


def asking(place, **values):
    return RequestContext(user_id='u', project_id=place.project_id, overwrite=False, **{'auth_token': place.token, **values})


def test_the_catalog_is_asked_for_once(place, conf):
    found = clients.Cloud(conf)(asking(place))
    before = len(place.identity.asked)
    for name in ('neutron', 'nova', 'cinder', 'keystone'):
        found.require(name)
    assert len(place.identity.asked) == before + 1


def test_a_context_has_its_clients_as_long_as_it_lives(place, conf):
    world, context = clients.Cloud(conf), asking(place)
    assert world(context) is world(context)
    assert world(context) is not world(asking(place))
    del context
    gc.collect()
    assert not len(world._clients)


def test_names_are_remembered_for_a_while(place, conf):
    found = clients.Cloud(conf)(asking(place))
    wanted = place.cloud.put('network', '/networks', name='one')
    before = len(place.cloud.asked)
    assert found.find('neutron.network', 'one') == found.find('neutron.network', 'one') == wanted
    assert len(place.cloud.asked) == before + 1
    assert found.find('neutron.network', wanted) == wanted


def test_what_was_not_found_is_asked_for_again(place, conf):
    found = clients.Cloud(conf)(asking(place))
    assert found.refusal('neutron.network', 'later') == "Unable to find network with name or id 'later'"
    place.cloud.put('network', '/networks', name='later')
    assert found.refusal('neutron.network', 'later') is None


@pytest.mark.parametrize(
    ('override', 'reason'),
    [
        ({'region_name': 'Elsewhere'}, 'neutron network endpoint is not in service catalog'),
        ({'auth_token': None}, 'the request came without a token'),
    ],
)
def test_who_cannot_reach_a_service_is_told_why(override, reason, place, conf):
    with pytest.raises(errors.NoCloud, match=reason):
        clients.Cloud(conf)(asking(place, **override)).require('neutron')


def test_a_service_of_two_names_that_is_elsewhere_is_not_there(place, conf):
    catalog = place.identity.tokens[place.token]['catalog']
    cinder = next(entry for entry in catalog if entry['type'] in ('volumev3', 'block-storage'))
    catalog.append({**cinder, 'type': 'block-storage' if cinder['type'] == 'volumev3' else 'volumev3'})
    with pytest.raises(errors.NoCloud, match='endpoint is not in service catalog'):
        clients.Cloud(conf)(asking(place, region_name='Elsewhere')).require('cinder')


def test_without_a_keystone_there_is_no_cloud(place, conf):
    conf.set_override('auth_uri', None, 'clients_keystone')
    with pytest.raises(errors.NoCloud, match='there is no Keystone'):
        clients.Cloud(conf)(asking(place)).require('neutron')


def test_a_service_that_is_away_is_told(place, conf):
    conf.set_override('auth_uri', 'http://127.0.0.1:9/v3', 'clients_keystone')
    with pytest.raises(errors.Unavailable, match='keystone cannot be reached'):
        clients.Cloud(conf)(asking(place)).require('neutron')


def test_a_service_without_a_region_of_its_own_takes_that_of_the_configuration(place, conf):
    conf.set_override('region_name_for_services', 'Elsewhere')
    found = clients.Cloud(conf)
    with pytest.raises(errors.NoCloud):
        found(asking(place)).require('neutron')
    found(asking(place, region_name='RegionOne')).require('neutron')


def test_the_private_interface_counts_for_the_service_that_it_is_set_for(place, conf):
    conf.set_override('endpoint_type', 'internalURL', 'clients_nova')
    endpoints = [each for entry in place.identity.tokens[place.token]['catalog'] for each in entry['endpoints']]
    plain = [each['url'] for each in endpoints]
    for each in endpoints:
        each['url'] += f'/{each["interface"]}'
    try:
        found = clients.Cloud(conf)(asking(place))
        assert found.client('nova').url.endswith('/internal')
        assert found.client('neutron').url.endswith('/public')
    finally:
        for each, url in zip(endpoints, plain, strict=True):
            each['url'] = url


@pytest.mark.parametrize(
    ('kind', 'words'),
    [
        ('neutron.network', "Unable to find network with name or id 'a/b?c'"),
        ('neutron.lbaas.listener', 'The neutron extension (lbaasv2) could not be found.'),
        ('cinder.backup', 'The Volume backup (a/b?c) could not be found.'),
        ('cinder.qos_specs', "No QoSSpecs matching {'name': 'a/b?c'}. (HTTP 404)"),
        ('glance.image', "No images matching {'name': 'a/b?c'}."),
        ('nova.flavor', "No Flavor matching {'name': 'a/b?c'}. (HTTP 404)"),
        ('keystone.project', 'The KeystoneProject (a/b?c) could not be found.'),
        ('octavia.pool', 'a/b?c not found (HTTP 404)'),
    ],
)
def test_what_is_not_there_is_told_in_the_words_of_the_libraries(kind, words, place, conf):
    """Whatever a name has in it, it is but a name."""
    assert clients.Cloud(conf)(asking(place)).refusal(kind, 'a/b?c') == words


def test_two_objects_of_a_name_are_too_many(place, conf):
    ids = [place.cloud.put('network', '/networks', name='twice') for _ in range(2)]
    told = clients.Cloud(conf)(asking(place)).refusal('neutron.network', 'twice')
    assert told.startswith("2 objects of the kind network are named 'twice'") and all(each in told for each in ids)


def test_a_name_may_be_told_with_its_domain(place, conf):
    found = clients.Cloud(conf)(asking(place))
    domains = [place.cloud.put('identity', '/domains', name=name) for name in ('here', 'there')]
    users = [place.cloud.put('identity', '/users', name='somebody', domain_id=domain) for domain in domains]
    assert found.find('keystone.user', 'somebody{there}') == users[1]
    assert found.find('keystone.user', f'somebody{{{domains[0]}}}') == users[0]
    assert found.refusal('keystone.user', 'nobody{here}') == 'The KeystoneUser (nobody{here}) could not be found.'
    assert 'nowhere' in found.refusal('keystone.user', 'somebody{nowhere}')
