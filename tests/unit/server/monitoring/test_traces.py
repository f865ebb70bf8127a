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
    conf = types.SimpleNamespace(profiler=types.SimpleNamespace(enabled=True), prog='heat-lite-api')
    with pytest.raises(SystemExit, match=r'pip install heat-lite\[traces\]'):
        traces.require(conf)
    conf.profiler.enabled = False
    traces.require(conf)
