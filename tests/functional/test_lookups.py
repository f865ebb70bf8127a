"""Lookups: what they find, that updates and previews ask again, and their errors."""

import pytest

from heat_lite.clients.finders import FINDERS
from heat_lite.common import exception
from heat_lite.resources.openstack import lookup as lookup_type
from tests import cloud
from tests.functional.clouds import driver, ids, request_context, running_cloud  # noqa: F401

# ruff: noqa: F811 - fixtures are arguments
LOOKUP, VALUE = 'OS::HeatLite::Lookup', 'OS::Heat::Value'


def lookup(**properties):
    return {'type': LOOKUP, 'properties': properties}


def template(*read, **properties):
    """A template with a lookup, a resource that uses it, and an output of each path."""
    used = {'type': VALUE, 'properties': {'value': {'get_resource': 'it'}}}
    outputs = {'.'.join(map(str, path)): {'value': {'get_attr': ['it', *path]}} for path in read}
    return {'resources': {'it': lookup(**properties), 'use': used}, 'outputs': outputs}


@pytest.fixture
def images(running_cloud, ids):
    def add(name, day, **fields):
        made = f'2026-01-{day:02d}T00:00:00Z'
        return running_cloud.cloud.put('image', '/images', name=name, created_at=made, **fields)

    return add


NEWEST = {'kind': 'glance.image', 'patterns': {'name': 'web-.*'}, 'take': 'newest'}


def test_lookup_finds_the_newest_and_never_deletes(running_cloud, driver, images):
    _, new, _ = images('web-1', 1), images('web-2', 3, min_disk=5), images('db', 9)
    stack = driver.create(template(['id'], ['name'], ['ids'], ['min_disk'], **NEWEST))
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.outputs(stack) == {'id': new, 'name': 'web-2', 'ids': [new], 'min_disk': 5}
    assert driver.resource(stack, 'use')['attributes'] == {'value': new}
    assert not driver.physical_id(stack, 'it'), 'the stack would seem to own the image'
    asked = len(running_cloud.cloud.asked)
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'
    assert len(running_cloud.cloud.asked) == asked


def test_lookup_finds_a_compute_host_once(running_cloud, driver, ids):
    for binary, host in (('conductor', 'a'), ('compute', 'a'), ('scheduler', 'b')):
        running_cloud.cloud.put('compute', '/os-services', binary=f'nova-{binary}', host=host)
    text = template(['ids'], kind='nova.host', filters={'host': ['a', 'b']}, take='many')
    stack = driver.create(text)
    assert driver.outputs(stack) == {'ids': ['a']}


def test_update_without_changes_follows_the_lookup(running_cloud, driver, images):
    old, text = images('web-1', 1), template(['name'], **NEWEST)
    stack = driver.create(text)
    assert not driver.preview(stack, text)['has_changes']
    running_cloud.cloud.objects['image', '/images', old]['min_ram'] = 7  # which nothing reads
    assert not driver.preview(stack, text)['has_changes']
    new = images('web-2', 2)
    assert driver.resource(stack, 'it')['attributes']['id'] == old

    shown = driver.preview(stack, text)
    changes = {each['resource_name']: each for each in shown['updated']}
    assert changes['it']['reason'] == f'finds "web-2" ({new}), not "web-1" ({old})'
    (change,) = changes['use']['property_changes']
    assert (change['before'], change['after'], change['known']) == (old, new, True)
    assert [each['after'] for each in shown['output_changes']] == ['web-2']

    driver.update(stack, text)
    assert driver.resource(stack, 'use')['attributes'] == {'value': new}
    assert driver.outputs(stack) == {'name': 'web-2'}
    driver.delete(stack)


def test_check_tells_that_a_lookup_finds_something_else(driver, images):
    images('web-1', 1)
    stack = driver.create(template(**NEWEST))
    images('web-2', 2)
    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)
    assert driver.state(stack) == 'CHECK_COMPLETE'
    assert (
        'changed by others: finds "web-2"' in driver.resource(stack, 'it')['resource_status_reason']
    )
    driver.delete(stack)


def previewed(driver, **properties):
    answer = driver.client.preview_stack(
        driver.context,
        stack_name='n',
        template={'heat_template_version': '2021-04-16', **template(**properties)},
        params={},
        files={},
        args={},
    )
    return {each['resource_name']: each for each in answer['resources']}


