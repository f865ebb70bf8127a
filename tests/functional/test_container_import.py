"""Objects of a container engine that become resources of a stack."""

import json
import uuid

import pytest

from heat_lite.common import exception
from tests import podman
from tests.functional.test_containers import (  # noqa: F401 - fixtures
    CONTAINER,
    DOCKER,
    IMAGE,
    JOB,
    NETWORK,
    VOLUME,
    WAIT,
    driver,
    engine,
)

# ruff: noqa: F811 - fixtures are arguments
pytestmark = pytest.mark.xdist_group('containers')
VERSION = {'heat_template_version': 'heat_lite_2026-12-01'}
MARKS = {'kind': 'of the test'}


def named(word):
    return f'{word}-{uuid.uuid4().hex[:8]}'


@pytest.fixture
def made(engine, driver):
    """A network, a volume and a container that a stack of the project has left: {name: id}."""
    net, disk, app = named('net'), named('disk'), named('app')
    resources = {
        'net': {'type': NETWORK, 'properties': {'name': net, 'labels': MARKS}},
        'disk': {'type': VOLUME, 'properties': {'name': disk}},
        'app': {
            'type': CONTAINER,
            'depends_on': ['net', 'disk'],
            'properties': shape(net, disk, app),
        },
    }
    stack = driver.create({'resources': resources}, name=named('former'))
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    found = {name: driver.physical_id(stack, name) for name in resources}
    driver.client.abandon_stack(driver.context, stack_identity=stack)
    driver.wait(stack)
    yield found, resources
    call = engine.client()
    for name, remove in (('app', call.remove_container), ('net', call.remove_network)):
        try:
            remove(found[name], **({'force': True} if name == 'app' else {}))
        except Exception as error:
            assert 'no' in str(error).lower()


def shape(net, disk, app, **more):
    return {
        'name': app,
        'image': podman.IMAGE,
        'command': WAIT,
        'environment': {'MODE': 'test', 'NUMBER': 5},
        'networks': [{'network': net}],
        'volumes': [{'volume': disk, 'path': '/data'}],
        'memory': 64,
        'stop_grace_period': 2,
        **more,
    }


def imported(found, resources):
    return {
        **VERSION,
        'resources': {
            name: {**each, 'import': {'id': found[name]}} for name, each in resources.items()
        },
    }


def test_containers_networks_and_volumes_are_imported(driver, engine, made):
    found, resources = made
    stack = driver.create({**VERSION, 'resources': {}}, name=named('new'))
    given = imported(found, resources)
    answer = driver.preview(stack, given)
    assert [(each['action'], each['property_changes']) for each in answer['added']] == [
        ('import', [])
    ] * 3
    begun = engine.client().inspect_container(found['app'])['State']['StartedAt']
    driver.update(stack, given)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert {name: driver.physical_id(stack, name) for name in found} == found
    assert engine.client().inspect_container(found['app'])['State']['StartedAt'] == begun
    assert not driver.preview(stack, given)['has_changes']
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE', driver.stack(stack)['stack_status_reason']
    left = [each['Id'] for each in engine.client().containers(all=True)]
    assert found['app'] not in left
    assert found['net'] not in [each['Id'] for each in engine.client().networks()]


def test_differences_of_a_container_are_shown_or_refused(driver, engine, made):
    found, resources = made
    app = resources['app']['properties']
    stack = driver.create({**VERSION, 'resources': {}}, name=named('new'))
    more = named('more')
    resources['more'] = {'type': NETWORK, 'properties': {'name': more}}
    app['networks'].append({'network': {'get_resource': 'more'}, 'aliases': ['app']})
    given = imported({**found, 'more': None}, resources)
    driver.update(stack, given)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.physical_id(stack, 'app') == found['app']
    assert more in engine.client().inspect_container(found['app'])['NetworkSettings']['Networks']
    driver.client.abandon_stack(driver.context, stack_identity=stack)
    driver.wait(stack)
    stack = driver.create({**VERSION, 'resources': {}}, name=named('new'))
    app['networks'] = [{'network': resources['net']['properties']['name']}]
    answer = driver.preview(stack, imported({**found, 'more': None}, resources))['added']
    [change] = [each for each in answer if each['resource_name'] == 'app']
    [difference] = change['property_changes']
    assert [each['network'] for each in difference['before']] == [
        *(each['network'] for each in difference['after']),
        more,
    ]
    for name, value in (('command', ['sleep', '5']), ('environment', {'MODE': 'other'})):
        with pytest.raises(exception.StackValidationFailed, match=f'another {name}'):
            wanted = {**resources, 'app': {**resources['app'], 'properties': {**app, name: value}}}
            driver.update(stack, imported({**found, 'more': None}, wanted))
    driver.delete(stack)


