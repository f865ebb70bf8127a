"""The changes that a create or an update would make: their request and how they are shown."""

from collections.abc import Iterator
from typing import NamedTuple

from heat_lite.cli import api_client, errors
from heat_lite.cli.display import terminal, views
from heat_lite.common.value_types import Value, Values

#: stands for a value, and for the members of a nested stack, that are not known before
UNKNOWN = '(known after apply)'
#: {action: (sign in front of a resource, status that selects its color)}
SIGNS = {
    'create': ('+', 'CREATE_COMPLETE'),
    'import': ('<', 'CREATE_COMPLETE'),
    'update': ('~', 'UPDATE_IN_PROGRESS'),
    'replace': ('!', 'DELETE_FAILED'),
    'delete': ('-', 'DELETE_FAILED'),
}
#: the actions of the lists of ``resource_changes``, for servers that do not name the action
ACTIONS = {'added': 'create', 'updated': 'update', 'replaced': 'replace', 'deleted': 'delete'}
#: what the preview of a create tells of the stack itself
KEPT = (
    'has_changes',
    'digest',
    'outputs',
    'output_changes',
    'unknown',
    'known_after',
    'plan',
    'refused',
)
#: a resource with a nested stack in the preview of a stock Heat
OF_HEAT = {'resource_name': '(nested)', 'resource_type': views.STACK_TYPE}


class Preview(NamedTuple):
    """The response of the service, and whether it is that of a create."""

    response: Values
    is_create: bool


def request(
    api: api_client.ApiClient, name: str, body: dict, existing: bool, **query: str
) -> Preview:
    """Return the preview of an update; of a create if the stack does not exist."""
    try:
        path = api.find(name)
    except api_client.RequestFailed as error:
        if error.status != 404 or 'template' not in body:
            raise
        if 'live' in query:
            raise errors.CommandError(
                f'there is no stack {name}: only an update can be compared with objects'
            ) from None
        return request_create(api, {'disable_rollback': True, **body, 'stack_name': name}, **query)
    method = 'PATCH' if existing else 'PUT'
    return Preview(api.call(method, f'{path}/preview', body, **query), False)


def request_create(api: api_client.ApiClient, body: dict, **query: str) -> Preview:
    """Return the preview of a create."""
    stack = api.call('POST', '/stacks/preview', body, **query)['stack']
    more = {key: stack[key] for key in KEPT if key in stack}
    nested = iter(stack.get('nested_resources', ()))
    return Preview({**_additions(stack['resources'], nested), **more}, True)


def _additions(resources: list, nested: Iterator[Values]) -> Values:
    """Return the resources of a create in the form of an update.

    A list has the resources of a nested stack. The resource with that stack is the next one of
    ``nested``; a stock Heat does not name it.
    """
    added = [
        {**next(nested, OF_HEAT), 'nested': _additions(each, nested)}
        if isinstance(each, list)
        else each
        for each in resources
    ]
    return {'resource_changes': {'added': added}}


def has_changes(response: Values) -> bool:
    """Whether a preview has changes, also that of a server that does not say so."""
    if 'has_changes' in response:
        return response['has_changes']
    return any(action for _, action, _ in _all(response))


class Replacements(NamedTuple):
    """The paths of the resources that are replaced, and of those that may be."""

    certain: list[str]
    possible: list[str]

    def all(self) -> list[str]:
        return [*self.certain, *self.possible]


def replacements(response: Values) -> Replacements:
    """Return the replacements, also those in nested stacks.

    They may be in a nested stack whose template is known only later: ``group/(known after apply)``.
    """
    found = Replacements([], [])
    for path, action, resource in _all(response):
        if resource.get('may_replace'):
            found.possible.append(path)
        elif action == 'replace':
            found.certain.append(path)
        if _has_unknown_members(resource):
            found.possible.append(f'{path}/{UNKNOWN}')
    return found


def summary(response: Values) -> Values:
    """Return a plan with its changes, without attributes: these may be secrets."""
    changes = [
        {'resource': path, 'action': action, 'properties': resource.get('property_changes', [])}
        for path, action, resource in _all(response)
        if action
    ]
    return {'plan': response['plan'], 'changes': changes}


def paths(response: Values) -> set[str]:
    """Return the paths of what changes, and ``group/`` for a resource with unknown members."""
    found = {path for path, action, _ in _all(response) if action}
    return found | {f'{path}/' for path, _, each in _all(response) if _has_unknown_members(each)}


def _has_unknown_members(resource: dict) -> bool:
    return resource.get('nested', '') is None and resource.get('action') != 'create'


def _all(response: Values, base: str = '') -> Iterator[tuple[str, str | None, dict]]:
    """Yield (path, action, resource) of all resources; the action is None without a change."""
    for kind, resources in response['resource_changes'].items():
        for resource in resources:
            path = base + resource['resource_name']
            action = resource.get('action', ACTIONS.get(kind))
            yield path, action if action in SIGNS else None, resource
            if resource.get('nested'):
                yield from _all(resource['nested'], path + '/')