def test_preview_of_an_object_without_a_name_shows_its_id(running_cloud, driver, ids):
    found = running_cloud.cloud.put('network', '/ports', name='', mac_address='one')
    shown = previewed(driver, kind='neutron.port', filters={'mac_address': 'one'})
    assert shown['it']['reason'] == f'finds {found}'
    shown = previewed(driver, service='nova', path='/limits', key='limits')
    assert shown['it']['reason'] == 'finds an object'


def test_preview_of_a_create_shows_what_is_found(driver, images):
    found = images('web-1', 1)
    shown = previewed(driver, **NEWEST)
    assert shown['it']['reason'] == f'finds "web-1" ({found})'
    assert shown['use']['properties']['value'] == found


def test_lookup_of_what_the_stack_makes_waits_for_it(driver, ids):
    net = {'type': 'OS::Neutron::Net', 'properties': {'name': 'mine'}}
    found = {**lookup(kind='neutron.network', filters={'name': 'mine'}), 'depends_on': 'net'}
    text = {'resources': {'net': net, 'it': found}, 'outputs': {'id': {'value': 'x'}}}
    text['outputs']['id']['value'] = {'get_resource': 'it'}
    stack = driver.create(text)
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.outputs(stack) == {'id': driver.physical_id(stack, 'net')}
    text['resources']['net']['properties']['name'] = 'other'
    text['resources']['it']['properties']['filters']['name'] = 'other'
    shown = {each['resource_name']: each for each in driver.preview(stack, text)['updated']}
    assert shown['it']['reason'] is None, 'it is not known before the network has its new name'
    driver.update(stack, text)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    driver.delete(stack)


@pytest.mark.parametrize(
    'properties, text',
    [
        ({'filters': {'name': 'web-9'}}, '{"name": "web-9"}: no object fits. Change the filters'),
        ({'filters': {'min_disk': 9}}, 'none of the . objects that its service lists fits'),
        ({'patterns': {'name': 'web.*'}}, r'2 objects fit: "web-1" \(.*"take" to newest'),
        (
            {'filters': {'nme': 'x'}},
            r'none of the . objects has a field "nme". Did you mean "name"\?$',
        ),
        ({'patterns': {'name': '('}}, 'is no regular expression'),
        ({'sort': ['nothing']}, r'has a field "nothing". They have architecture, .*\w\.$'),
    ],
)
def test_lookup_that_fails_refuses_the_create(properties, text, driver, images):
    images('web-1', 1), images('web-2', 2), images('db', 3)
    with pytest.raises(exception.StackValidationFailed, match=text):
        driver.create(template(kind='glance.image', **properties))


def test_lookup_that_fails_in_an_update_is_looked_up_again(running_cloud, driver, images):
    first, text = images('web-1', 1), template(kind='glance.image', filters={'name': 'web-1'})
    stack = driver.create(text)
    running_cloud.cloud.fail('GET', '/images', 403, times=1)
    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)
    assert driver.state(stack) == 'CHECK_FAILED'
    driver.update(stack, text)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.resource(stack, 'use')['attributes'] == {'value': first}
    driver.delete(stack)


def test_lookup_of_many_is_sorted_and_may_be_empty(driver, images):
    a, b = images('web-1', 1, tags=['x']), images('web-2', 2, tags=['x', 'y'])
    images('web-3', 3)
    given = {'kind': 'glance.image', 'take': 'many', 'sort': ['name:desc']}
    text = template(['ids'], ['names'], ['found', 0, 'name'], filters={'tags': 'x'}, **given)
    stack = driver.create(text)
    expected = {'ids': [b, a], 'names': ['web-2', 'web-1'], 'found.0.name': 'web-2'}
    assert driver.outputs(stack) == expected
    text['resources']['it']['properties']['filters'] = {'name': ['none', 'such']}
    driver.update(stack, text)
    assert driver.outputs(stack) == {'ids': [], 'names': [], 'found.0.name': None}
    driver.delete(stack)


