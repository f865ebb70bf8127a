"""Existing objects that become resources: ``import`` in a template of our own version."""

import json

import pytest

from heat_lite.common import exception
from heat_lite.db import resources as db_resources
from tests.functional.clouds import (  # noqa: F401 - fixtures
    driver,
    ids,
    request_context,
    running_cloud,
)

# ruff: noqa: F811 - fixtures are arguments
VERSION = {'heat_template_version': 'heat_lite_2026-12-01'}
NETWORKS, VOLUMES = ('network', '/networks'), ('block-storage', '/volumes')


def template(**resources):
    return {**VERSION, 'resources': resources}


def net(object_id, **properties):
    shape = {'name': 'lan', 'tags': ['a'], **properties}
    return {'type': 'OS::Neutron::Net', 'import': {'id': object_id}, 'properties': shape}


def other(**more):
    return {'type': 'OS::Heat::RandomString', **more}


BROKEN = {'type': 'OS::Heat::TestResource', 'properties': {'fail': True}}


@pytest.fixture
def lan(running_cloud, ids):
    """The id of a network that was made outside of the service."""
    return running_cloud.cloud.put(*NETWORKS, name='lan', tags=['a'], admin_state_up=True)


def requests_that_change(running_cloud):
    return [each for each in running_cloud.cloud.asked if each[0] != 'GET']


def settled(driver, stack, state):
    assert driver.state(stack) == state, driver.stack(stack)['stack_status_reason']


def test_imported_object_belongs_to_the_stack(running_cloud, driver, lan):
    stack = driver.create(template(one=other()))
    given = template(one=other(), net=net(lan))
    [found] = driver.preview(stack, given)['added']
    assert (found['action'], found['physical_resource_id']) == ('import', lan)
    assert (found['property_changes'], found['reason']) == ([], f'it becomes the object {lan}')
    running_cloud.cloud.asked.clear()
    driver.update(stack, given)
    settled(driver, stack, 'UPDATE_COMPLETE')
    assert driver.physical_id(stack, 'net') == lan
    assert requests_that_change(running_cloud) == []
    assert not driver.preview(stack, given)['has_changes']
    driver.delete(stack)
    assert lan not in [each['id'] for each in running_cloud.cloud.of(*NETWORKS)]


def test_differences_are_shown_and_applied(running_cloud, driver, lan):
    stack = driver.create(template(one=other()))
    given = template(net=net(lan, name='new', admin_state_up=False))
    given['outputs'] = {'id': {'value': {'get_resource': 'net'}}}
    answer = driver.preview(stack, given)
    [found] = answer['added']
    changes = {
        each['property']: (each['before'], each['after']) for each in found['property_changes']
    }
    assert changes == {'name': ('lan', 'new'), 'admin_state_up': (True, False)}
    assert [each['after'] for each in answer['output_changes']] == [lan]
    driver.update(stack, given)
    settled(driver, stack, 'UPDATE_COMPLETE')
    shown = running_cloud.cloud.objects[(*NETWORKS, lan)]
    assert (shown['name'], shown['admin_state_up']) == ('new', False)
    states = [each[1] for each in driver.events(stack) if each[0] == 'net']
    assert states == [
        'ADOPT_IN_PROGRESS',
        'ADOPT_COMPLETE',
        'UPDATE_IN_PROGRESS',
        'UPDATE_COMPLETE',
    ]
    driver.delete(stack)


def test_new_stack_imports_what_its_parameters_name(running_cloud, driver, lan):
    given = template(net=net({'get_param': 'lan'}))
    given['parameters'] = {'lan': {'type': 'string', 'default': lan}}
    stack = driver.create(given)
    settled(driver, stack, 'CREATE_COMPLETE')
    assert driver.physical_id(stack, 'net') == lan
    # the entry asks nothing of a resource that the stack has
    given['resources']['net']['import']['id'] = 'other'
    driver.update(stack, {**given, 'resources': {**given['resources'], 'one': other()}})
    settled(driver, stack, 'UPDATE_COMPLETE')
    assert driver.physical_id(stack, 'net') == lan
    driver.delete(stack)


