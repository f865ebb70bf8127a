"""The moves that a template asks for: to other names, out of nested stacks, and into them.

Tests: tests/functional/test_refactoring.py, tests/functional/test_nested_moves.py.
"""

import uuid
from collections.abc import Mapping

from heat_lite.common import identifier, status
from heat_lite.common.value_types import Value
from heat_lite.db import stacks as db_stacks
from heat_lite.engine.execution.refactoring import Draft, Refactoring
from heat_lite.engine.stack import former_places
from heat_lite.engine.stack.nested_stack_view import nested_in
from heat_lite.engine.stack.stack import Stack
from heat_lite.template.editing import moving
from heat_lite.template.editing.moving import Place
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template

#: a resource of a stack, which may be nested
Found = tuple[Stack, str]


def find(stack: Stack, template: Template) -> Refactoring | None:
    """Return the moves that a template asks for and the stack has not made; None without.

    A template from before a move asks for the way back. A move into a nested stack comes alone: the
    stacks get the templates that they shall have at once, and nothing else may change. Other moves
    lead to templates that differ in places only.
    """
    back = {**former_places.wanted_back(stack, template), **_back(stack, template)}
    names = {**back, **template.moves}
    if names:
        stack.records.by_name()  # reads all rows at once
    wanted = {
        source: (found, to)
        for source, to in names.items()
        if (found := _find(stack, source)) and _find(stack, to) is None
    }
    if not wanted:
        return None
    is_into = any('/' in to for _, to in wanted.values())
    work = _into(stack, template, wanted) if is_into else _within(stack, wanted)
    work.shown = [{'from': source, 'to': to} for source, (_, to) in wanted.items()]
    return work


def _within(stack: Stack, wanted: Mapping[str, tuple[Found, str]]) -> Refactoring:
    """Return the moves to names in the stack itself."""
    stacks, moves = {stack.name: stack}, {}
    for source, ((owner, _), to) in wanted.items():
        place = _place(stack, source)
        stacks[place.template] = owner
        moves[place] = Place(stack.name, to)
    templates = {
        key: each.template
        if each is stack
        else _without_outputs(each, {place.name for place in moves if place.template == key})
        for key, each in stacks.items()
    }
    moved, problems = moving.move(templates, moves)
    drafts = {key: Draft(each, moved[key], moved[key], each.name) for key, each in stacks.items()}
    work = Refactoring(drafts, moves)
    work.problems = [text for found in problems.values() for text in found]
    return work


def _into(stack: Stack, template: Template, wanted: Mapping[str, tuple[Found, str]]) -> Refactoring:
    """Return moves with at least one into a nested stack; the template may add this stack."""
    paths = {
        path[:index]
        for source, (_, to) in wanted.items()
        for path in (source, to)
        for index, letter in enumerate(path)
        if letter == '/'
    }
    stacks = {'': stack}
    for path in sorted(paths):  # a stack comes before those nested in it
        outer, _, name = path.rpartition('/')
        stacks[path] = _nested(stacks[outer], name) or _new(stacks[outer], name)
    moves = {_place(stack, source): _place(stack, to) for source, (_, to) in wanted.items()}
    keys = {path: _place(stack, f'{path}/').template for path in stacks}
    moved, _ = moving.move({keys[path]: each.template for path, each in stacks.items()}, moves)
    drafts = {}
    for path, each in stacks.items():
        draft = drafts[keys[path]] = Draft(each, moved[keys[path]], None, each.name)
        if not path:
            draft.wanted = template
        elif path.partition('/')[0] in template.resource_snippets:
            draft.parent = keys[path.rpartition('/')[0]]
        else:  # the update deletes it
            draft.wanted = _without_outputs(each, {*each.definitions}, draft.moved)
    work = Refactoring(drafts, moves)
    work.problems = [
        f'{path} has a nested stack into or out of which something moves: it cannot move, too'
        for path in sorted(paths & {*wanted, *(to for _, to in wanted.values())})
    ]
    return work


def _place(stack: Stack, path: str) -> Place:
    """Return the place at a path; the keys of stacks are paths that begin with the root's name."""
    outer, _, name = f'{stack.name}/{path}'.replace('//', '/').rpartition('/')
    return Place(outer, name)


def _new(parent: Stack, name: str) -> Stack:
    """Return a nested stack that is not stored; the resource around it gets the uuid of its id."""
    stack_id = str(uuid.uuid4())
    key = parent.template.version.key
    made = nested_in(
        parent,
        identifier.physical_name(parent.name, name, stack_id),
        name,
        Template({key: parent.template.data[key]}, {}, Environment({})),
        id=stack_id,
    )
    made.status = status.COMPLETE
    return made


def _nested(stack: Stack, name: str) -> Stack | None:
    """Return the stack nested in a resource of a stack; None without."""
    if stack.template_id is None or not stack.records.find_by_name(name):
        return None
    nested: Value = getattr(stack.resource_for(name), 'nested_stack', None)
    if nested is not None:
        nested.refresh()
    return nested and nested.existing_stack()


def _find(root: Stack, path: str) -> Found | None:
    """Return the stack, maybe nested, and the name of a resource that there is at a path."""
    stack: Stack | None = root
    *outer, name = path.split('/')
    for each in outer:
        stack = stack and _nested(stack, each)
    return (stack, name) if stack is not None and stack.records.find_by_name(name) else None


def _back(stack: Stack, template: Template) -> dict[str, str]:
    """Return ``{path: former name}`` of what has moved into nested stacks that the template lacks,
    which has the former name.
    """
    found = {}
    missing = template.resource_snippets.keys() - stack.template.resource_snippets
    for name in sorted(missing) if stack.moved else ():
        place = former_places.find(stack, name)
        path = _path(stack, *place) if place else ''
        there = _find(stack, path) if '/' in path else None
        if there is None or path.partition('/')[0] in template.resource_snippets:
            continue
        if former_places.has_type_of(template, name, there[0].template, there[1]):
            found[path] = name
    return found


def _path(root: Stack, stack_id: str, name: str) -> str:
    """Return the path of a resource of a stack nested in ``root``; '' elsewhere."""
    names, row = [name], db_stacks.get_row(stack_id)
    while row is not None and row.id != root.id:
        names.append(row.parent_resource_name)
        row = row.owner_id and db_stacks.get_row(row.owner_id)
    return '' if row is None else '/'.join(reversed(names))


def _without_outputs(stack: Stack, names: set[str], template: Template | None = None) -> Template:
    """Return the template of a nested stack, or ``template``, without the outputs of resources
    that leave it.

    The update of the resource that has the stack gives it the others.
    """
    template = template or stack.template
    word = template.version.dialect.sections['outputs']
    kept = {
        name: template.output_snippets[name]
        for name, output in stack.bound.outputs.items()
        if not output.requires(names)
    }
    data = {**template.data, word: kept} if word in template.data else template.data
    return Template(data, template.files, template.environment)