def test_lookup_by_path_finds_lists_and_single_objects(running_cloud, driver, ids):
    path = '/floatingips'
    one = running_cloud.cloud.put('network', path, floating_ip_address='203.0.113.7', id='f1')
    read = ['id'], ['floating_ip_address']
    stack = driver.create(
        template(*read, service='neutron', path=f'{path}/{one}', key='floatingip')
    )
    assert driver.outputs(stack) == {'id': 'f1', 'floating_ip_address': '203.0.113.7'}
    filters = {'floating_ip_address': '203.0.113.7'}
    driver.update(stack, template(*read, service='neutron', path=path, filters=filters))
    assert driver.outputs(stack) == {'id': 'f1', 'floating_ip_address': '203.0.113.7'}
    driver.delete(stack)


@pytest.mark.parametrize(
    'properties, text',
    [
        ({}, 'kind, path'),
        ({'path': '/networks'}, 'service'),
        ({'kind': 'glance.image', 'service': 'glance', 'path': '/images'}, 'kind, path'),
        ({'service': 'neutron', 'path': '//evil.example/networks'}, 'does not match pattern'),
        ({'service': 'neutron', 'path': '/../admin'}, 'does not match pattern'),
        ({'service': 'neutron', 'path': '/networks?x=y'}, 'does not match pattern'),
        ({'service': 'neutron', 'path': '/networks/%2e%2e/%2e%2e'}, 'does not match pattern'),
        ({'service': 'neutron', 'path': '/'}, 'does not match pattern'),
        ({'service': 'neutron', 'path': f'/{"a" * 256}'}, 'does not match pattern'),
        ({'kind': 'glance.image', 'sort': ['name:up']}, 'has a field "name:up"'),
        ({'service': 'neutron', 'path': '/networks', 'key': 'nets'}, 'set "key" to the key'),
        ({'kind': 'nova.flavour'}, 'nova.flavour'),
    ],
)
def test_question_without_a_sense_is_refused(properties, text, driver, ids):
    refusals = (
        exception.StackValidationFailed,
        exception.ResourcePropertyConflict,
        exception.ResourcePropertyDependency,
        exception.PropertyUnspecifiedError,
    )
    with pytest.raises(refusals, match=text):
        driver.create(template(**properties))


def test_unknown_field_of_what_is_found_names_the_fields(driver, images):
    images('web-1', 1)
    stack = driver.create(template(['min_dsk'], **NEWEST))
    (output,) = driver.stack(stack)['outputs']
    assert 'has no field "min_dsk". Did you mean "min_disk"?' in output['output_error']
    driver.delete(stack)


def test_preview_follows_lookups_of_lookups(running_cloud, driver, ids):
    net = running_cloud.cloud.put('network', '/networks', name='chained')
    subnet = running_cloud.cloud.put('network', '/subnets', name='in it', network_id=net)
    filters = {'network_id': {'get_resource': 'first'}}
    resources = {
        'first': lookup(kind='neutron.network', filters={'name': 'chained'}),
        'it': lookup(kind='neutron.subnet', filters=filters),
        'mine': {'type': 'OS::Neutron::Net'},
        'later': lookup(kind='neutron.subnet', filters={'network_id': {'get_resource': 'mine'}}),
    }
    answer = driver.client.preview_stack(
        driver.context,
        stack_name='n',
        template={'heat_template_version': '2021-04-16', 'resources': resources},
        params={},
        files={},
        args={},
    )
    shown = {each['resource_name']: each for each in answer['resources']}
    assert shown['it']['reason'] == f'finds "in it" ({subnet})'
    assert shown['later']['reason'] is None and shown['later']['known_after']


#: the kinds that the cloud of the tests does not have
ABSENT = {'blazar.reservation', 'neutron.lbaas.provider'}


@pytest.mark.parametrize('kind', sorted(FINDERS))
def test_what_a_lookup_finds_is_a_value_of_its_constraint(kind, running_cloud, driver, ids):
    finder = FINDERS[kind]
    if kind in ABSENT or finder.extension:
        return
    text = template(['id'], kind=kind, take='first')
    stack = driver.create(text)
    found = driver.outputs(stack)['id']
    text['parameters'] = {
        'p': {'type': 'string', 'default': found, 'constraints': [{'custom_constraint': kind}]}
    }
    driver.update(stack, text)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    driver.delete(stack)


