"""Abandon, export and adoption of stacks: cloud objects are kept and taken into new stacks."""

import json
import time

import pytest
from heatclient import client as heatclient
from keystoneauth1 import session as keystone_session
from sqlalchemy import select

from heat_lite.common import exception
from heat_lite.db import models, session
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.runtime import EngineLimits
from heat_lite.template.schema import number
from tests import databases, engines
from tests.functional import shapes, templates
from tests.functional.test_clients import authentication, run, settled

TEST = 'OS::Heat::TestResource'


class RecordingServer(Resource):
    """A resource type that records each call of a handler in ``calls``."""

    resource_type = 'Test::Server'
    properties_schema = {'size': number('The size.', default=1, update_allowed=True)}
    calls = []

    def handle_create(self):
        self.calls.append(('create', self.name))
        self.resource_id_set(f'server-{self.name}')
        self.data_set('password', f'secret of {self.name}', redact=True)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        self.calls.append(('update', self.resource_id, prop_diff))

    def handle_delete(self):
        self.calls.append(('delete', self.resource_id))


@pytest.fixture(scope='module', params=databases.BACKENDS)
def engine(request, tmp_path_factory):
    with databases.migrated(request.param, tmp_path_factory.mktemp('db')) as url:
        with engines.running(
            url, [RecordingServer], enable_stack_adopt=True, enable_stack_abandon=True
        ) as driver:
            yield driver


@pytest.fixture(autouse=True)
def new_project(request):
    RecordingServer.calls = []
    if 'engine' in request.fixturenames:
        request.getfixturevalue('engine').context.project_id = f'p{time.monotonic_ns()}'


TEMPLATE = {
    'parameters': {'size': {'type': 'number', 'default': 1}},
    'resources': {
        'web': {
            'type': 'Test::Server',
            'metadata': {'a': 1},
            'properties': {'size': {'get_param': 'size'}},
        },
        'secret': {'type': 'OS::Heat::RandomString', 'depends_on': 'web'},
    },
    'outputs': {'secret': {'value': {'get_attr': ['secret', 'value']}}},
}


def abandon(engine, identity):
    document = engine.client.abandon_stack(engine.context, stack_identity=identity)
    engine.wait(identity)
    return document


def adopt(engine, document, template=TEMPLATE, **args):
    return engine.create(template, adopt_stack_data=json.dumps(document), **args)


def test_abandon_deletes_stack_and_keeps_cloud_objects(engine):
    identity = engine.create(TEMPLATE, tags=['x'], params={'parameters': {'size': 3}})
    web, secret = engine.physical_id(identity, 'web'), engine.outputs(identity)['secret']
    document = abandon(engine, identity)
    assert {key: document[key] for key in document if key not in ('template', 'resources')} == {
        'name': 'stack',
        'id': identity['stack_id'],
        'action': 'CREATE',
        'environment': {
            'resource_registry': {'resources': {}},
            'parameters': {'size': 3},
            'parameter_defaults': {},
            'event_sinks': [],
        },
        'files': {},
        'status': 'COMPLETE',
        'project_id': engine.context.project_id,
        'stack_user_project_id': None,
        'tags': ['x'],
    }
    assert document['resources']['web'] == {
        'name': 'web',
        'resource_id': web,
        'type': 'Test::Server',
        'action': 'CREATE',
        'status': 'COMPLETE',
        'metadata': {'a': 1},
        'resource_data': {'password': 'secret of web'},
    }
    assert document['resources']['secret']['resource_data'] == {'value': secret}
    assert engine.state(identity) == 'DELETE_COMPLETE' and RecordingServer.calls == [
        ('create', 'web')
    ]
    assert [state for name, state in engine.events(identity) if name == 'web'][-2:] == [
        'DELETE_IN_PROGRESS',
        'DELETE_COMPLETE',
    ]
    assert engine.client.list_stacks(engine.context) == []


def test_export_returns_document_and_adds_no_event(engine):
    identity = engine.create(TEMPLATE)
    before = engine.events(identity)
    document = engine.client.export_stack(engine.context, stack_identity=identity)
    assert set(document['resources']) == {'web', 'secret'} and engine.events(identity) == before
    assert document == abandon(engine, identity)


def test_abandon_is_refused_during_an_action(engine):
    """The document would lack the objects that are being created."""
    slow = {'type': 'OS::Heat::TestResource', 'properties': {'wait_secs': 2}}
    identity = engine.create({'resources': {'slow': slow}}, name='busy', wait=False)
    with pytest.raises(exception.ActionInProgress):
        abandon(engine, identity)
    engine.wait(identity)
    assert abandon(engine, identity)['resources']['slow']['resource_id']


