"""The graph of a stack: its resources, what they need, and what each waits for."""

from collections.abc import Iterable

from heat_lite.api.v1 import views
from heat_lite.common import status
from heat_lite.common.value_types import Values

#: the actions that visit a resource after those that need it
BACKWARDS = (status.DELETE, status.SUSPEND)
#: the actions that visit all resources
THOROUGH = (*BACKWARDS, status.RESUME, status.CHECK)


def node_id(stack_id: str, name: str) -> str:
    """Return the id of a resource in graphs and timelines."""
    return f'{stack_id}/{name}'


def graph(stack: Values, rows: Iterable[Values]) -> Values:
    """Return nodes, edges and stacks. ``stack``: the root; ``rows``: of the tree, as RPC lists."""
    rows = list(rows)
    parents = {
        row['nested_stack_id']['stack_id']: _id(row) for row in rows if row.get('nested_stack_id')
    }
    nodes = {_id(row): _node(row, parents) for row in rows}
    edges = [
        {'source': _id(row), 'target': node_id(row['stack_identity']['stack_id'], name)}
        for row in rows
        for name in row['required_by']
    ]
    edges = [each for each in edges if each['target'] in nodes]
    stacks = _stacks(stack, rows, parents, nodes)
    _add_waits(nodes, edges, {each['id']: each['stack_status'] for each in stacks})
    return {'nodes': list(nodes.values()), 'edges': edges, 'stacks': stacks}


def _id(row: Values) -> str:
    return node_id(row['stack_identity']['stack_id'], row['resource_name'])


def _node(row: Values, parents: dict[str, str]) -> Values:
    nested = row.get('nested_stack_id')
    return {
        'id': _id(row),
        'resource_name': row['resource_name'],
        'resource_type': row['resource_type'],
        'stack_id': row['stack_identity']['stack_id'],
        'stack_name': row['stack_name'],
        'parent': parents.get(row['stack_identity']['stack_id']),
        'resource_status': views.status(row, 'resource'),
        'resource_status_reason': row['resource_status_reason'],
        'physical_resource_id': row['physical_resource_id'],
        'nested_stack_id': nested and nested['stack_id'],
        'updated_time': row['updated_time'],
        'waiting_for': [],
    }


def _stacks(
    stack: Values, rows: list[Values], parents: dict[str, str], nodes: dict[str, Values]
) -> list:
    root = stack['stack_identity']['stack_id']
    names = {row['stack_identity']['stack_id']: row['stack_name'] for row in rows}
    names[root] = stack['stack_name']
    found = []
    for stack_id, name in names.items():
        parent = parents.get(stack_id)
        state = nodes[parent]['resource_status'] if parent else views.status(stack, 'stack')
        found.append({'id': stack_id, 'stack_name': name, 'parent': parent, 'stack_status': state})
    return found


def _add_waits(nodes: dict[str, Values], edges: list[Values], states: dict[str, str]) -> None:
    """Add to each node that an action has not reached yet what it waits for."""
    for edge in edges:
        action, _, state = states[nodes[edge['source']]['stack_id']].partition('_')
        if state != status.IN_PROGRESS:
            continue
        before, after = edge['source'], edge['target']
        if action in BACKWARDS:
            before, after = after, before
        done = f'{action}_{status.COMPLETE}'
        if _waits(nodes[after], action) and nodes[before]['resource_status'] != done:
            nodes[after]['waiting_for'].append(before)


def _waits(node: Values, action: str) -> bool:
    state = node['resource_status']
    if action in THOROUGH:
        return not state.startswith(f'{action}_')
    return state == f'{status.INIT}_{status.COMPLETE}'