@pytest.mark.parametrize('name', ['web (1)', 'a+b*c', 'x&y=z#', '[ü€]', '50%20', '{a,b}', '"\\'])
@pytest.mark.parametrize('kind', ['nova.server', 'neutron.network', 'glance.image'])
def test_lookup_finds_names_with_odd_characters(kind, name, running_cloud, driver, ids):
    finder, service = FINDERS[kind], {'nova': 'compute', 'neutron': 'network', 'glance': 'image'}
    for each in (name, f'{name}2'):
        running_cloud.cloud.put(service[finder.service], finder.path, name=each)
    stack = driver.create(template(['name'], kind=kind, filters={'name': name}))
    assert driver.outputs(stack) == {'name': name}
    driver.delete(stack)


NETWORKS = {'kind': 'neutron.network', 'take': 'many'}


@pytest.mark.parametrize(
    'status, error',
    [
        (403, exception.StackValidationFailed),
        (404, exception.StackValidationFailed),
        (500, exception.StackValidationFailed),
        (503, exception.ServiceUnavailable),
    ],
)
def test_lookup_that_the_service_does_not_answer_is_refused(
    status, error, running_cloud, driver, ids
):
    running_cloud.cloud.fail('GET', '/networks$', status, times=99, message='not now')
    with pytest.raises(error, match='not now') as raised:
        driver.create(template(**NETWORKS, filters={'name': 'n'}))
    place = 'resources.it.properties: The lookup of neutron.network, filters {"name": "n"}: not now'
    assert place in str(raised.value)
    advised = 'the user of the stack may not list them: give the id' in str(raised.value)
    assert advised == (status == 403)


def test_lookup_in_a_service_without_the_extension_is_refused(driver, ids):
    text = 'resources.it.properties: The lookup of neutron.lbaas.pool: .*lbaasv2'
    with pytest.raises(exception.StackValidationFailed, match=text):
        driver.create(template(kind='neutron.lbaas.pool', take='first'))


def test_lookup_in_a_service_that_the_cloud_lacks_is_refused(
    running_cloud, driver, ids, monkeypatch
):
    service = running_cloud.identity
    monkeypatch.delitem(service.services, 'network')
    _, _, headers = service.issue(cloud.USER, {'project': {}}, ['password'])
    token = dict(headers)['X-Subject-Token']
    monkeypatch.setattr(driver, 'context', request_context(running_cloud, auth_token=token))
    text = 'resources.it.properties: The lookup of neutron.network: .*not in service catalog'
    with pytest.raises(exception.StackValidationFailed, match=text):
        driver.create(template(**NETWORKS))


def test_lookup_that_is_refused_amid_a_create_names_its_resource(running_cloud, driver, ids):
    running_cloud.cloud.fail('GET', '/networks$', 403, times=99)
    later = {**lookup(**NETWORKS), 'depends_on': 'one'}
    stack = driver.create({'resources': {'it': later, 'one': {'type': 'OS::Heat::RandomString'}}})
    assert driver.state(stack) == 'CREATE_FAILED'
    reason = driver.stack(stack)['stack_status_reason']
    assert 'resources.it: The lookup of neutron.network: it went wrong' in reason
    driver.delete(stack)


def test_lookup_reads_a_bounded_number_of_objects(running_cloud, driver, ids, monkeypatch):
    monkeypatch.setattr(lookup_type, 'MAX_LISTED', 5)
    running_cloud.cloud.page = 2
    for number in range(9):
        running_cloud.cloud.put('network', '/networks', name=f'n{number}')
    with pytest.raises(exception.StackValidationFailed, match='more than 5 objects: let "query"'):
        driver.create(template(**NETWORKS))
    stack = driver.create(template(['names'], **NETWORKS, query={'name': 'n3'}))
    assert driver.outputs(stack) == {'names': ['n3']}
    driver.delete(stack)


def test_drift_tells_that_a_lookup_finds_something_else(driver, images):
    def drift():
        return driver.client.stack_drift(driver.context, stack_identity=stack)

    images('web-1', 1)
    stack = driver.create(template(**NEWEST))
    assert drift() == {'checked': 1, 'resources': [], 'unchecked': []}
    images('web-2', 2)
    (found,) = drift()['resources']
    (change,) = found['properties']
    assert change['actual'].startswith('finds "web-2" (') and found['status'] == 'changed'
    driver.delete(stack)