def test_abandon_deletes_snapshots_of_stack(engine):
    identity = engine.create(TEMPLATE)
    engine.client.stack_snapshot(engine.context, stack_identity=identity, name='s')
    engine.wait(identity)
    abandon(engine, identity)
    with session.engine().connect() as connection:
        found = connection.execute(
            select(models.snapshot.c.id).where(models.snapshot.c.stack_id == identity['stack_id'])
        )
        assert found.all() == []


def test_adopted_resources_keep_ids_data_and_metadata(engine):
    first = engine.create(TEMPLATE, params={'parameters': {'size': 3}})
    secret = engine.outputs(first)['secret']
    document = abandon(engine, first)
    identity = adopt(engine, document, name='again')
    assert engine.state(identity) == 'ADOPT_COMPLETE'
    assert engine.events(identity) == [
        ('again', 'ADOPT_IN_PROGRESS'),
        *(
            (name, f'ADOPT_{state}')
            for name in ('web', 'secret')
            for state in ('IN_PROGRESS', 'COMPLETE')
        ),
        ('again', 'ADOPT_COMPLETE'),
    ]
    assert engine.physical_id(identity, 'web') == 'server-web' and engine.outputs(identity) == {
        'secret': secret
    }
    assert engine.resource(identity, 'web')['metadata'] == {'a': 1}
    exported = engine.client.export_stack(engine.context, stack_identity=identity)
    for name, data in document['resources'].items():
        assert exported['resources'][name] == {**data, 'action': 'ADOPT'}
    assert exported['environment'] == document['environment'] and RecordingServer.calls == [
        ('create', 'web')
    ]


def test_adopted_stack_can_be_updated_and_deleted(engine):
    identity = adopt(engine, abandon(engine, engine.create(TEMPLATE)), name='again')
    engine.update(identity, TEMPLATE, params={'parameters': {'size': 5}})
    assert engine.resources(identity) == {'web': 'UPDATE_COMPLETE', 'secret': 'ADOPT_COMPLETE'}
    engine.delete(identity)
    assert RecordingServer.calls == [
        ('create', 'web'),
        ('update', 'server-web', {'size': 5}),
        ('delete', 'server-web'),
    ]


def test_adopted_resource_data_stays_redacted(engine):
    identity = adopt(engine, abandon(engine, engine.create(TEMPLATE)), name='again')
    data, resource = models.resource_data, models.resource
    query = select(data.c.redact).join(resource).where(resource.c.stack_id == identity['stack_id'])
    with session.engine().connect() as connection:
        assert [row.redact for row in connection.execute(query)] == [True, True]


def test_adopt_request_parameters_and_files_override_document(engine):
    template = {
        'parameters': {
            'a': {'type': 'string', 'default': '0'},
            'b': {'type': 'string', 'default': '0'},
        },
        'resources': {'v': {'type': 'OS::Heat::Value', 'properties': {'value': {'get_file': 'f'}}}},
        'outputs': {'v': {'value': {'get_attr': ['v', 'value']}}},
    }
    document = {
        'environment': {'parameters': {'a': '1', 'b': '1'}, 'parameter_defaults': {'c': '1'}},
        'files': {'f': 'text'},
        'resources': {'v': {'resource_id': 'v'}},
    }
    identity = adopt(engine, document, template, params={'parameters': {'b': '2'}})
    environment = engine.client.get_environment(engine.context, stack_identity=identity)
    assert (
        environment['parameters'] == {'a': '1', 'b': '2'}
        and environment['parameter_defaults'] == {}
    )
    assert engine.outputs(identity) == {'v': 'text'}
    with pytest.raises(exception.UnknownUserParameter):
        adopt(engine, {'environment': {'parameters': {'nope': 1}}}, template, name='other')


def test_adopt_of_resource_missing_in_document_fails(engine):
    document = abandon(engine, engine.create(TEMPLATE))
    del document['resources']['secret']
    identity = adopt(engine, document, name='again')
    reason = 'Exception: resources.secret: Resource ID was not provided.'
    assert engine.stack(identity)['stack_status_reason'] == f'Resource ADOPT failed: {reason}'
    assert engine.resources(identity) == {'web': 'ADOPT_COMPLETE', 'secret': 'ADOPT_FAILED'}


