import types

import pytest

from heat_lite.engine.stack import lifecycle_plugins


class Plugin:
    """A plug-in that appends its calls to a list."""

    def __init__(self, calls, ordinal, error=None):
        self._calls, self._ordinal, self._error = calls, ordinal, error

    def get_ordinal(self):
        return self._ordinal

    def do_pre_op(self, context, stack, current_stack=None, action=None):
        self._calls.append(('pre', self._ordinal, action))
        if self._error is not None:
            raise self._error

    def do_post_op(self, context, stack, current_stack=None, action=None, is_stack_failure=False):
        self._calls.append(('post', self._ordinal, is_stack_failure))


@pytest.fixture
def stack():
    return types.SimpleNamespace(context=None, id='an id', status='COMPLETE')


def test_plugins_around_an_action_are_called_by_ordinal_and_in_reverse(stack):
    calls = []
    plugins = lifecycle_plugins.LifecyclePlugins([Plugin(calls, 2), Plugin(calls, 1)])
    plugins.before(stack, 'CREATE')
    plugins.after(stack, 'CREATE')
    assert calls == [
        ('pre', 1, 'CREATE'),
        ('pre', 2, 'CREATE'),
        ('post', 2, False),
        ('post', 1, False),
    ]


def test_plugin_that_fails_before_an_action_stops_it_and_earlier_plugins_get_post_op(stack):
    calls = []
    plugins = lifecycle_plugins.LifecyclePlugins(
        [Plugin(calls, 1), Plugin(calls, 2, ValueError('no')), Plugin(calls, 3)]
    )
    with pytest.raises(ValueError, match='no'):
        plugins.before(stack, 'CREATE')
    assert calls == [('pre', 1, 'CREATE'), ('pre', 2, 'CREATE'), ('post', 1, True)]


def test_plugins_after_a_failed_stack_are_called_with_failure(stack):
    calls = []
    stack.status = 'FAILED'
    lifecycle_plugins.LifecyclePlugins([Plugin(calls, 1)]).after(stack, 'UPDATE')
    assert calls == [('post', 1, True)]
