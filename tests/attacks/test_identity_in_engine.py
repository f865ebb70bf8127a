"""What an engine decides about identities: its backend, and scripts for the servers of others."""

import importlib
import json
import logging
from pathlib import Path

import pytest

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.db import stacks as db_stacks
from heat_lite.startup import plugins
from tests import databases, engines

VICTIM_USERS = 'users-of-the-victim'


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    folder = tmp_path_factory.mktemp('db')
    with databases.migrated('sqlite', folder) as url, engines.running(url) as driver:
        yield driver


@pytest.fixture(scope='module')
def victim(engine):
    """The identity of a stack whose users are in the project ``VICTIM_USERS``."""
    made = engine.create({'resources': {'r': {'type': 'OS::Heat::RandomString'}}})
    db_stacks.update(made['stack_id'], {'stack_user_project_id': VICTIM_USERS})
    return made


def plant(engine, context, users):
    """Create a deployment of a script that the servers of a stack user project would execute."""
    config = engine.client.create_software_config(
        context, group='script', name='n', config='rm -rf /'
    )
    return engine.client.create_software_deployment(
        context, server_id='srv', config_id=config['id'], stack_user_project_id=users
    )


def scripts_of(engine, users):
    """Return the scripts that the agent of the server ``srv`` of a stack executes."""
    agent = RequestContext(user_id='agent', project_id=users, roles=['heat_stack_user'])
    found = engine.client.metadata_software_deployments(agent, server_id='srv')
    return [each['config'] for each in found]


@pytest.mark.parametrize('users', [VICTIM_USERS, 'unknown', 17])
def test_script_for_servers_of_another_project_is_refused(engine, victim, users):
    attacker = RequestContext(user_id='a', project_id='attacker', roles=['member'])
    with pytest.raises(exception.Invalid, match='no stack of project attacker has its users'):
        plant(engine, attacker, users)
    assert scripts_of(engine, VICTIM_USERS) == []


@pytest.mark.parametrize('users', [None, '', 'own project'])
def test_deployment_without_stack_users_is_accepted(engine, users):
    users = engine.context.project_id if users == 'own project' else users
    assert plant(engine, engine.context, users)['server_id'] == 'srv'


def test_script_for_servers_of_an_own_stack_is_accepted_while_it_lives(engine):
    made = engine.create({'resources': {'r': {'type': 'OS::Heat::RandomString'}}}, name='own')
    db_stacks.update(made['stack_id'], {'stack_user_project_id': 'own users'})
    plant(engine, engine.context, 'own users')
    assert scripts_of(engine, 'own users') == ['rm -rf /']
    engine.delete(made)
    with pytest.raises(exception.Invalid):
        plant(engine, engine.context, 'own users')


# --------------------------------------------------------------- the stacks of others

INNER = {
    'heat_template_version': '2021-04-16',
    'resources': {'r': {'type': 'OS::Heat::RandomString'}},
    'outputs': {'secret': {'value': {'get_attr': ['r', 'value']}}},
}


@pytest.mark.parametrize(
    ('kind', 'attribute'),
    [
        ('inner.yaml', ['secret']),
        ('inner.yaml', ['resource.r', 'value']),
        ('OS::Heat::ResourceGroup', ['refs']),
        ('OS::Heat::AutoScalingGroup', ['refs_map']),
        ('OS::Heat::ResourceChain', ['resource.r', 'value']),
        ('AWS::CloudFormation::Stack', ['Outputs.secret']),
    ],
)
def test_external_stack_of_another_project_is_not_read_or_changed(engine, kind, attribute):
    owner = engine.context.project_id
    made = engine.create(INNER, name='inner')
    events = len(engine.events(made))
    template = {
        'resources': {'e': {'type': kind, 'external_id': made['stack_id']}},
        'outputs': {'told': {'value': {'get_attr': ['e', *attribute]}}},
    }
    engine.context.project_id = 'attacker'
    try:
        files = {'inner.yaml': json.dumps(INNER)}
        attack = engine.create(template, name='attack', files=files)
        told = engine.outputs(attack)['told']
        engine.client.stack_suspend(engine.context, stack_identity=attack)
        engine.wait(attack)
        engine.delete(attack)
    finally:
        engine.context.project_id = owner
    assert not told
    assert engine.state(made) == 'CREATE_COMPLETE' and len(engine.events(made)) == events
    engine.delete(made)


# --------------------------------------------------------------- the backend of the operator


class Backend:
    """A backend that answers what a test wants."""

    answer = None

    def __init__(self, context):
        self.context = context

    def authenticated(self):
        return self.answer


@pytest.fixture
def backend(engine, monkeypatch):
    monkeypatch.setattr(engine.service.runtime, 'cloud_backend', Backend)
    return Backend


@pytest.mark.parametrize(
    'answer',
    [
        True,
        'admin',
        {'user_id': 'u', 'roles': ['member']},
        {'project_id': 'p', 'roles': ['member']},
        {'user_id': 'u', 'project_id': 'p'},
        {'user_id': 'u', 'project_id': 'p', 'roles': 'admin'},
        {'user_id': 'u', 'project_id': 'p', 'roles': [1]},
        {'user_id': 7, 'project_id': 'p', 'roles': ['member']},
    ],
    ids=str,
)
def test_backend_with_an_invalid_answer_is_logged_and_refused(
    engine, backend, answer, caplog, monkeypatch
):
    monkeypatch.setattr(backend, 'answer', answer)
    with caplog.at_level(logging.ERROR):
        assert engine.client.authenticated_to_backend(engine.context) is None
    assert 'authenticated() of the cloud_backend' in caplog.text


def test_engine_without_a_backend_answers_that_it_has_none(engine):
    with pytest.raises(exception.ServiceUnavailable, match='no cloud_backend'):
        engine.client.authenticated_to_backend(engine.context)


def test_example_backend_authenticates_users_of_its_file(tmp_path, monkeypatch, engine):
    folder = Path(__file__).parents[2] / 'docs' / 'examples' / 'plugins'
    plugins.install(engine.service.runtime.registry, [folder])
    loaded = plugins.load_cloud_backend(f'{plugins.PACKAGE}.directory.DirectoryBackend')
    example = importlib.import_module(f'{plugins.PACKAGE}.directory')
    users = {'ann': {'password': example.password_entry('open'), 'roles': {'p': ['member']}}}
    (tmp_path / 'users.json').write_text(json.dumps(users))
    monkeypatch.setenv('EXAMPLE_DIRECTORY', str(tmp_path / 'users.json'))
    monkeypatch.setattr(engine.service.runtime, 'cloud_backend', loaded)

    def answer(name, password, project):
        asking = RequestContext(username=name, password=password, project_id=project)
        return engine.client.authenticated_to_backend(asking)

    known = {'user_id': 'ann', 'user_name': 'ann', 'project_id': 'p', 'roles': 'member'}
    assert answer('ann', 'open', 'p') == known
    for refused in (
        ('ann', 'shut', 'p'),
        ('ann', 'open', 'q'),
        ('bob', 'open', 'p'),
        (None, None, 'p'),
        ('ann', None, 'p'),
    ):
        assert answer(*refused) is None
