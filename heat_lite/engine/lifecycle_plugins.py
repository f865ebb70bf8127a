"""Lifecycle plug-ins: third-party code that is told before and after each action of a stack.

Found by the entry points of the groups below. A plug-in has ``do_pre_op(context, stack, current_stack=None, action=None)``,
``do_post_op(context, stack, current_stack=None, action=None, is_stack_failure=False)`` and ``get_ordinal()`` (default 100).
"""

import logging

from heat_lite.common import points

LOG = logging.getLogger(__name__)
GROUPS = ('heat_lite.lifecycle_plugins', 'heat.stack_lifecycle_plugins', 'heat.lifecycle_plugins')


class LifecyclePlugins:
    """``plugins`` are called in the order of their ordinals before an action, in the opposite order after it."""

    def __init__(self, plugins=()):
        self._plugins = sorted(plugins, key=_ordinal)

    @classmethod
    def from_entry_points(cls):
        """A plug-in that cannot be loaded is named in the log and left out."""
        loaded = []
        for group in GROUPS:
            for point in points.of(group):
                try:
                    loaded.append(point.load()())
                except Exception:
                    LOG.exception('The lifecycle plug-in %s cannot be loaded: it is left out', point.value)
        return cls(loaded)

    def before(self, stack, action):
        """A failure here stops the action: those that were told before are told of its failure."""
        told = []
        for plugin in self._plugins:
            try:
                plugin.do_pre_op(stack.context, stack, action=action)
            except Exception:
                self._tell_after(told, stack, action, failed=True)
                raise
            told.append(plugin)

    def after(self, stack, action, failed=False):
        self._tell_after(self._plugins, stack, action, failed or stack.status == 'FAILED')

    @staticmethod
    def _tell_after(plugins, stack, action, failed):
        for plugin in reversed(plugins):
            try:
                plugin.do_post_op(stack.context, stack, action=action, is_stack_failure=failed)
            except Exception:
                LOG.exception('The lifecycle plug-in %r failed after %s of stack %s', plugin, action, stack.id)


def _ordinal(plugin):
    return plugin.get_ordinal() if hasattr(plugin, 'get_ordinal') else 100
