"""An update of a part of a stack: which resources it changes, and the template that results.

The others keep their definitions and are not visited, whatever else the request changes.

Tests: tests/functional/test_stack_parts.py.
"""

from collections.abc import Collection
from typing import TypeAlias

from heat_lite.common import exception
from heat_lite.common.value_types import Values
from heat_lite.engine.stack.stack import Stack
from heat_lite.rpc import api
from heat_lite.template import dependencies
from heat_lite.template.template import Template

#: sections whose entries are merged: what the other resources use stays
MERGED = ('parameters', 'conditions', 'mappings')
#: the options of a run: ``kept`` and ``replaced``
Options: TypeAlias = dict[str, Collection]


def part_of(stack: Stack, wanted: Stack, args: Values) -> tuple[Template, Options]:
    """Return the template of an update, and the options of its run.

    ``wanted`` is the stack with the template of the request; ``args`` name resources to change
    (TARGET, with what these require), to leave (EXCLUDE), and to recreate (REPLACE). Raises
    ResourceNotFound, StackValidationFailed.
    """
    keys = (api.TARGET, api.EXCLUDE, api.REPLACE)
    targets, excluded, replaced = (args.get(key) or () for key in keys)
    if not (targets or excluded or replaced):
        return wanted.template, {}
    defined = (each.template.resource_snippets for each in (stack, wanted))
    known = set(stack.records.by_name()).union(*defined)
    for name in (*targets, *excluded, *replaced):
        if name not in known:
            error = exception.ResourceNotFound(resource_name=name, stack_name=stack.name)
            raise error.with_hint(' Resources of nested stacks change with the one around them.')
    applied = {*known}
    if targets:
        applied = {*targets, *dependencies.reached(wanted.requirements, targets)}
    applied -= {*excluded}
    if not applied.issuperset(replaced):
        raise exception.StackValidationFailed('A resource that stays as it is cannot be replaced')
    rows = [stack.records.best(name) for name in replaced]
    options: Options = {'replaced': [row.id for row in rows if row is not None]}
    if applied.issuperset(known):
        return wanted.template, options
    return _combined(stack, wanted, applied), {**options, 'kept': frozenset(known - applied)}


def _combined(stack: Stack, wanted: Stack, applied: Collection[str]) -> Template:
    """Return the wanted template with the former definitions of all resources but ``applied``."""
    former, new = stack.template, wanted.template
    if former.version is not new.version:
        raise exception.StackValidationFailed(
            'The version of a template cannot change for a part of its resources'
        )
    words, data = new.version.dialect.sections, dict(new.data)
    for section in MERGED:
        merged = {**(former.section(section) or {}), **(new.section(section) or {})}
        if merged:
            data[words[section]] = merged
    before, after = former.resource_snippets, new.resource_snippets
    data[words['resources']] = resources = {
        **{name: each for name, each in before.items() if name not in applied},
        **{name: each for name, each in after.items() if name in applied},
    }
    lacking = {*before, *after} - resources.keys()
    outputs = {
        name: each.template.output_snippets[name]
        for each in (stack, wanted)
        for name, output in each.bound.outputs.items()
        if name in new.output_snippets and not output.requires(lacking)
    }
    if outputs or words['outputs'] in data:
        data[words['outputs']] = outputs
    files = {**former.files, **new.files}
    text = new.text if data == new.data else None
    return Template(data, files, new.environment, text)
