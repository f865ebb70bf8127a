"""Secrets do not appear in debug logs, events, errors or the database of an engine."""

import logging

import pytest

from heat_lite.common import exception
from tests import databases, engines
from tests.chaos import cloud as chaos_cloud, engine_processes
from tests.chaos.test_engine_crashes import template, thing

TOKEN, PASSWORD, HIDDEN = 'planted-token-5f1', 'planted-password-8c2', 'planted-parameter-3e9'


@pytest.fixture
def engine(tmp_path):
    (tmp_path / 'cloud').mkdir()
    chaos_cloud.cloud.folder = tmp_path / 'cloud'
    with (
        databases.migrated('sqlite', tmp_path) as url,
        engines.running(url, chaos_cloud.TYPES, ours=engine_processes.SETTINGS) as driver,
    ):
        driver.context.auth_token, driver.context.password = TOKEN, PASSWORD
        driver.url = url
        yield driver


def test_secrets_of_a_failed_stack_do_not_leak(engine, caplog):
    caplog.set_level(logging.DEBUG)
    made = template(
        a=thing(value={'get_param': 'secret'}),
        b=thing('Test::Generated', 'a', fail=True),
        c={'type': 'OS::Heat::RandomString'},
    )
    made['parameters'] = {
        'secret': {'type': 'string', 'hidden': True, 'constraints': [{'length': {'max': 40}}]}
    }
    stack = engine.create(made, params={'parameters': {'secret': HIDDEN}})
    with pytest.raises(exception.HeatException) as refused:
        engine.update(stack, made, params={'parameters': {'secret': HIDDEN * 3}})
    engine.update(stack, made, params={'parameters': {'secret': HIDDEN + 'x'}})
    told = [
        repr(engine.client.list_events(engine.context, stack_identity=stack)),
        repr(engine.stack(stack)),
        str(refused.value),
        caplog.text,
    ]
    engine.delete(stack)
    for secret in (TOKEN, PASSWORD, HIDDEN):
        assert not [
            text[max(0, text.index(secret) - 200) :][:300] for text in told if secret in text
        ], secret
    kept = open(engine.url.removeprefix('sqlite:///'), 'rb').read()
    assert TOKEN.encode() not in kept and PASSWORD.encode() not in kept
