"""The verb ``why``: what a stack waits for, and the command that shows it.

It reads what the service tells anyway: the stack, its graph, its events and the list of engines.
"""

import argparse
import json
from collections.abc import Container, Iterator
from typing import NamedTuple

from heat_lite.cli import action_history, api_client, arguments
from heat_lite.cli.display import progress, resource_tree, terminal, views
from heat_lite.common.value_types import Value, Values

WHY = (arguments.STACK,)
#: rows of resources that nothing but others holds up; --json has all of them
MAX_ROWS = 20
#: names of resources in a reason
MAX_NAMES = 3
INITIAL = 'INIT_COMPLETE'
WAIT_CONDITIONS = (
    'OS::Heat::WaitCondition',
    'AWS::CloudFormation::WaitCondition',
    'OS::Heat::SwiftSignal',
)
#: how a type tells what its resources wait for, where their status reason does not
BY_TYPE = dict.fromkeys(
    (
        'OS::Heat::SoftwareDeployment',
        'OS::Heat::StructuredDeployment',
        'OS::Heat::SoftwareComponent',
    ),
    'the result that the agent of its server sends',
)
AT_WORK = 'its own work: a request to a service, or the poll until its object is ready'
READY = 'a free place: nothing before it is left ([heat_lite] max_parallel_handlers)'


class Wait(NamedTuple):
    """What a resource waits for. ``resource`` is a path, empty for the stack itself.

    ``command`` shows more, or ends the wait. ``seconds``: None where the begin is not known.
    """

    resource: str
    seconds: float | None
    reason: str
    command: str


class Tree:
    """The nodes of the graph of a stack (see docs/live.md), and the work on each so far."""

    def __init__(self, name: str, graph: dict, history: action_history.ActionHistory) -> None:
        self.name = name
        self.nodes: dict[str, dict] = {each['id']: each for each in graph['nodes']}
        #: the ids of the stacks whose action runs
        self.running = {
            each['id'] for each in graph['stacks'] if each['stack_status'].endswith('IN_PROGRESS')
        }
        self._history = history

    def path(self, node: dict) -> str:
        parent = self.nodes.get(node['parent'] or '')
        return (f'{self.path(parent)}/' if parent else '') + node['resource_name']

    def seconds(self, node: dict) -> float | None:
        """Return how long the resource has been in progress."""
        work = self._history.work.get((node['stack_id'], node['resource_name']))
        return None if work is None else self._history.seconds - work.began

    def members(self, node: dict) -> list[dict]:
        """Return the resources of the nested stack of a resource."""
        return [each for each in self.nodes.values() if each['parent'] == node['id']]


