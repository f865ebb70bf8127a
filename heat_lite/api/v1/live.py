"""What a stack is and does: its graph and its timeline."""

import dataclasses

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params, stack_graph, timeline
from heat_lite.common import event_cursor
from heat_lite.common.event_cursor import MAX_ID, EventCursor
from heat_lite.common.value_types import Values
from heat_lite.operations import resources
from heat_lite.rpc.client import EngineClient

#: pages of stored events that a timeline reads, of 1000 each
MAX_PAGES = 40


@dataclasses.dataclass
class LiveController:
    """Views of one stack and its nested stacks."""

    client: EngineClient

    def graph(self, request: wsgi.Request, identity: Values) -> Values:
        """Return the resources of a stack as nodes, and what they require as edges."""
        depth = _depth(request)
        stack = self._stack(request, identity)
        return {'graph': stack_graph.graph(stack, self._resources(request, identity, depth))}

    def timeline(self, request: wsgi.Request, identity: Values) -> Values:
        """Return what each resource did in one action, by default the last one."""
        depth = _depth(request)
        query = params.read(resources.TIMELINE, request.query)
        stack = self._stack(request, identity)
        events = self._events(request, identity, depth)
        actions = timeline.actions_of(identity['stack_id'], events, stack['stack_action'])
        chosen = [
            each
            for each in actions
            if query.get('action') in (None, each.name)
            and query.get('number') in (None, each.number)
        ]
        if not chosen:
            raise exc.HTTPNotFound(
                'The stored events have no such action; "actions" of the timeline without '
                'parameters lists those that there are.'
            )
        rows = self._resources(request, identity, depth)
        graph = stack_graph.graph(stack, rows)
        requirements: dict[str, list[str]] = {}
        for edge in graph['edges']:
            before, after = edge['source'], edge['target']
            if chosen[-1].name in stack_graph.BACKWARDS:
                before, after = after, before
            requirements.setdefault(after, []).append(before)
        nested = {each['id']: each['nested_stack_id'] for each in graph['nodes']}
        found = timeline.timeline(identity['stack_id'], chosen[-1], requirements, nested)
        return {'timeline': {**found, 'actions': [each.view() for each in actions]}}

    def _stack(self, request: wsgi.Request, identity: Values) -> Values:
        found = self.client.show_stack(
            request.context, stack_identity=identity, resolve_outputs=False
        )
        return found[0]

    def _resources(self, request: wsgi.Request, identity: Values, depth: int) -> list[Values]:
        return self.client.list_stack_resources(
            request.context, stack_identity=identity, nested_depth=depth
        )

    def _events(self, request: wsgi.Request, identity: Values, depth: int) -> list[Values]:
        """Return the stored events of a tree, oldest first."""
        after, until = EventCursor(0), EventCursor(MAX_ID)
        found: list[Values] = []
        for _ in range(MAX_PAGES):
            page = self.client.read_past_events(
                request.context,
                stack_identity=identity,
                nested_depth=depth,
                after=event_cursor.to_wire(after),
                until=event_cursor.to_wire(until),
            )
            found += page['events']
            if not page['more']:
                return found
            after = EventCursor(found[-1]['number'])
        raise exc.HTTPBadRequest(
            f'The stack has more than {len(found)} events: ask with a smaller nested_depth.'
        )


def _depth(request: wsgi.Request) -> int:
    return params.optional_integer('nested_depth', request.query.get('nested_depth')) or 0