@pytest.mark.parametrize(
    ('given', 'text'),
    [
        (
            net('absent'),
            'The object absent (OS::Neutron::Net) cannot be imported: it can not be found',
        ),
        (net('?x=1'), '"?x=1" is no id of an object'),
        (net('../networks/x'), '"../networks/x" is no id of an object'),
        (net('%2e%2e'), '"%2e%2e" is no id of an object'),
        (net('/'), '"/" is no id of an object'),
        (net({'a': 1}), '{"a": 1} is no id of an object'),
        (
            other(**{'import': {'id': 'x'}}),
            'The object x (OS::Heat::RandomString) cannot be imported: Resources of this type',
        ),
        ({**net('x'), 'external_id': 'x'}, 'A resource with an external_id refers to its object'),
        ({**net('x'), 'import': {'name': 'x'}}, 'An import must be a map with an id'),
        ({**net('x'), 'import': {'id': ''}}, 'An import must be a map with an id'),
    ],
)
def test_import_that_is_impossible_is_refused(running_cloud, driver, ids, given, text):
    stack = driver.create(template(one=other()))
    wanted = template(one=other(), net=given)
    for ask in (driver.preview, driver.update):
        with pytest.raises(exception.StackValidationFailed) as caught:
            ask(stack, wanted)
        assert text in str(caught.value)
    with pytest.raises(exception.StackValidationFailed):
        driver.create(wanted, name='other')
    driver.delete(stack)


def test_import_that_needs_another_object_is_refused(running_cloud, driver, ids):
    volume = running_cloud.cloud.put(*VOLUMES, size=2, status='available', availability_zone='a')
    shape = {'type': 'OS::Cinder::Volume', 'import': {'id': volume}}
    stack = driver.create(template(one=other()))
    zone = {'size': 2, 'availability_zone': 'b'}
    for ask in (driver.preview, driver.update):
        with pytest.raises(exception.StackValidationFailed, match='another availability_zone'):
            ask(stack, template(disk={**shape, 'properties': zone}))
    lifecycle = {'lifecycle': {'ignore_changes': ['availability_zone']}}
    given = template(disk={**shape, 'properties': zone, **lifecycle})
    driver.update(stack, given)
    settled(driver, stack, 'UPDATE_COMPLETE')
    assert driver.physical_id(stack, 'disk') == volume
    driver.delete(stack)


def test_rollback_leaves_the_imported_object(running_cloud, driver, lan):
    stack = driver.create(template(one=other()), disable_rollback=False)
    bad = {**BROKEN, 'depends_on': 'net'}
    driver.update(stack, template(one=other(), net=net(lan), bad=bad))
    settled(driver, stack, 'ROLLBACK_COMPLETE')
    assert lan in [each['id'] for each in running_cloud.cloud.of(*NETWORKS)]
    assert 'net' not in driver.resources(stack)
    made = driver.create(template(net=net(lan), bad=bad), name='made', disable_rollback=False)
    settled(driver, made, 'ROLLBACK_COMPLETE')
    assert lan in [each['id'] for each in running_cloud.cloud.of(*NETWORKS)]
    driver.delete(stack)


def test_rollback_creates_an_imported_object_that_was_deleted(running_cloud, driver, lan):
    stack = driver.create(template(net=net(lan)), disable_rollback=False)
    settled(driver, stack, 'CREATE_COMPLETE')
    bad = {'fail': True, 'action_wait_secs': {'create': 1}}
    driver.update(stack, template(bad={**BROKEN, 'properties': bad}), disable_rollback=False)
    settled(driver, stack, 'ROLLBACK_COMPLETE')
    assert driver.physical_id(stack, 'net') not in (None, lan)
    driver.update(stack, template())
    # an object that is gone is not created in the place of the one that is named
    with pytest.raises(exception.StackValidationFailed, match='can not be found'):
        driver.update(stack, template(net=net(lan)))
    driver.delete(stack)