def why(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """Show what holds a stack up, first what does not wait for other resources."""
    stack = api.stack(args.stack)
    path = api_client.stack_path(stack)
    depth = resource_tree.NESTED_DEPTH
    graph = api.get(f'{path}/graph', nested_depth=depth)['graph']
    history = action_history.read(api, path)
    tree = Tree(stack['stack_name'], graph, history)
    hooks = _hooks(api, path)
    waits = [
        *_at_engine(api, stack, history),
        *_at_hooks(tree, hooks),
        *_in_progress(api, tree, hooks),
        *_not_begun(tree, hooks),
    ]
    if out.is_json:
        state = {key: stack[key] for key in ('stack_name', 'id', 'stack_status')}
        out.write_json({**state, 'waits': [each._asdict() for each in waits]})
        return
    _show(out, stack, history, waits)


def _show(
    out: terminal.Terminal,
    stack: dict,
    history: action_history.ActionHistory,
    waits: list[Wait],
) -> None:
    name, state = stack['stack_name'], stack['stack_status']
    if state.endswith('IN_PROGRESS'):
        out.write_line(f'{name} is {state} for {views.seconds_text(history.seconds)}')
    elif waits:
        out.write_line(f'{name} is {state}; work on resources has not ended yet')
    else:
        remedy = f'; see `heat-lite failures {name}`' if state.endswith('FAILED') else ''
        out.write_line(f'{name} is {state} and waits for nothing{remedy}')
        return
    out.table(
        ['RESOURCE', 'SINCE', 'WAITS FOR', 'SEE'],
        [
            [each.resource, views.seconds_text(each.seconds), each.reason, each.command]
            for each in waits[:MAX_ROWS]
        ],
    )
    if len(waits) > MAX_ROWS:
        out.write_line(f'and {len(waits) - MAX_ROWS} more; --json lists all')


def _at_engine(
    api: api_client.ApiClient, stack: dict, history: action_history.ActionHistory
) -> Iterator[Wait]:
    """Yield that no living engine works on a top-level stack; only administrators may know."""
    if not stack['stack_status'].endswith('IN_PROGRESS') or stack.get('parent'):
        return
    try:
        services = api.get('/services', with_stacks='true')['services']
    except api_client.RequestFailed:
        return
    at_work = [
        each
        for each in services
        if any(held['id'] == stack['id'] for held in each.get('stacks', ()))
    ]
    if any(each['status'] == 'up' for each in at_work):
        return
    hosts = ', '.join(f'{each["host"]} ({each["engine_id"]})' for each in at_work)
    reason = 'an engine: none works on it'
    if hosts:
        reason = f'another engine to take it over from {hosts}, which is down'
    yield Wait('', history.seconds, reason, 'heat-lite service list')


def _hooks(api: api_client.ApiClient, path: str) -> dict[str, tuple[str, float]]:
    """Return {id of a node: (hook at which it waits, seconds)}."""
    query = {'limit': progress.HOOK_EVENTS, 'nested_depth': resource_tree.NESTED_DEPTH}
    found = api.get(f'{path}/events', **query, **progress.NEWEST_FIRST)['events']
    return {
        f'{resource_tree.stack_of(event)}/{event["resource_name"]}': (
            hook,
            action_history.seconds_since(event),
        )
        for event, hook in resource_tree.waiting_at_hooks(reversed(found))
    }


def _at_hooks(tree: Tree, hooks: dict[str, tuple[str, float]]) -> Iterator[Wait]:
    for name, (hook, seconds) in hooks.items():
        if name in tree.nodes:
            where = tree.path(tree.nodes[name])
            command = f'heat-lite hook clear {tree.name} {where} {hook}'
            yield Wait(where, seconds, f'the hook {hook} to be cleared', command)


def _in_progress(api: api_client.ApiClient, tree: Tree, hooks: Container[str]) -> Iterator[Wait]:
    """Yield what each resource in progress waits for."""
    for node in tree.nodes.values():
        where = tree.path(node)
        if node['resource_status'].endswith('IN_PROGRESS') and node['id'] not in hooks:
            yield Wait(where, tree.seconds(node), *_reason_and_command(api, tree, node, where))


def _reason_and_command(
    api: api_client.ApiClient, tree: Tree, node: dict, where: str
) -> tuple[str, str]:
    show = f'heat-lite resource show {tree.name} {where}'
    told = node['resource_status_reason']
    if told.startswith('waiting for '):
        return told.removeprefix('waiting for '), show
    if told.startswith('in use, '):
        return f'its object to be free: {told}', show
    members = tree.members(node)
    if members:
        left = sum(map(_is_open, members))
        command = f'heat-lite why {members[0]["stack_id"]}'
        return f'its nested stack: {left} of {len(members)} resources are not complete', command
    if node['resource_type'] in WAIT_CONDITIONS:
        return _signals(api, node), show
    return BY_TYPE.get(node['resource_type'], AT_WORK), show


def _is_open(node: dict) -> bool:
    """Return whether the running action has not completed a resource yet."""
    state = node['resource_status']
    return state.endswith('IN_PROGRESS') or state == INITIAL or bool(node['waiting_for'])


def _signals(api: api_client.ApiClient, node: dict) -> str:
    """Return how many signals of a wait condition have arrived."""
    path = api_client.stack_path({'stack_name': node['stack_name'], 'id': node['stack_id']})
    name = node['resource_name']
    resource = api.get(f'{path}/resources/{api_client.quote(name)}')['resource']
    data = _lower(resource.get('attributes')).get('data')
    received = len(json.loads(data)) if isinstance(data, str) and data else 0
    template = _lower(api.get(f'{path}/template'))
    given = _lower(_lower(template['resources'][name]).get('properties'))
    parameters = api.stack(node['stack_id'])['parameters']
    wanted = _value(given.get('count', 1), parameters)
    limit = _value(given.get('timeout'), parameters)
    text = f'signals: {received}{f" of {wanted}" if wanted else ""} received'
    return f'{text}; fails after {limit} s' if limit else text


def _value(given: Value, parameters: Values) -> Value:
    """Return a value of a template if it is plain or a parameter; None for another function."""
    if isinstance(given, dict):
        name = given.get('get_param') or given.get('Ref')
        return parameters.get(name) if isinstance(name, str) else None
    return given


def _lower(values: dict | None) -> Values:
    """Return a section of a template by its names in HOT; those of CFN begin with capitals."""
    return {name.lower(): value for name, value in (values or {}).items()}


def _not_begun(tree: Tree, hooks: Container[str]) -> Iterator[Wait]:
    """Yield the resources that an action has not reached yet, and what each waits for."""
    show = f'heat-lite graph {tree.name}'
    for node in tree.nodes.values():
        if node['id'] in hooks:
            continue
        before = [tree.nodes[each]['resource_name'] for each in node['waiting_for']]
        more = ' and others' * (len(before) > MAX_NAMES)
        if before:
            yield Wait(tree.path(node), None, ', '.join(before[:MAX_NAMES]) + more, show)
        elif node['resource_status'] == INITIAL and node['stack_id'] in tree.running:
            yield Wait(tree.path(node), None, READY, show)
