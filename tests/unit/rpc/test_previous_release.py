"""The release before on the same database and broker: its messages and tables, and this one's.

What these tests compare are the declarations; ``tests/chaos/test_upgrades.py`` runs both.
"""

import json
import subprocess
from pathlib import Path

import pytest

from heat_lite.common import context, tracing
from heat_lite.operations import OPERATIONS
from tests import previous
from tests.previous import facts

#: what the release before does not have, so that its engines refuse it; only on the wish of a user,
#: or to learn that an engine refuses it
ADDED_METHODS = {
    ('listener', 'describe_work'),
    ('listener', 'helps'),
    ('engine', 'refactor_stacks'),
}
ADDED_ARGUMENTS = {
    ('engine', 'list_services', 'with_stacks'),
    ('engine', 'delete_stack', 'if_match'),
    ('engine', 'update_stack', 'revision'),
    ('engine', 'preview_update_stack', 'revision'),
    *(
        ('engine', name, each)
        for name in ('update_stack', 'preview_update_stack')
        for each in ('plan', 'part')
    ),
    *(('engine', 'preview_update_stack', name) for name in ('store', 'live')),
    *(('engine', 'preview_stack', name) for name in ('plan', 'store')),
    ('engine', 'create_stack', 'plan'),
}
#: what the release before declares and never sends
NEVER_SENT = {('worker', 'check_resource_delete_snapshot')}
CONTEXT = {
    **context.RequestContext(user_id='u', project_id='p', trust_id='t', roles=['member']).to_dict(),
    tracing.TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
}
PARTS = ('engine', 'listener', 'worker')


@pytest.fixture(scope='module')
def before(tmp_path_factory):
    wrapper = previous.unpack(tmp_path_factory.mktemp('previous'))
    command = previous.python(wrapper, Path(facts.__file__), json.dumps(CONTEXT))
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope='module')
def now():
    return json.loads(json.dumps(facts.facts(CONTEXT)))


def refused(sender, receiver, part):
    """Return what of the messages of a release another release refuses, and what it lacks."""
    found = set()
    for name, message in sender['messages'][part].items():
        method = receiver['endpoints'][part].get(name)
        if method is None:
            found.add((part, name))
            continue
        accepted = {*method['required'], *method['optional']}
        found |= {(part, name, each) for each in {*message['always']} - accepted}
        found |= {(part, name, each) for each in {*message['sometimes']} - accepted}
        found |= {(part, name, each) for each in {*method['required']} - {*message['always']}}
        if _is_newer(message['version'], receiver['versions'][part]):
            found.add((part, name, message['version']))
    return found


def _is_newer(version, than):
    """Return whether a receiver of another version refuses a message of this one."""
    (major, minor), (its_major, its_minor) = (
        [int(number) for number in each.split('.')] for each in (version, than)
    )
    return major != its_major or minor > its_minor


@pytest.mark.parametrize('part', PARTS)
def test_engines_hear_all_messages_of_the_release_before(part, before, now):
    assert len(before['messages'][part]) > 1
    assert not refused(before, now, part) - NEVER_SENT


@pytest.mark.parametrize('part', PARTS)
def test_engines_of_the_release_before_hear_all_messages_but_the_added_ones(part, before, now):
    added = {each for each in ADDED_METHODS | ADDED_ARGUMENTS if each[0] == part}
    # a new operation is called on the wish of a user, too
    of_operations = {
        ('engine', vars(each)['calls'].name) for each in OPERATIONS if vars(each)['calls']
    }
    assert refused(now, before, part) - of_operations == added


@pytest.mark.parametrize('part, name, argument', sorted(ADDED_ARGUMENTS))
def test_added_argument_is_sent_only_when_given(part, name, argument, now):
    assert argument in now['messages'][part][name]['sometimes']


def test_release_before_reads_and_writes_the_tables(before, now):
    for table, columns in before['tables'].items():
        assert not columns.keys() - now['tables'][table].keys(), f'{table} lacks columns'
        added = now['tables'][table].keys() - columns.keys()
        required = [name for name in added if not now['tables'][table][name]]
        assert not required, f'{table}: the release before writes rows without {required}'


def test_release_before_reads_the_context_of_a_traced_request(before):
    read = before['context']
    assert (read['user'], read['trust_id'], read['roles']) == ('u', 't', ['member'])