def test_failed_import_is_repeated(running_cloud, driver, lan):
    """The object appears only while the stack is at work: the first try does not find it."""
    late = {'type': 'OS::Heat::Value', 'properties': {'value': lan}}
    given = template(late=late, net=net({'get_attr': ['late', 'value']}))
    shown = running_cloud.cloud.objects.pop((*NETWORKS, lan))
    stack = driver.create(given)
    settled(driver, stack, 'CREATE_FAILED')
    assert 'can not be found' in driver.stack(stack)['stack_status_reason']
    running_cloud.cloud.objects[(*NETWORKS, lan)] = shown
    [found] = driver.preview(stack, given)['added']
    assert (found['action'], found['physical_resource_id']) == ('import', lan)
    driver.update(stack, given)
    settled(driver, stack, 'UPDATE_COMPLETE')
    assert driver.physical_id(stack, 'net') == lan
    assert [each['id'] for each in running_cloud.cloud.of(*NETWORKS)].count(lan) == 1
    driver.delete(stack)


def test_object_of_another_resource_is_refused(running_cloud, driver, lan):
    """One owner only: the second would delete what the first needs."""
    both = template(net=net(lan), twin=net(lan))
    first = driver.create(template(one=other()))
    for ask in (driver.preview, driver.update):
        with pytest.raises(exception.StackValidationFailed, match='it belongs to .*/(net|twin)'):
            ask(first, both)
    driver.update(first, template(net=net(lan)))
    settled(driver, first, 'UPDATE_COMPLETE')
    with pytest.raises(exception.StackValidationFailed, match='it belongs to stack/net already'):
        driver.update(first, both)
    with pytest.raises(exception.StackValidationFailed, match='it belongs to stack/net already'):
        driver.create(template(net=net(lan)), 'second')
    kept = {**net(lan), 'deletion_policy': 'Retain'}
    driver.update(first, template(net=kept))
    driver.update(first, template(one=other()))
    second = driver.create(template(net=net(lan)), 'second')
    settled(driver, second, 'CREATE_COMPLETE')
    assert driver.physical_id(second, 'net') == lan


def test_rollback_leaves_objects_that_nested_stacks_have_imported(running_cloud, driver, lan):
    nested = json.dumps(template(net=net(lan)))
    whole = template(one={'type': 'nested.yaml'}, two={**BROKEN, 'depends_on': 'one'})
    given = {'files': {'nested.yaml': nested}, 'disable_rollback': False}
    settled(driver, driver.create(whole, 'first', **given), 'ROLLBACK_COMPLETE')
    second = driver.create(
        template(one={'type': 'nested.yaml'}),
        'second',
        files={'nested.yaml': json.dumps(template(two=other()))},
    )
    driver.update(second, whole, **given)
    settled(driver, second, 'ROLLBACK_COMPLETE')
    assert lan in [each['id'] for each in running_cloud.cloud.of(*NETWORKS)]


def test_object_that_several_members_import_at_once_gets_one_owner_at_most(driver, lan):
    late = {'type': 'OS::Heat::Value', 'properties': {'value': lan}}
    nested = json.dumps(template(late=late, net=net({'get_attr': ['late', 'value']})))
    members = {'count': 3, 'resource_def': {'type': 'nested.yaml'}}
    group = {'type': 'OS::Heat::ResourceGroup', 'properties': members}
    stack = driver.create(template(group=group), 'several', files={'nested.yaml': nested})
    settled(driver, stack, 'CREATE_FAILED')
    reason = driver.stack(stack)['stack_status_reason']
    assert f'The object {lan} (OS::Neutron::Net) cannot be imported: it belongs to' in reason
    assert len(db_resources.list_by_physical_id(lan)) <= 1


