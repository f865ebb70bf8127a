"""Requests with the header If-Match: refused after an update of the same stack."""

import concurrent.futures
import uuid

import pytest

from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

pytestmark = shapes.of('embedded', 'mariadb')
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'parameters': {
        'a': {'type': 'string', 'default': '0'},
        'b': {'type': 'string', 'default': '0'},
    },
    'resources': {'random': {'type': 'OS::Heat::RandomString'}},
}


@pytest.fixture
def path(service):
    name = f'stack-{uuid.uuid4().hex}'
    made = service.ask('POST', '/stacks', {'stack_name': name, 'template': TEMPLATE})
    return f'/stacks/{name}/{made.json()["stack"]["id"]}'


@pytest.fixture
def change(service, path):
    def change(method='PATCH', tag=None, **body):
        headers = {} if tag is None else {'If-Match': tag}
        answer = service.ask(method, path, body, headers=headers)
        for _ in range(int(WAIT_SECONDS * 10)):
            if not shown()['stack_status'].endswith('IN_PROGRESS'):
                break
        return answer

    def shown():
        return service.ask('GET', path).json()['stack']

    return change


def etag(service, path):
    return service.ask('GET', path).headers['ETag']


def definition(tag):
    return tag.strip('"').partition('-')[0]


def test_etag_of_the_definition_stays_through_an_action(service, path, change):
    first = etag(service, path)
    assert change(parameters={}).status_code == 202
    service.ask('POST', f'{path}/actions', {'check': None})
    assert definition(etag(service, path)) == definition(first)
    service.ask('POST', f'{path}/actions', {'protect': None})
    changed = etag(service, path)
    assert definition(changed) != definition(first)
    answer = service.ask('GET', path, headers={'If-None-Match': etag(service, path)})
    assert answer.status_code == 304
    service.ask('POST', f'{path}/actions', {'unprotect': None})


@pytest.mark.parametrize('method', ['PUT', 'PATCH'])
@pytest.mark.parametrize(
    'body', [{'parameters': {'a': '1'}}, {'tags': 'x'}, {'timeout_mins': 9}, {'protected': True}]
)
def test_update_from_a_stale_definition_gets_412(service, path, change, method, body):
    stale = etag(service, path)
    first = change(method, stale, template=TEMPLATE, **body)
    assert first.status_code == 202
    refused = change('PATCH', stale, parameters={'b': '1'})
    assert refused.status_code == 412
    assert refused.json()['error']['type'] == 'DefinitionChanged'
    assert service.ask('GET', path).json()['stack']['parameters']['b'] == '0'
    assert definition(first.headers['ETag']) == definition(etag(service, path))
    assert change('PATCH', first.headers['ETag'], protected=False).status_code == 202
    assert change('PATCH', f'W/{etag(service, path)}', protected=True).status_code == 412
    assert change('PATCH', '*', parameters={'b': '1'}).status_code == 202
    assert change('PATCH', if_match=['x'], parameters={'b': '2'}).status_code == 202


def test_delete_from_a_stale_definition_gets_412(service, path, change):
    stale = etag(service, path)
    assert change('PATCH', parameters={'a': '1'}).status_code == 202
    refused = service.ask('DELETE', path, headers={'If-Match': stale})
    assert refused.status_code == 412
    assert service.ask('GET', path).json()['stack']['stack_status'] == 'UPDATE_COMPLETE'
    present = {'If-Match': etag(service, path)}
    assert service.ask('DELETE', path, headers=present).status_code == 204


def test_one_of_many_updates_from_one_definition_is_accepted(service, path, change):
    for number in range(3):
        tag = etag(service, path)

        def patch(name, tag=tag, number=number):
            return change('PATCH', tag, parameters={name: str(number + 1)}).status_code

        with concurrent.futures.ThreadPoolExecutor() as pool:
            codes = list(pool.map(patch, 'abab'))
        assert sorted(set(codes)) == [202, 412], codes
        assert codes.count(202) == 1, codes
