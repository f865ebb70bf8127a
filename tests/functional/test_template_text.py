"""The text of a template: kept as its author wrote it, beside the data that clients read."""

import json
import uuid

import pytest
import yaml

from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

pytestmark = shapes.of('convergence', 'mariadb')
TEXT = """# who: the shop
heat_template_version: 2021-04-16
parameters:
  wish: {type: string, default: a}   # of the customer
  word: {type: string, hidden: true, default: planted}
resources:
  # only one
  it: {type: OS::Heat::TestResource, properties: {value: {get_param: wish}}}
"""


class Stack:
    def __init__(self, service, **body):
        self.service = service
        name = f'stack-{uuid.uuid4().hex}'
        body = {'stack_name': name, 'template_text': '# of a client', **body}
        made = service.ask('POST', '/stacks', body)
        self.path = f'/stacks/{name}/{made.json()["stack"]["id"]}'
        self.wait()

    def wait(self):
        for _ in range(int(WAIT_SECONDS * 10)):
            state = self.service.ask('GET', self.path).json()['stack']['stack_status']
            if not state.endswith('IN_PROGRESS'):
                return state
        raise AssertionError(state)

    def change(self, method='PATCH', **body):
        answer = self.service.ask(method, self.path, body)
        assert answer.status_code == 202, answer.text
        return self.wait()

    @property
    def text(self):
        return self.service.ask('GET', f'{self.path}/template_text').json()['template_text']

    @property
    def export(self):
        return self.service.ask('GET', f'{self.path}/export').json()

    @property
    def template(self):
        return self.service.ask('GET', f'{self.path}/template').json()


@pytest.fixture
def stack(service):
    return Stack(service, template=TEXT)


@pytest.fixture
def data():
    return yaml.load(TEXT, Loader=yaml.BaseLoader) | {'heat_template_version': '2021-04-16'}


def test_text_is_kept_beside_the_data(stack, service, data):
    assert stack.text == TEXT
    assert list(stack.template) == list(data)
    assert Stack(service, template=data).text is None
    assert Stack(service, template=json.dumps(data)).text is None


def test_update_with_the_same_data_keeps_the_text(stack):
    assert stack.change(parameters={'wish': 'b'}) == 'UPDATE_COMPLETE'
    assert stack.change(template=stack.template) == 'UPDATE_COMPLETE'
    assert stack.change('PUT', template=stack.template) == 'UPDATE_COMPLETE'
    assert stack.text == TEXT


def test_update_with_other_data_has_no_text(stack):
    changed = {**stack.template, 'description': 'another'}
    assert stack.change(template=changed) == 'UPDATE_COMPLETE'
    assert stack.text is None and stack.template == changed


def test_update_of_comments_alone_stores_them(stack):
    body = {'template': TEXT.replace('only one', 'just one')}
    preview = stack.service.ask('PATCH', f'{stack.path}/preview', body).json()
    assert preview['has_changes'] is False
    assert stack.change(**body) == 'UPDATE_COMPLETE'
    assert stack.text == body['template']
    assert stack.change(**body) == 'UPDATE_COMPLETE'


def test_rollback_brings_the_text_back(stack):
    broken = TEXT.replace('{value:', '{fail: true, value:').replace('only one', 'broken')
    assert stack.change(template=broken, disable_rollback=False) == 'ROLLBACK_COMPLETE'
    assert stack.text == TEXT
    (failure,) = stack.service.ask('GET', stack.path).json()['stack']['failures']
    assert (failure['resource_name'], failure['changed']) == ('it', ['fail'])
    assert stack.change(template=broken, disable_rollback=True) == 'UPDATE_FAILED'
    assert stack.text == broken


def test_restore_brings_the_text_of_the_snapshot_back(stack):
    taken = stack.service.ask('POST', f'{stack.path}/snapshots').json()
    assert stack.wait() == 'SNAPSHOT_COMPLETE'
    assert stack.change(template=TEXT.replace('only one', 'another')) == 'UPDATE_COMPLETE'
    path = f'{stack.path}/snapshots/{taken["id"]}/restore'
    assert stack.service.ask('POST', path).status_code in (200, 202)
    assert stack.wait() == 'RESTORE_COMPLETE'
    assert stack.text == TEXT


def test_adoption_keeps_a_text_that_describes_its_template(stack, service, data):
    document = stack.export
    adopted = Stack(service, adopt_stack_data=json.dumps(document))
    assert adopted.text == TEXT
    document['template']['description'] = 'changed since'
    adopted = Stack(service, adopt_stack_data=json.dumps(document))
    assert adopted.text is None and adopted.template['description'] == 'changed since'
    assert 'template_text' not in Stack(service, template=data).export
