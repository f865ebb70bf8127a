"""The clients of one context: endpoints, interfaces, regions, tokens, and caches."""

import gc

import pytest
from oslo_config import cfg

from heat_lite import conf as options
from heat_lite.clients import clients, errors
from heat_lite.common.context import RequestContext
from tests import cloud


@pytest.fixture(scope='module')
def running_cloud():
    with cloud.running() as found:
        yield found


@pytest.fixture
def conf(running_cloud):
    result = cfg.ConfigOpts()
    options.register(result)
    result([], project='heat_lite', default_config_files=[])
    result.set_override('auth_uri', running_cloud.auth_url, 'clients_keystone')
    return result


def request_context(running_cloud, **values):
    return RequestContext(
        user_id='u',
        project_id=running_cloud.project_id,
        overwrite=False,
        **{'auth_token': running_cloud.token, **values},
    )


def test_catalog_is_fetched_once(running_cloud, conf):
    found = clients.ClientFactory(conf)(request_context(running_cloud))
    before = len(running_cloud.identity.asked)
    for name in ('neutron', 'nova', 'cinder', 'keystone'):
        found.require(name)
    assert len(running_cloud.identity.asked) == before + 1


def test_clients_are_cached_as_long_as_their_context(running_cloud, conf):
    request_context(running_cloud)  # oslo.context keeps the first one of a thread
    factory, context = clients.ClientFactory(conf), request_context(running_cloud)
    assert factory(context) is factory(context)
    assert factory(context) is not factory(request_context(running_cloud))
    del context
    gc.collect()
    assert not len(factory._clients)


def test_find_caches_names(running_cloud, conf):
    found = clients.ClientFactory(conf)(request_context(running_cloud))
    wanted = running_cloud.cloud.put('network', '/networks', name='one')
    before = len(running_cloud.cloud.asked)
    assert found.find('neutron.network', 'one') == found.find('neutron.network', 'one') == wanted
    assert len(running_cloud.cloud.asked) == before + 1
    assert found.find('neutron.network', wanted) == wanted


def test_lookup_error_is_not_cached(running_cloud, conf):
    found = clients.ClientFactory(conf)(request_context(running_cloud))
    assert (
        found.lookup_error('neutron.network', 'later')
        == "Unable to find network with name or id 'later'"
    )
    running_cloud.cloud.put('network', '/networks', name='later')
    assert found.lookup_error('neutron.network', 'later') is None


def test_found_object_is_valid_for_the_project_until_the_cache_expires(running_cloud, conf):
    """[constraint_validation_cache] is of the project: other requests of it ask no service."""
    conf.set_override('caching', False, 'resource_finder_cache')
    factory = clients.ClientFactory(conf)
    first, second = (factory(request_context(running_cloud)) for _ in range(2))
    running_cloud.cloud.put('network', '/networks', name='valid-one')
    assert first.lookup_error('neutron.network', 'valid-one') is None
    before = len(running_cloud.cloud.asked)
    assert second.lookup_error('neutron.network', 'valid-one') is None
    assert len(running_cloud.cloud.asked) == before
    elsewhere = clients.Clients(
        factory, request_context(running_cloud, region_name='RegionOne', auth_token=None)
    )
    assert elsewhere.lookup_error('neutron.network', 'valid-one') is not None


def test_validation_without_cache_asks_each_time(running_cloud, conf):
    conf.set_override('caching', False, 'resource_finder_cache')
    conf.set_override('caching', False, 'constraint_validation_cache')
    found = clients.ClientFactory(conf)(request_context(running_cloud))
    running_cloud.cloud.put('network', '/networks', name='asked-twice')
    before = len(running_cloud.cloud.asked)
    for _ in range(2):
        assert found.lookup_error('neutron.network', 'asked-twice') is None
    assert len(running_cloud.cloud.asked) == before + 2


@pytest.fixture
def endpoints(running_cloud):
    """The endpoints of the catalog by their types, which the test may change."""
    catalog = running_cloud.identity.tokens[running_cloud.token]['catalog']
    found = {entry['type']: entry['endpoints'] for entry in catalog}
    before = [(each, dict(each)) for listed in found.values() for each in listed]
    yield found
    for each, values in before:
        each.update(values)


def test_shared_services_are_used_in_their_region(running_cloud, conf, endpoints):
    for kind in ('image', 'volumev3' if 'volumev3' in endpoints else 'block-storage'):
        for each in endpoints[kind]:
            each['region'] = each['region_id'] = 'Shared'
    conf.set_override('region_name_for_services', 'RegionOne')
    found = clients.ClientFactory(conf)(request_context(running_cloud))
    with pytest.raises(errors.NoCloud):
        found.require('glance')
    conf.set_override('region_name_for_shared_services', 'Shared')
    found = clients.ClientFactory(conf)(request_context(running_cloud))
    for name in ('glance', 'cinder', 'nova'):
        found.require(name)
    conf.set_override('shared_services_types', ['image'])
    found = clients.ClientFactory(conf)(request_context(running_cloud))
    found.require('glance')
    with pytest.raises(errors.NoCloud):
        found.require('cinder')