def test_properties_of_objects_are_described(driver, made):
    found, resources = made
    wanted = {name: {**each['properties']} for name, each in resources.items()}
    wanted['app'].pop('stop_grace_period')  # the engine does not show it
    wanted['app']['environment']['NUMBER'] = '5'
    wanted['app']['volumes'][0]['read_only'] = False
    external = {
        name: {'type': resources[name]['type'], 'external_id': found[name]} for name in resources
    }
    body = {'heat_template_version': '2021-04-16', 'resources': external}
    shown = driver.client.preview_stack(
        driver.context, stack_name='x', template=body, params={}, files={}, args={'observe': True}
    )
    for each in shown['resources']:
        live = each['live_properties']
        for property_name, value in wanted[each['resource_name']].items():
            if property_name != 'image':
                assert live[property_name] == value
        assert not live.keys() - wanted[each['resource_name']].keys() - {'subnet', 'gateway'}, live


def test_image_is_imported_under_its_name(driver, engine):
    name, image = named('image'), IMAGE
    context = {'Dockerfile': f'FROM {podman.IMAGE}\nENV MADE=1\n'}
    made = {'type': image, 'properties': {'name': name, 'context': context}}
    former = driver.create({'resources': {'it': made}}, name=named('former'))
    assert driver.state(former) == 'CREATE_COMPLETE', driver.stack(former)['stack_status_reason']
    found = driver.physical_id(former, 'it')
    driver.client.abandon_stack(driver.context, stack_identity=former)
    driver.wait(former)
    given = {**VERSION, 'resources': {'it': {**made, 'import': {'id': found}}}}
    stack = driver.create({**VERSION, 'resources': {}}, name=named('new'))
    other = {**made, 'import': {'id': found}, 'properties': {'name': 'x', 'context': context}}
    with pytest.raises(exception.StackValidationFailed, match='another name'):
        driver.update(stack, {**VERSION, 'resources': {'it': other}})
    driver.update(stack, given)
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.physical_id(stack, 'it') == found
    assert not driver.preview(stack, given)['has_changes']
    driver.delete(stack)
    assert not engine.images(name)


def test_object_of_others_is_not_imported(driver, engine):
    client = engine.client()
    name = named('foreign')
    other = client.create_container(podman.IMAGE, ['sleep', '60'], name=name)['Id']
    resource = {'type': CONTAINER, 'import': {'id': other}, 'properties': {'image': podman.IMAGE}}
    with pytest.raises(exception.Forbidden, match='No stack of the project has made'):
        driver.create({**VERSION, 'resources': {'app': resource}}, name=named('thief'))
    client.remove_container(other, force=True)


def left_by_a_stack(driver, type_name, properties):
    """Return the id of an object that a stack of the project has made and left."""
    resource = {'type': type_name, 'properties': properties}
    former = driver.create({'resources': {'it': resource}}, name=named('former'))
    assert driver.state(former) == 'CREATE_COMPLETE', driver.stack(former)['stack_status_reason']
    found = driver.physical_id(former, 'it')
    driver.client.abandon_stack(driver.context, stack_identity=former)
    driver.wait(former)
    return found


def observed(driver, type_name, object_id):
    """Return the properties that ``heat-lite import`` writes."""
    resource = {'type': type_name, 'external_id': object_id}
    body = {'heat_template_version': '2021-04-16', 'resources': {'it': resource}}
    [found] = driver.client.preview_stack(
        driver.context, stack_name='x', template=body, params={}, files={}, args={'observe': True}
    )['resources']
    return found['live_properties']


def adopt(driver, type_name, object_id, properties):
    """Create a stack by adoption, as ``heat-lite import`` does; return its identity."""
    template = {**VERSION, 'resources': {'it': {'type': type_name, 'properties': properties}}}
    adopted = {'resource_id': object_id, 'resource_data': {}, 'metadata': {}, 'type': type_name}
    document = {'template': template, 'resources': {'it': adopted}}
    stack = driver.create(template, name=named('own'), adopt_stack_data=json.dumps(document))
    assert driver.state(stack) == 'ADOPT_COMPLETE', driver.stack(stack)['stack_status_reason']
    return stack


