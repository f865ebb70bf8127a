"""Attributes that outputs and references have read are stored with their resource, and read again
only after its state has changed.
"""

import collections
import threading
import types

import pytest
from sqlalchemy import select

from heat_lite.api.cfn import resources as cfn_resources
from heat_lite.api.v1 import resources as v1_resources
from heat_lite.db import models, session
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.runtime import EngineLimits
from heat_lite.template.schema import CACHE_NONE, any_attribute, string
from tests import databases, engines
from tests.timeouts import WAIT_SECONDS

REMOTE = 'Test::Remote'


class Remote(Resource):
    """A resource whose attributes a service answers; ``calls`` counts the requests by name."""

    resource_type = REMOTE
    repeatable = True
    properties_schema = {
        'value': string('A value.', update_allowed=True),
        'name': string('A name.', update_allowed=True),
    }
    attributes_schema = {
        'address': any_attribute('A value that stays.'),
        'state': any_attribute('A value that changes.', cache_mode=CACHE_NONE),
    }
    calls: collections.Counter = collections.Counter()
    answer = 'first'
    #: set: the attributes of the resource with the name 'hangs' are answered
    hangs = threading.Event()

    def handle_create(self):
        self.resource_id_set(f'remote-{self.name}')

    def handle_update(self, definition, tmpl_diff, prop_diff):
        pass

    def handle_delete(self):
        pass

    def handle_check(self):
        pass

    def handle_suspend(self):
        pass

    def handle_resume(self):
        pass

    def handle_signal(self, details=None):
        return 'done'

    def resolve_attribute(self, name):
        type(self).calls[self.name, name] += 1
        if self.properties['name'] == 'hangs':
            self.hangs.wait(WAIT_SECONDS)
        return f'{self.answer} {name}'


class Signalled(Remote):
    """A resource whose signals change its attributes, so that outputs are not stored."""

    resource_type = 'Test::Signalled'
    signals_change_attributes = True


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with databases.migrated('sqlite', tmp_path_factory.mktemp('attributes')) as url:
        with engines.running(url, [Remote, Signalled]) as driver:
            yield driver


@pytest.fixture(autouse=True)
def _forget_calls():
    Remote.calls.clear()
    Remote.answer = 'first'


def _template(**more):
    return {
        'resources': {
            'r': {'type': REMOTE, 'properties': {'value': 'one'}},
            'user': {'type': REMOTE, 'properties': {'value': {'get_attr': ['r', 'address']}}},
            'live': {'type': 'Test::Signalled'},
            **more,
        },
        'outputs': {
            'address': {'value': {'get_attr': ['r', 'address']}},
            'state': {'value': {'get_attr': ['r', 'state']}},
            'live': {'value': {'get_attr': ['live', 'state']}},
        },
    }


def _stored(identity):
    table, values = models.resource, models.resource_properties_data
    query = select(table.c.name, values.c.data).join(values, table.c.attr_data_id == values.c.id)
    with session.engine().connect() as connection:
        rows = connection.execute(query.where(table.c.stack_id == identity['stack_id']))
        return {row.name: row.data for row in rows}


def test_reads_of_a_finished_stack_do_not_ask_again(engine):
    identity = engine.create(_template(), name='remembered')
    Remote.calls.clear()
    Remote.answer = 'second'
    for _ in range(2):
        assert engine.outputs(identity)['address'] == 'first address'
        assert engine.outputs(identity)['state'] == 'second state'
    assert Remote.calls['r', 'address'] == 0


@pytest.mark.parametrize('verb', ['stack_check', 'stack_suspend'])
def test_an_action_on_the_resource_reads_anew(engine, verb):
    identity = engine.create(_template(), name=f'anew-{verb.replace("_", "-")}')
    Remote.answer = 'second'
    getattr(engine.client, verb)(engine.context, stack_identity=identity)
    engine.wait(identity)
    assert engine.outputs(identity)['address'] == 'second address'
    assert _stored(identity).get('r', {'address': 'second address'}) == {
        'address': 'second address'
    }


def test_a_signal_reads_anew(engine):
    template = _template()
    identity = engine.create(template, name='signalled')
    Remote.answer = 'second'
    engine.client.resource_signal(
        engine.context,
        stack_identity=identity,
        resource_name='r',
        details={},
        sync_call=True,
    )
    assert engine.outputs(identity)['address'] == 'second address'