@pytest.mark.parametrize('kind', ['ResourceGroup', 'AutoScalingGroup'])
@pytest.mark.parametrize('key', ['import', 'lifecycle'])
def test_definition_of_members_has_no_import_and_no_lifecycle(driver, kind, key):
    member = {**other(), key: {}}
    given = {'resource_def': member} if kind == 'ResourceGroup' else {'resource': member}
    sizes = {} if kind == 'ResourceGroup' else {'min_size': 2, 'max_size': 2}
    group = {'type': f'OS::Heat::{kind}', 'properties': {**sizes, **given}}
    with pytest.raises(exception.StackValidationFailed) as caught:
        driver.create(template(group=group), name=kind)
    assert str(caught.value).startswith(f'The members of a group have no "{key}"')
    assert [*caught.value.place] == ['resources', 'group', 'properties', *given, key]


def test_object_of_another_project_is_for_administrators_only(running_cloud, driver, ids):
    lan = running_cloud.cloud.put(
        *NETWORKS, name='lan', tags=['a'], admin_state_up=True, shared=True, tenant_id='theirs'
    )
    given = template(net=net(lan))
    answer = driver.client.preview_stack(
        driver.context, stack_name='n', template=given, params={}, files={}, args={}
    )
    assert answer['resources'][0]['reason'] == (
        f'it becomes the object {lan} of the project theirs'
    )
    driver.context = request_context(running_cloud, is_admin=False)
    with pytest.raises(exception.StackValidationFailed) as caught:
        driver.create(given)
    assert 'it belongs to the project theirs. Refer to it by external_id, or' in str(caught.value)
    found = running_cloud.cloud.objects[(*NETWORKS, lan)]
    found['tenant_id'] = driver.context.project_id
    stack = driver.create(given)
    settled(driver, stack, 'CREATE_COMPLETE')
    driver.delete(stack)


def test_connection_is_imported_beside_the_object_whose_id_it_has(running_cloud, driver, ids):
    address, port = ids['floatingip'], ids['port']
    found = running_cloud.cloud.objects['network', '/floatingips', address]
    found.update(port_id=port, floating_network_id=ids['vpc'])
    tie = {
        'type': 'OS::Neutron::FloatingIPAssociation',
        'import': {'id': address},
        'properties': {'floatingip_id': address, 'port_id': port},
    }
    values = {'floating_network': ids['vpc'], 'port_id': port}
    whole = {**tie, 'type': 'OS::Neutron::FloatingIP', 'properties': values}
    stack = driver.create(template(tie=tie, address=whole))
    settled(driver, stack, 'CREATE_COMPLETE')
    with pytest.raises(exception.StackValidationFailed, match='belongs to stack/tie already'):
        driver.create(template(tie=tie), 'second')
    driver.delete(stack)


def test_port_is_imported_beside_its_connection_of_the_same_id(running_cloud, driver, ids):
    port, cloud = ids['port'], running_cloud.cloud
    cloud.objects['network', '/ports', port]['network_id'] = ids['vpc']
    address = cloud.put('network', '/local_ips', name='local', local_port_id=port)
    path = f'/local_ips/{address}/port_associations'
    cloud.objects['network', path, port] = {'id': port, 'fixed_port_id': port}
    resources = {
        'port': ('Port', port, {'network': ids['vpc']}),
        'local': ('LocalIP', address, {'name': 'local', 'local_port': port}),
        'tie': ('LocalIPAssociation', port, {'local_ip': {'get_resource': 'local'}}),
    }
    resources['tie'][2]['fixed_port'] = {'get_resource': 'port'}
    given = {
        name: {'type': f'OS::Neutron::{kind}', 'import': {'id': one}, 'properties': values}
        for name, (kind, one, values) in resources.items()
    }
    found = driver.client.preview_stack(
        driver.context, stack_name='s', template=template(**given), params={}, files={}, args={}
    )
    assert {each['action'] for each in found['resources']} == {'import'}