def test_adopt_takes_resources_without_physical_ids(engine):
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {
            'handle': {'type': 'OS::Heat::WaitConditionHandle'},
            'condition': {
                'type': 'OS::Heat::WaitCondition',
                'properties': {'handle': {'get_resource': 'handle'}, 'timeout': 60},
            },
            'delay': {'type': 'OS::Heat::Delay'},
            'policy': {
                'type': 'OS::Heat::AccessPolicy',
                'properties': {'AllowedResources': ['delay']},
            },
        },
        'outputs': {'data': {'value': {'get_attr': ['condition', 'data']}}},
    }
    first = engine.create(template, wait=False)
    engine.wait_for_resource(first, 'condition', 'CREATE_IN_PROGRESS')
    engine.client.resource_signal(
        engine.context,
        stack_identity=first,
        resource_name='handle',
        details={'id': '1', 'data': 'd'},
        sync_call=True,
    )
    engine.wait(first)
    document = abandon(engine, first)
    identity = adopt(engine, document, template, name='again')
    assert engine.state(identity) == 'ADOPT_COMPLETE'
    assert engine.outputs(identity) == {'data': '{"1": "d"}'}
    del document['resources']['delay']
    refused = adopt(engine, document, template, name='third')
    assert engine.resources(refused)['delay'] == 'ADOPT_FAILED'


def test_adopt_rollback_keeps_cloud_objects(engine):
    document = abandon(engine, engine.create(TEMPLATE))
    document['resources']['secret']['resource_id'] = None
    identity = adopt(engine, document, name='again', disable_rollback=False)
    assert engine.state(identity) == 'ROLLBACK_COMPLETE' and engine.resources(identity) == {}
    assert ('web', 'DELETE_COMPLETE') in engine.events(identity) and RecordingServer.calls == [
        ('create', 'web')
    ]


INNER = """
heat_template_version: 2021-04-16
parameters: {size: {type: number}}
resources:
  web: {type: Test::Server, properties: {size: {get_param: size}}}
  secret: {type: OS::Heat::RandomString}
outputs: {secret: {value: {get_attr: [secret, value]}}}
"""
OUTER = {
    'heat_template_version': '2021-04-16',
    'resources': {'in': {'type': 'inner.yaml', 'properties': {'size': 4}}},
    'outputs': {'secret': {'value': {'get_attr': ['in', 'secret']}}},
}


def create_nested(engine, name, **args):
    """Create a stack that has a nested stack; return its identity."""
    args = {'disable_rollback': True, **args}
    files = {'inner.yaml': INNER}
    return engine.wait(
        engine.client.create_stack(
            engine.context, stack_name=name, template=OUTER, params={}, files=files, args=args
        ),
        seconds=30,
    )


def test_abandon_and_adopt_include_nested_stacks(engine):
    first = create_nested(engine, 'first')
    nested_id, secret = engine.physical_id(first, 'in'), engine.outputs(first)['secret']
    document = abandon(engine, first)
    assert engine.state(first) == 'DELETE_COMPLETE' and RecordingServer.calls == [('create', 'web')]
    nested = document['resources']['in']
    assert nested['id'] == nested_id and nested['environment']['parameters'] == {'size': 4}
    assert nested['resources']['web']['resource_id'] == 'server-web' and nested['resources'][
        'secret'
    ]['resource_data'] == {'value': secret}
    assert engine.client.list_stacks(engine.context, show_nested=True) == [], (
        'the rows of the nested stack must be deleted, too'
    )
    identity = create_nested(engine, 'again', adopt_stack_data=json.dumps(document))
    assert engine.state(identity) == 'ADOPT_COMPLETE' and engine.outputs(identity) == {
        'secret': secret
    }
    resources = engine.client.list_stack_resources(
        engine.context, stack_identity=identity, nested_depth=1
    )
    assert {each['resource_name']: each['resource_action'] for each in resources} == dict.fromkeys(
        ('in', 'web', 'secret'), 'ADOPT'
    )
    assert engine.physical_id(identity, 'in') != nested_id
    engine.delete(identity)
    assert RecordingServer.calls == [('create', 'web'), ('delete', 'server-web')]