def show(response: Values, out: terminal.Terminal) -> None:
    """Show the changes, and how many there are of each kind."""
    if response.get('refused'):
        out.write_line(f'this would be refused now: {response["refused"]}')
    for path, _, resource in _all(response):
        for ignored in resource.get('ignored_changes', ()):
            out.write_line(f'{path}: the change of {ignored} is ignored')
    if response.get('live'):
        _show_live(response, out)
    if response.get('not_applied'):
        out.write_line(f'not applied: {", ".join(response["not_applied"])}')
    if not has_changes(response):
        out.write_line('no changes')
        return
    for move in response.get('moved', ()):
        out.write_line(f'= {move["from"]} is {move["to"]} from now on')
    counts = dict.fromkeys(SIGNS, 0)
    for path, action, resource in _all(response):
        if action:
            counts[action] += 1
            _show_one(resource, action, out, '    ' * path.count('/'))
    of_stack = list(_stack_changes(response))
    for line in of_stack:
        out.write_line(line)
    if not any(counts.values()):
        if not of_stack and 'moved' not in response:
            out.write_line('no resource changes, only text, files, tags or options of the stack')
        return
    out.write_line()
    out.write_line(', '.join(f'{count} to {action}' for action, count in counts.items() if count))


def _show_live(response: Values, out: terminal.Terminal) -> None:
    """Show where live objects differ from what is stored, with what is wanted."""
    wanted = {
        (path, change['property']): change['after']
        for path, _, resource in _all(response)
        for change in resource.get('property_changes', ())
    }
    missing = {'property': '', 'expected': 'an object', 'actual': 'it is missing'}
    rows = []
    for each in response['live']['resources']:
        for one in each['properties'] or [missing]:
            stored = one['expected']
            key = each['path'], one['property']
            rows.append([*key, wanted.get(key, stored), stored, one['actual']])
    if rows:
        out.table(['RESOURCE', 'PROPERTY', 'WANTED', 'STORED', 'LIVE'], rows)
    for each in response['live']['unchecked']:
        out.write_line(f'{each["path"]} is not compared: {each["reason"]}')


def _stack_changes(response: Values) -> Iterator[str]:
    """Yield the lines of the parameters and the outputs of the stack itself."""
    for kind in ('parameter', 'output'):
        for change in response.get(f'{kind}_changes', ()):
            for name, before, after in _differences(change):
                yield f'{kind}s: {name} {before}{after}'


def _show_one(resource: Values, action: str, out: terminal.Terminal, indent: str) -> None:
    sign, status = SIGNS[action]
    word = f'may {action}' if resource.get('may_replace') else action
    reason = f'  ({resource["reason"]})' if resource.get('reason') else ''
    out.write_line(
        f'{indent}{out.colorize(sign, status)} {resource["resource_name"]}'
        f'  {views.short_type(resource["resource_type"])}  {out.colorize(word, status)}{reason}'
    )
    condition = resource.get('known_after', {}).get('condition')
    if condition is not None:
        out.write_line(f'{indent}    only if its condition is true {_described(condition)}')
    for change in resource.get('property_changes', ()):
        mark = '  requires a replacement' if change['forces_replacement'] else ''
        for name, before, after in _differences(change):
            out.write_line(f'{indent}    {name}: {before}{after}{mark}')
    for part in resource.get('definition_changes', ()):
        out.write_line(f'{indent}    {part} changes')
    if _has_unknown_members(resource):
        out.write_line(f'{indent}    its members may be updated or replaced {UNKNOWN}')


def _differences(change: Values) -> Iterator[tuple[str, str, str]]:
    """Yield (name, text before, text after) of what differs in a property, inside of maps.

    Masked values look equal, and are a change if the property has no other.
    """
    name, before, after = change['property'], change['before'], change['after']
    if not change['known']:
        after = _with_unknown(after, change.get('known_after', {name: ()}), name)
    found = list(different_parts(name, before, after))
    if not found and (change.get('secret') or change['forces_replacement']):
        found = [(name, before, after)]
    for part, old, new in found:
        yield part, text_before(old), text_after(new)


def _with_unknown(value: Value, known_after: Values, path: str) -> Value:
    """Return the value at a path with its unknown parts described, by ``{path: sources}``.

    Keys of maps may contain dots: their paths are made here, not taken apart.
    """
    if isinstance(value, dict):
        return {
            key: _with_unknown(part, known_after, f'{path}.{key}') for key, part in value.items()
        }
    if isinstance(value, list):
        return [_with_unknown(part, known_after, f'{path}.{i}') for i, part in enumerate(value)]
    if value is not None or path not in known_after:
        return value
    return _described(known_after[path])


def _described(sources: list[str]) -> str:
    return f'(known after apply: {", ".join(sources)})' if sources else UNKNOWN


def text_before(value: Value) -> str:
    """Return the beginning of a line about a change: the value before, if there was one."""
    return '' if value is None else f'{terminal.cell(value)} -> '


def text_after(value: Value) -> str:
    return '(none)' if value is None else terminal.cell(value)


def different_parts(name: str, before: Value, after: Value) -> Iterator[tuple[str, Value, Value]]:
    """Yield (name, before, after) of what differs, inside of maps."""
    waiting = [(name, before, after)]
    while waiting:
        name, before, after = waiting.pop()
        if isinstance(before, dict) and isinstance(after, dict):
            keys = sorted({*before, *after}, reverse=True)
            waiting += [(f'{name}.{key}', before.get(key), after.get(key)) for key in keys]
        elif before != after:
            yield name, before, after