def docker_shape():
    return {
        'name': named('docker'),
        'image': podman.IMAGE,
        'cmd': WAIT,
        'env': ['B=2', 'A=1'],
        'hostname': 'shop',
        'user': 'root',
        'memory': 64 << 20,
        'cpu_shares': 512,
        'tty': True,
        'open_stdin': True,
        'stdin_once': True,
        'port_specs': [53, '80/udp'],
        'port_bindings': {'8080': 18933},
        'volumes': {named('disk'): '/data', named('other'): {'bind': '/more', 'ro': True}},
        'dns': ['192.0.2.1'],
        'cap_drop': ['MKNOD'],
        'restart_policy': {'Name': 'on-failure', 'MaximumRetryCount': 2},
    }


def job_shape():
    return {'image': podman.IMAGE, 'command': ['echo', 'done'], 'environment': {'MODE': 'test'}}


PROCESSES = {
    'docker': (
        DOCKER,
        docker_shape,
        {
            'cmd': ['sleep', '5'],
            'env': ['A=1'],
            'port_specs': [53],
            'port_bindings': {'8080': 18934},
            'cap_drop': [],
            'restart_policy': {'Name': 'always'},
            'memory': 32 << 20,
            'tty': False,
            'hostname': 'other',
        },
    ),
    'docker with nothing': (DOCKER, lambda: {'image': podman.IMAGE, 'tty': True}, {'tty': False}),
    'job': (JOB, job_shape, {'command': ['echo', 'other'], 'environment': {'MODE': 'other'}}),
}


@pytest.mark.parametrize('case', PROCESSES)
def test_process_is_compared_and_imported(driver, engine, case):
    type_name, shape_of, others = PROCESSES[case]
    properties = shape_of()
    found = left_by_a_stack(driver, type_name, properties)
    stack = driver.create({**VERSION, 'resources': {}}, name=named('new'))

    def given(**more):
        it = {'type': type_name, 'import': {'id': found}, 'properties': {**properties, **more}}
        return {**VERSION, 'resources': {'it': it}}

    for name, value in others.items():
        with pytest.raises(exception.StackValidationFailed, match=f'another {name}'):
            driver.preview(stack, given(**{name: value}))
    [change] = driver.preview(stack, given())['added']
    assert (change['action'], change['property_changes']) == ('import', [])
    driver.update(stack, given())
    assert driver.state(stack) == 'UPDATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.physical_id(stack, 'it') == found
    assert not driver.preview(stack, given())['has_changes']
    if type_name == JOB:
        shown = driver.client.describe_stack_resource(
            driver.context, stack_identity=stack, resource_name='it', with_attr=['output']
        )
        assert shown['attributes']['output'] == 'done\n'
    driver.delete(stack)
    assert found not in [each['Id'] for each in engine.client().containers(all=True)]


@pytest.mark.parametrize('case', PROCESSES)
def test_process_is_adopted_as_it_is_described(driver, engine, case):
    type_name, shape_of, _ = PROCESSES[case]
    found = left_by_a_stack(driver, type_name, shape_of())
    properties = observed(driver, type_name, found)
    assert not properties.keys() - shape_of().keys() - {'name'}
    stack = adopt(driver, type_name, found, properties)
    driver.client.abandon_stack(driver.context, stack_identity=stack)
    driver.wait(stack)
    it = {'type': type_name, 'import': {'id': found}, 'properties': properties}
    stack = driver.create({**VERSION, 'resources': {}}, name=named('new'))
    [change] = driver.preview(stack, {**VERSION, 'resources': {'it': it}})['added']
    assert (change['action'], change['property_changes']) == ('import', [])
    stack = adopt(driver, type_name, found, properties)
    driver.delete(stack)
    assert found not in [each['Id'] for each in engine.client().containers(all=True)]


def test_image_is_adopted_as_it_is_described(driver, engine):
    context = {'Dockerfile': f'FROM {podman.IMAGE}\nENV MADE=1\n'}
    name = named('image')
    found = left_by_a_stack(driver, IMAGE, {'name': name, 'context': context})
    properties = observed(driver, IMAGE, found)
    assert properties == {'name': f'docker.io/library/{name}:latest', 'keep': False}
    stack = adopt(driver, IMAGE, found, properties)
    assert driver.physical_id(stack, 'it') == found
    driver.delete(stack)
    assert not engine.images(name)
