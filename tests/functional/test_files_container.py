"""Files of requests from a container in Swift, and errors that a validation ignores."""

import pytest

from heat_lite.common import exception
from tests.functional.clouds import driver, ids, running_cloud  # noqa: F401 - fixtures

# ruff: noqa: F811 - fixtures are arguments

INNER = """heat_template_version: 2018-08-31
resources: {r: {type: OS::Heat::RandomString}}
"""
TEMPLATE = {
    'heat_template_version': '2018-08-31',
    'parameters': {'len': {'type': 'number', 'default': 3}},
    'resources': {
        'text': {'type': 'OS::Heat::Value', 'properties': {'value': {'get_file': 'dir/a.txt'}}},
        'inner': {'type': 'inner.yaml'},
        'size': {'type': 'OS::Heat::Value', 'properties': {'value': {'get_param': 'len'}}},
    },
    'outputs': {name: {'value': {'get_attr': [name, 'value']}} for name in ('text', 'size')},
}


@pytest.fixture
def box(running_cloud, ids):
    """The objects of the container ``box``."""
    objects = {'dir/a.txt': 'from the box', 'inner.yaml': INNER, 'env.yaml': 'parameters: {len: 7}'}
    running_cloud.cloud.objects['object-store', '/', 'box'] = {'id': 'box', 'objects': objects}
    return objects


def arguments(container='box', **more):
    return {'template': TEMPLATE, 'params': {}, 'files': {}, 'files_container': container, **more}


def create(driver, **more):
    identity = driver.client.create_stack(
        driver.context, stack_name='boxed', args={}, **arguments(**more)
    )
    assert driver.state(driver.wait(identity)) == 'CREATE_COMPLETE'
    return identity


def update(driver, identity, args, **more):
    driver.client.update_stack(driver.context, stack_identity=identity, args=args, **more)
    assert driver.state(driver.wait(identity)) == 'UPDATE_COMPLETE'


def test_create_reads_the_files_of_the_container(driver, box):
    identity = create(driver, environment_files=['env.yaml'])
    assert driver.outputs(identity) == {'text': 'from the box', 'size': 7}
    assert driver.client.get_files(driver.context, stack_identity=identity) == box
    driver.delete(identity)


def test_file_of_the_request_replaces_the_object_of_its_name(driver, box):
    box['dir/a.txt'] = b'\xff\xfe'  # is not read
    identity = create(driver, files={'dir/a.txt': 'from the request'})
    assert driver.outputs(identity)['text'] == 'from the request'
    driver.delete(identity)


def test_update_reads_the_container_anew(driver, box):
    identity = create(driver)
    box['dir/a.txt'] = 'changed once'
    update(driver, identity, {}, **arguments())
    assert driver.outputs(identity)['text'] == 'changed once'
    box['dir/a.txt'] = 'changed twice'
    patch = {'template': None, 'params': {}, 'files': {}, 'files_container': 'box'}
    preview = driver.client.preview_update_stack(
        driver.context, stack_identity=identity, args={'existing': True}, **patch
    )
    assert [each['resource_name'] for each in preview['updated']] == ['text', 'inner']
    update(driver, identity, {'existing': True}, **patch)
    assert driver.outputs(identity)['text'] == 'changed twice'
    driver.delete(identity)


def test_preview_and_validation_read_the_container(driver, box):
    preview = driver.client.preview_stack(
        driver.context,
        stack_name='boxed',
        args={},
        **arguments(environment_files=['env.yaml']),
    )
    assert preview['parameters']['len'] == '7'
    described = driver.client.validate_template(
        driver.context, show_nested=True, **arguments(environment_files=['env.yaml'])
    )
    assert list(described['NestedParameters']) == ['inner']
    assert described['Parameters']['len']['Value'] == 7


@pytest.mark.parametrize('name', ['absent', 'box/dir', '..'])
def test_missing_container_is_not_found(driver, box, name):
    with pytest.raises(
        exception.NotFound, match=f'Could not fetch files from container {name}, reason: '
    ) as caught:
        driver.client.validate_template(driver.context, **arguments(name))
    assert caught.value.code == 404


def test_container_larger_than_a_request_is_refused(driver, box):
    box['large'] = 'x' * 1048577
    with pytest.raises(exception.DownloadLimitExceeded, match=r'1048\d+ bytes. exceeds maximum'):
        driver.client.validate_template(driver.context, **arguments())


def test_object_that_is_no_text_is_refused(driver, box):
    box['image'] = b'\xff\xfe'
    with pytest.raises(exception.Invalid, match='"image" of container box is not a text'):
        driver.client.validate_template(driver.context, **arguments())


def test_validation_ignores_a_missing_service_on_request(driver, running_cloud, ids):
    running_cloud.cloud.extensions = {'segment'}
    template = {
        'heat_template_version': '2018-08-31',
        'resources': {
            'scope': {'type': 'OS::Neutron::AddressScope', 'properties': {'name': 'scope'}},
            'text': {'type': 'OS::Heat::Value', 'properties': {'value': 1}},
        },
    }
    with pytest.raises(exception.ResourceTypeUnavailable):
        driver.client.validate_template(driver.context, template=template)
    described = driver.client.validate_template(
        driver.context, template=template, ignorable_errors=['99001']
    )
    assert described['Parameters'] == {}
    template['resources']['text']['properties'] = {'absent': 1}
    answer = driver.client.validate_template(
        driver.context, template=template, ignorable_errors=['99001']
    )
    assert 'Unknown Property absent' in answer['Error']


def test_preview_with_converge_compares_with_the_live_objects(driver, running_cloud, ids):
    template = {'resources': {'net': {'type': 'OS::Neutron::Net', 'properties': {'name': 'mine'}}}}
    identity = driver.create(template)
    network = driver.physical_id(identity, 'net')
    running_cloud.cloud.objects['network', '/networks', network]['name'] = 'drifted'
    for converge, wanted in ((False, 'unchanged'), (True, 'updated')):
        answer = driver.client.preview_update_stack(
            driver.context,
            stack_identity=identity,
            template={'heat_template_version': '2021-04-16', **template},
            params={},
            files={},
            args={'converge': converge},
        )
        assert [each['resource_name'] for each in answer[wanted]] == ['net']
    del running_cloud.cloud.objects['network', '/networks', network]
    answer = driver.client.preview_update_stack(
        driver.context,
        stack_identity=identity,
        template={'heat_template_version': '2021-04-16', **template},
        params={},
        files={},
        args={'converge': True},
    )
    assert [each['resource_name'] for each in answer['replaced']] == ['net']
    assert driver.resource(identity, 'net')['resource_action'] == 'CREATE', 'nothing is stored'
    driver.delete(identity)
