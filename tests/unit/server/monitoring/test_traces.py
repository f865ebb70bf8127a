"""The collector of traces by the options of [profiler]."""

import types

import pytest

from heat_lite.server.monitoring import traces


@pytest.mark.parametrize(
    'connection, url',
    [
        ('otlp://10.0.0.20:4318', 'http://10.0.0.20:4318/v1/traces'),
        ('otlp://10.0.0.20:4318/', 'http://10.0.0.20:4318/v1/traces'),
        ('https://traces.example.org', 'https://traces.example.org/v1/traces'),
        ('http://a:1/other/v1/traces', 'http://a:1/other/v1/traces'),
        ('messaging://', None),
        ('redis://127.0.0.1:6379', None),
    ],
)
def test_collector_is_named_by_the_connection(connection, url):
    assert traces.url_of(connection) == url


def test_missing_library_ends_a_program_that_traces(monkeypatch):
    monkeypatch.setattr(traces, 'EXTRA', ('no_such_library.sdk',))
    profiler = types.SimpleNamespace(enabled=True, connection_string='redis://127.0.0.1')
    conf = types.SimpleNamespace(profiler=profiler, prog='heat-lite-api')
    traces.require(conf)
    profiler.connection_string = 'otlp://127.0.0.1'
    with pytest.raises(SystemExit, match=r'pip install heat-lite\[traces\]'):
        traces.require(conf)
    profiler.enabled = False
    traces.require(conf)
