"""Event sinks of plug-ins."""

import json
import textwrap

from heat_lite.template import environment
from tests import databases, engines
from tests.functional.test_event_sinks import (
    EXPECTED,
    STACK,
    resource_fields,
    wait_for_events,
    with_sinks,
)

PLUGIN = """
    import json

    class File:
        def __init__(self, path):
            self.path = path

        def consume(self, context, event):
            with open(self.path, 'a') as file:
                file.write(json.dumps([event, context.project_id]) + '\\n')

    class Broken:
        def consume(self, context, event):
            raise ValueError('away')

    def event_sink_mapping():
        return {'file': File, 'broken': Broken}
"""


def test_sink_of_a_plugin_receives_events(tmp_path, caplog):
    (tmp_path / 'plugins').mkdir()
    (tmp_path / 'plugins' / 'sinks.py').write_text(textwrap.dedent(PLUGIN))
    file = tmp_path / 'events'
    file.touch()
    try:
        with (
            databases.migrated('sqlite', tmp_path) as url,
            engines.running(url, plugin_dirs=[str(tmp_path / 'plugins')]) as engine,
        ):
            engine.create(
                STACK, params=with_sinks({'type': 'broken'}, {'type': 'file', 'path': str(file)})
            )
            lines = wait_for_events(
                lambda: [json.loads(line) for line in file.read_text().splitlines()]
            )
            assert resource_fields([event for event, _ in lines]) == EXPECTED
            assert {project for _, project in lines} == {engine.context.project_id}
            assert 'could not be delivered to its sink broken' in caplog.text
            engine.create(STACK, name='silent')
            assert len(file.read_text().splitlines()) == len(EXPECTED)
    finally:
        for name in ('file', 'broken'):
            del environment.SINK_TYPES[name]
