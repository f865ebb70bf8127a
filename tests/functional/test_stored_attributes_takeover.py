"""Stored attributes of a stack whose action another engine ends."""

import threading

from tests import databases, engines
from tests.functional.test_stored_attributes import Remote


class Slow(Remote):
    """A resource whose update ends when ``may_end`` is set."""

    resource_type = 'Test::Remote::Slow'
    may_end = threading.Event()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        while not self.may_end.is_set():
            yield


def template(value):
    properties = {'value': value}
    return {
        'resources': {
            'r': {'type': 'Test::Remote::Slow', 'properties': properties},
            'other': {'type': 'Test::Remote'},
        },
        'outputs': {name: {'value': {'get_attr': [name, 'address']}} for name in ('r', 'other')},
    }


def test_engine_that_takes_over_reads_what_has_changed(tmp_path):
    Slow.answer = Remote.answer = 'first'
    with databases.migrated('sqlite', tmp_path) as url:
        with engines.running(url, [Remote, Slow]) as driver:
            identity = driver.create(template('one'))
            driver.update(identity, template('two'), wait=False)
            driver.wait_for_resource(identity, 'r', 'UPDATE_IN_PROGRESS')
            Slow.answer = Remote.answer = 'second'
            driver.service.stop(0)
        Slow.may_end.set()
        Remote.calls.clear()
        with engines.running(url, [Remote, Slow]) as other:
            other.context = driver.context
            other.wait(identity)
            assert other.state(identity) == 'UPDATE_COMPLETE'
            assert other.outputs(identity) == {'r': 'second address', 'other': 'first address'}
            assert ('other', 'address') not in Remote.calls