def test_keystone_url_has_the_interface_of_the_catalog(running_cloud, conf, endpoints):
    for each in endpoints['identity']:
        each['url'] = f'http://{each["interface"]}.keystone:5000'
    found = clients.ClientFactory(conf)(request_context(running_cloud))
    assert found.keystone_url('internal') == 'http://internal.keystone:5000/v3'
    assert found.keystone_url('nowhere') is None


@pytest.mark.parametrize(
    ('override', 'reason'),
    [
        ({'region_name': 'Elsewhere'}, 'neutron network endpoint is not in service catalog'),
        ({'auth_token': None}, 'the request came without a token'),
    ],
)
def test_require_of_unreachable_service_raises_no_cloud(override, reason, running_cloud, conf):
    with pytest.raises(errors.NoCloud, match=reason):
        clients.ClientFactory(conf)(request_context(running_cloud, **override)).require('neutron')


@pytest.mark.parametrize(
    ('name', 'service_type'),
    [
        ('aodh', 'alarming'),
        ('cinder', 'volumev3'),
        ('manila', 'sharev2'),
        ('mistral', 'workflowv2'),
    ],
)
def test_absent_service_has_the_service_type_of_heat(name, service_type, running_cloud, conf):
    context = request_context(running_cloud, region_name='Elsewhere')
    with pytest.raises(errors.NoCloud, match=f'^{name} {service_type} endpoint is not in'):
        clients.ClientFactory(conf)(context).require(name)


def test_require_of_service_with_two_types_in_other_region_raises_no_cloud(running_cloud, conf):
    catalog = running_cloud.identity.tokens[running_cloud.token]['catalog']
    cinder = next(entry for entry in catalog if entry['type'] in ('volumev3', 'block-storage'))
    catalog.append(
        {**cinder, 'type': 'block-storage' if cinder['type'] == 'volumev3' else 'volumev3'}
    )
    with pytest.raises(errors.NoCloud, match='endpoint is not in service catalog'):
        clients.ClientFactory(conf)(
            request_context(running_cloud, region_name='Elsewhere')
        ).require('cinder')


def test_require_without_keystone_raises_no_cloud(running_cloud, conf):
    conf.set_override('auth_uri', None, 'clients_keystone')
    with pytest.raises(errors.NoCloud, match='there is no Keystone'):
        clients.ClientFactory(conf)(request_context(running_cloud)).require('neutron')


def test_require_with_unreachable_keystone_raises_unavailable(running_cloud, conf):
    conf.set_override('auth_uri', 'http://127.0.0.1:9/v3', 'clients_keystone')
    with pytest.raises(errors.Unavailable, match='keystone cannot be reached'):
        clients.ClientFactory(conf)(request_context(running_cloud)).require('neutron')


def test_region_of_context_precedes_configured_region(running_cloud, conf):
    conf.set_override('region_name_for_services', 'Elsewhere')
    found = clients.ClientFactory(conf)
    with pytest.raises(errors.NoCloud):
        found(request_context(running_cloud)).require('neutron')
    found(request_context(running_cloud, region_name='RegionOne')).require('neutron')


def test_endpoint_type_of_one_service_applies_to_it_only(running_cloud, conf):
    conf.set_override('endpoint_type', 'internalURL', 'clients_nova')
    endpoints = [
        each
        for entry in running_cloud.identity.tokens[running_cloud.token]['catalog']
        for each in entry['endpoints']
    ]
    plain = [each['url'] for each in endpoints]
    for each in endpoints:
        each['url'] += f'/{each["interface"]}'
    try:
        found = clients.ClientFactory(conf)(request_context(running_cloud))
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
def test_lookup_error_of_unknown_name_has_the_text_of_the_library(kind, words, running_cloud, conf):
    """Special characters of a name are quoted in the request."""
    assert (
        clients.ClientFactory(conf)(request_context(running_cloud)).lookup_error(kind, 'a/b?c')
        == words
    )


def test_lookup_error_of_ambiguous_name_lists_the_ids(running_cloud, conf):
    ids = [running_cloud.cloud.put('network', '/networks', name='twice') for _ in range(2)]
    error = clients.ClientFactory(conf)(request_context(running_cloud)).lookup_error(
        'neutron.network', 'twice'
    )
    assert error.startswith("2 objects of the kind network are named 'twice'") and all(
        each in error for each in ids
    )


def test_find_accepts_name_with_domain(running_cloud, conf):
    found = clients.ClientFactory(conf)(request_context(running_cloud))
    domains = [
        running_cloud.cloud.put('identity', '/domains', name=name) for name in ('here', 'there')
    ]
    users = [
        running_cloud.cloud.put('identity', '/users', name='one_user', domain_id=domain)
        for domain in domains
    ]
    assert found.find('keystone.user', 'one_user{there}') == users[1]
    assert found.find('keystone.user', f'one_user{{{domains[0]}}}') == users[0]
    assert (
        found.lookup_error('keystone.user', 'absent{here}')
        == 'The KeystoneUser (absent{here}) could not be found.'
    )
    assert 'nowhere' in found.lookup_error('keystone.user', 'one_user{nowhere}')