def test_an_update_in_place_reads_the_changed_resource_only(engine):
    template = _template()
    template['outputs']['other'] = {'value': {'get_attr': ['user', 'address']}}
    identity = engine.create(template, name='changed')
    Remote.calls.clear()
    Remote.answer = 'second'
    template['resources']['user']['properties']['name'] = 'new'
    engine.update(identity, template)
    assert engine.outputs(identity)['other'] == 'second address'
    assert engine.outputs(identity)['address'] == 'first address'
    assert Remote.calls['r', 'address'] == 0


def test_the_rows_of_forgotten_attributes_are_deleted(engine):
    identity = engine.create(_template(), name='rows')
    engine.outputs(identity)
    table = models.resource_properties_data

    def count():
        with session.engine().connect() as connection:
            return len(connection.execute(select(table.c.id)).all())

    engine.client.stack_check(engine.context, stack_identity=identity)
    engine.wait(identity)
    before = count()
    for _ in range(3):
        engine.client.stack_check(engine.context, stack_identity=identity)
        engine.wait(identity)
    assert count() == before


def test_a_resource_is_shown_as_it_is_now(engine):
    identity = engine.create(_template(), name='shown')
    Remote.answer = 'second'
    assert engine.resource(identity, 'r')['attributes']['address'] == 'second address'
    assert engine.outputs(identity)['address'] == 'first address'


def test_metadata_of_a_resource_are_shown_without_its_attributes(engine):
    """Servers ask for their metadata twice a minute, and need no attributes."""
    template = _template()
    template['resources']['r']['metadata'] = {'deployments': []}
    identity = engine.create(template, name='polled')
    Remote.calls.clear()
    request = types.SimpleNamespace(context=engine.context)
    shown = v1_resources.ResourceController(engine.client).metadata(request, 'r', identity)
    assert shown == {'metadata': {'deployments': []}}
    cfn = cfn_resources.ResourceActions(engine.client)
    names = {'StackName': identity['stack_name'], 'LogicalResourceId': 'r'}
    detail = cfn.describe_one(engine.context, names)['StackResourceDetail']
    assert detail['LogicalResourceId'] == 'r' and not Remote.calls


def test_a_list_of_outputs_reads_no_attribute(engine):
    identity = engine.create(_template(), name='listed')
    Remote.calls.clear()
    listed = engine.client.list_outputs(engine.context, stack_identity=identity)
    assert [each['output_key'] for each in listed] == ['address', 'state', 'live']
    assert not Remote.calls


def test_one_output_reads_its_own_attributes_only(engine):
    identity = engine.create(_template(), name='single')
    Remote.calls.clear()
    found = engine.client.show_output(engine.context, stack_identity=identity, output_key='live')
    assert found['output_value'] == 'first state'
    assert set(Remote.calls) == {('live', 'state')}


def test_an_attribute_that_is_not_answered_does_not_keep_the_other_outputs(engine, monkeypatch):
    template = _template(slow={'type': 'Test::Signalled', 'properties': {'name': 'hangs'}})
    template['outputs']['slow'] = {'value': {'get_attr': ['slow', 'state']}}
    Remote.hangs.set()
    identity = engine.create(template, name='hanging')
    Remote.hangs.clear()
    runtime = engine.service.runtime
    limits = EngineLimits(**vars(runtime.limits) | {'attribute_timeout': 0.5})
    monkeypatch.setattr(runtime, 'limits', limits)
    try:
        found = {each['output_key']: each for each in engine.stack(identity)['outputs']}
    finally:
        Remote.hangs.set()
    assert '"slow.state" is not known yet' in found['slow']['output_error']
    assert found['address']['output_value'] == 'first address'


def test_a_live_attribute_is_read_at_each_request(engine):
    template = _template()
    del template['resources']['live'], template['outputs']['live']
    identity = engine.create(template, name='live')
    Remote.calls.clear()
    Remote.answer = 'second'
    assert engine.outputs(identity) == {'address': 'first address', 'state': 'second state'}
    assert set(Remote.calls) == {('r', 'state')}
