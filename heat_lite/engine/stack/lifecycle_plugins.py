"""Lifecycle plug-ins: third-party code that runs before and after each action of a stack.

They are found by the entry points of GROUPS. A plug-in has ``do_pre_op(context, stack,
current_stack=None, action=None)``, ``do_post_op(context, stack, current_stack=None, action=None,
is_stack_failure=False)`` and ``get_ordinal()`` (default 100).
"""

import logging
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from heat_lite.common import installation
from heat_lite.common.value_types import Value

if TYPE_CHECKING:
    from heat_lite.engine.stack.stack import Stack


LOG = logging.getLogger(__name__)
GROUPS = ('heat_lite.lifecycle_plugins', 'heat.stack_lifecycle_plugins', 'heat.lifecycle_plugins')


class LifecyclePlugins:
    """Calls ``plugins`` by ascending ordinal before an action, by descending ordinal after it."""

    def __init__(self, plugins: Iterable[Value] = ()) -> None:
        self._plugins = sorted(plugins, key=_ordinal)

    @classmethod
    def from_entry_points(cls) -> 'LifecyclePlugins':
        """Load all plug-ins. One that cannot be loaded is logged and left out."""
        loaded = []
        for group in GROUPS:
            for point in installation.entry_points(group):
                try:
                    loaded.append(point.load()())
                except Exception:
                    LOG.exception(
                        'Lifecycle plug-in %s cannot be loaded: it is left out', point.value
                    )
        return cls(loaded)

    def before(self, stack: 'Stack', action: str) -> None:
        """Call ``do_pre_op`` of each.

        An error stops the action, and the plug-ins called so far get ``do_post_op``.
        """
        called: list[Value] = []
        for plugin in self._plugins:
            try:
                plugin.do_pre_op(stack.context, stack, action=action)
            except Exception:
                self._call_post_op(called, stack, action, failed=True)
                raise
            called.append(plugin)

    def after(self, stack: 'Stack', action: str, failed: bool = False) -> None:
        """Call ``do_post_op`` of each plug-in."""
        self._call_post_op(self._plugins, stack, action, failed or stack.status == 'FAILED')

    @staticmethod
    def _call_post_op(plugins: Sequence[Value], stack: 'Stack', action: str, failed: bool) -> None:
        for plugin in reversed(plugins):
            try:
                plugin.do_post_op(stack.context, stack, action=action, is_stack_failure=failed)
            except Exception:
                LOG.exception(
                    'Lifecycle plug-in %r failed after %s of stack %s: its error is ignored',
                    plugin,
                    action,
                    stack.id,
                )


def _ordinal(plugin: Value) -> int:
    return plugin.get_ordinal() if hasattr(plugin, 'get_ordinal') else 100