def test_failed_adopt_of_nested_stack_rolls_back_and_keeps_cloud_objects(engine):
    document = abandon(engine, create_nested(engine, 'first'))
    document['resources']['in']['resources']['secret']['resource_id'] = None
    identity = create_nested(
        engine, 'again', adopt_stack_data=json.dumps(document), disable_rollback=False
    )
    assert engine.state(identity) == 'ROLLBACK_COMPLETE' and RecordingServer.calls == [
        ('create', 'web')
    ]
    reason = next(each['reason'] for each in engine.stack(identity)['failures'])
    assert 'Resource ID was not provided.' in reason
    assert [
        row['stack_name'] for row in engine.client.list_stacks(engine.context, show_nested=True)
    ] == ['again']
    del document['resources']['in']
    identity = create_nested(engine, 'third', adopt_stack_data=json.dumps(document))
    reason = (
        'No resources are known of the nested stack of in: the adopted document does not contain it'
    )
    assert (
        engine.stack(identity)['stack_status_reason']
        == f'Resource ADOPT failed: Error: resources.in: {reason}'
    )


def test_snapshot_data_omits_resources_of_nested_stacks(engine):
    identity = create_nested(engine, 'first')
    taken = engine.client.stack_snapshot(engine.context, stack_identity=identity, name='s')
    engine.wait(identity)
    data = engine.client.show_snapshot(
        engine.context, stack_identity=identity, snapshot_id=taken['id']
    )['data']
    assert (
        data['resources']['in']['resource_id'] == engine.physical_id(identity, 'in')
        and 'resources' not in data['resources']['in']
    )


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('[]', 'adopt_stack_data: The template is not a JSON object or YAML mapping.'),
        ('{"resources": []}', '"resources" in adopt_stack_data must be a map'),
        ('{"environment": "x"}', '"environment" in adopt_stack_data must be a map'),
        ('{"environment": {"parameters": [1]}}', '"parameters" in adopt_stack_data must be a map'),
        ('{"resources": {"web": "x"}}', 'The resource "web" in adopt_stack_data must be a map'),
        ('{"resources": {"web": {"metadata": 1}}}', '"metadata" in adopt_stack_data must be a map'),
        (
            '{"resources": {"web": {"resource_id": 1}}}',
            'The resource_id of "web" in adopt_stack_data must be text of at most 255 characters',
        ),
    ],
)
def test_adopt_of_malformed_document_is_refused(engine, text, reason):
    with pytest.raises(exception.Invalid) as refused:
        engine.create(TEMPLATE, adopt_stack_data=text)
    assert str(refused.value).startswith(f'Data supplied was not valid: {reason}')


def test_abandon_and_adopt_when_disabled_are_not_supported(engine, monkeypatch):
    identity = engine.create({'resources': {}})
    runtime = engine.service.runtime
    monkeypatch.setattr(
        runtime,
        'limits',
        EngineLimits(
            **vars(runtime.limits) | {'enable_stack_adopt': False, 'enable_stack_abandon': False}
        ),
    )
    for method in (engine.client.abandon_stack, engine.client.export_stack):
        with pytest.raises(exception.NotSupported, match=r'^Stack Abandon is not supported\.$'):
            method(engine.context, stack_identity=identity)
    with pytest.raises(exception.NotSupported, match=r'^Stack Adopt is not supported\.$'):
        engine.create({'resources': {}}, name='other', adopt_stack_data='{"template": {}}')
    assert engine.state(identity) == 'CREATE_COMPLETE'


@shapes.of('embedded', 'keystone')
def test_openstack_client_abandons_and_adopts_stack(service, tmp_path):
    name = f'adopt-{time.monotonic_ns()}'
    heat = heatclient.Client(
        '1', session=keystone_session.Session(authentication(service)), service_type='orchestration'
    )
    stack_id = heat.stacks.create(
        stack_name=name, template=templates.CHAIN, parameters={'word': 'three'}
    )['stack']['id']
    settled(lambda: heat.stacks.get(stack_id))
    exported = heat.stacks.export(stack_id)
    document = tmp_path / 'document.json'
    run(service, 'openstack', 'stack', 'abandon', '--output-file', str(document), name)
    assert settled(lambda: heat.stacks.get(stack_id)).stack_status == 'DELETE_COMPLETE'
    assert json.loads(document.read_text()) == exported
    run(service, 'openstack', 'stack', 'adopt', '--wait', '--adopt-file', str(document), name)
    stack = heat.stacks.get(name)
    assert stack.stack_status == 'ADOPT_COMPLETE' and stack.id != stack_id
    assert heat.stacks.output_show(stack.id, 'word')['output']['output_value'] == 'three'
    heat.stacks.delete(stack.id)
