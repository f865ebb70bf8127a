"""The moves that a template asks for: to other names, out of nested stacks, and into them.

Tests: tests/functional/test_refactoring.py, tests/functional/test_nested_moves.py.
"""

import uuid
from collections.abc import Mapping

from heat_lite.common import exception, identifier, status
from heat_lite.common.value_types import Value
from heat_lite.db import stacks as db_stacks
from heat_lite.engine.execution.moved_stacks import Draft
from heat_lite.engine.execution.refactoring import Refactoring
from heat_lite.engine.stack import former_places
from heat_lite.engine.stack.nested_stack_view import nested_in
from heat_lite.engine.stack.stack import Stack
from heat_lite.template.editing import moving
from heat_lite.template.editing.moving import Place
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template

GROUP = 'OS::Heat::ResourceGroup'
#: a resource of a stack, which may be nested
Found = tuple[Stack, str]


def find(stack: Stack, template: Template) -> Refactoring | None:
    """Return the moves that a template asks for and the stack has not made; None without.

    A template from before a move asks for the way back. With moves into a nested stack the stacks
    get the templates that they shall have at once, if nothing else changes. Else, as with other
    moves, they get templates that differ in places only.
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
    drafts = {
        key: Draft(each, moved[key], moved[key], each.name, problems=problems[key])
        for key, each in stacks.items()
    }
    return Refactoring(drafts, moves)


def _into(stack: Stack, template: Template, wanted: Mapping[str, tuple[Found, str]]) -> Refactoring:
    """Return moves with at least one into a nested stack; the template may add this stack."""
    moves = {_place(stack, source): _place(stack, to) for source, (_, to) in wanted.items()}
    stacks = find_stacks({stack.name: stack}, moves)
    moved, _ = moving.move({key: each.template for key, each in stacks.items()}, moves)
    drafts = {}
    for key, each in stacks.items():
        draft = drafts[key] = Draft(each, moved[key], None, each.name)
        outer, _, name = key.rpartition('/')
        if each is stack:
            draft.wanted = template
        elif key.split('/')[1] in template.resource_snippets:
            draft.parent = outer
        else:  # the update deletes it
            draft.wanted = _without_outputs(each, {*each.definitions}, draft.moved)
    alone = Refactoring(drafts, moves)
    if alone.is_possible():
        return alone
    first = Refactoring(edited(stacks, moves), moves)
    return first if first.is_possible() and not alone.lacks_targets() else alone


def find_stacks(roots: Mapping[str, Stack], moves: Mapping[Place, Place]) -> dict[str, Stack]:
    """Return the stacks between which resources move, by their keys, with those around them.

    The key of a nested stack is the place of the resource that has it. One that there is not yet
    is not stored. Raises RequestLimitExceeded for a path beyond the limit of depth.
    """
    found = {**roots}
    limit = next(iter(roots.values())).limits.max_nested_stack_depth
    places = {f'{each.template}/' for pair in moves.items() for each in pair}
    if any(each.count('/') > limit + 1 for each in places):
        raise exception.RequestLimitExceeded(f'Recursion depth exceeds {limit}.')
    keys = {key[:index] for key in places for index, letter in enumerate(key) if letter == '/'}
    for key in sorted(keys - roots.keys()):  # a stack comes before those nested in it
        outer, _, name = key.rpartition('/')
        found[key] = _nested(found[outer], name) or _new(found[outer], name)
    return found


def edited(stacks: Mapping[str, Stack], moves: Mapping[Place, Place]) -> dict[str, Draft]:
    """Return drafts with the present templates after the moves."""
    templates, files, fixed = _changeable(stacks)
    moved, problems = moving.move(templates, moves, files)
    drafts = {}
    for key, each in stacks.items():
        outer = key.rpartition('/')[0]
        form, broken = None if outer else moved[key], [*fixed[key], *problems[key]]
        drafts[key] = Draft(each, moved[key], form, each.name, outer or None, broken)
    return drafts


def _changeable(
    stacks: Mapping[str, Stack],
) -> tuple[dict[str, Template], dict[str, str], dict[str, list[str]]]:
    """Return the templates of stacks and the files that nested ones are made of, as
    ``moving.move`` takes them, and what cannot change.
    """
    templates, files = {}, {}
    problems: dict[str, list[str]] = {key: [] for key in stacks}
    for key, stack in stacks.items():
        outer, _, name = key.rpartition('/')
        templates[key] = stack.template
        if not outer:
            continue
        if stack.template_id is None:
            problems[key].append(f'{key} has no nested stack; give the templates with a new one')
            continue
        item = stacks[outer].resource_for(name)
        file = stacks[outer].template_of_type(item.definition)
        if file is None and item.type() == GROUP:
            names = stack.template.resource_snippets
            members = moving.group_template(templates[outer], name, names)
            if members is not None:
                file, templates[key] = '', members
        if file is None:
            problems[key].append(f'{key} has no template that could change: {item.type()} makes it')
        else:
            files[key] = file
    return templates, files, problems


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
