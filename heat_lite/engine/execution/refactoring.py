"""Refactoring: resources get other names or other stacks, without a request to any service.

All stacks change in one transaction, or none does. What would make or change an object is refused.

Tests: tests/functional/test_refactoring.py.
"""

import collections
import contextlib
import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping

from heat_lite.common import exception, identifier, status
from heat_lite.common.value_types import Row, Value, Values
from heat_lite.db import (
    moved_resources,
    resources as db_resources,
    stacks as db_stacks,
)
from heat_lite.engine import event
from heat_lite.engine.execution import prediction
from heat_lite.engine.resource import resource
from heat_lite.engine.resource.record import Record
from heat_lite.engine.stack import diff, former_places, revisions, stack_storage
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.stack.stack_fields import FIELDS
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.editing import moving
from heat_lite.template.editing.moving import Place
from heat_lite.template.environment import RESOURCE_REGISTRY
from heat_lite.template.template import Template

#: problems that an error names
MOST_PROBLEMS = 20
#: the id of the template that a stack would have after its moves; it has no row
DRAFT = -1
#: data of a resource with a user of its stack
USER_KEYS = {'user_id', 'access_key'}


@dataclasses.dataclass
class Draft:
    """One stack of a refactoring.

    ``present`` is the stack as it is; one that the refactoring creates has no template_id.
    ``moved`` is its template with the resources at their new places, ``wanted`` the one that it
    shall have, and ``name`` the name.
    """

    present: Stack
    moved: Template
    wanted: Template
    name: str

    @property
    def is_new(self) -> bool:
        return self.present.template_id is None


class Refactoring:
    """The stacks by their keys, and the places to which resources move.

    The caller holds the locks of all stacks and of those nested in what moves.
    """

    def __init__(self, drafts: Mapping[str, Draft], moves: Mapping[Place, Place]) -> None:
        self._drafts = drafts
        self._moves = moves
        self._origins = {to: source for source, to in moves.items()}
        self._rows = {
            key: [] if each.is_new else db_resources.list_by_stack(each.present.id)
            for key, each in drafts.items()
        }
        self.problems: list[str] = []
        #: the paths of what moves out of nested stacks
        self.paths: dict[Place, str] = {}

    @classmethod
    def within(cls, stack: Stack, template: Template) -> 'Refactoring | None':
        """Return the moves that a template asks for and the stack has not made; None without.

        A template from before a move asks for the way back.
        """
        names = {**former_places.wanted_back(stack, template), **template.moves}
        rows = stack.records.by_name() if names else {}  # most templates ask for none
        stacks, moves, paths = {stack.name: stack}, {}, {}
        for source, to in names.items():
            found = _find(stack, source) if to not in rows else None
            if found is not None:
                owner, name = found
                stacks[owner.name] = owner
                place = Place(owner.name, name)
                moves[place], paths[place] = Place(stack.name, to), source
        if not moves:
            return None
        templates = {
            key: each.template
            if each is stack
            else _without_outputs(each, {place.name for place in moves if place.template == key})
            for key, each in stacks.items()
        }
        moved, problems = moving.move(templates, moves)
        drafts = {key: Draft(each, moved[key], moved[key], key) for key, each in stacks.items()}
        work = cls(drafts, moves)
        work.paths = paths
        work.problems = [text for found in problems.values() for text in found]
        return work

    @property
    def stacks(self) -> Mapping[str, Stack]:
        """The stacks as they are, by their keys."""
        return {key: draft.present for key, draft in self._drafts.items()}

    @property
    def moves(self) -> Mapping[Place, Place]:
        return self._moves

    def foreseen(self) -> Stack:
        """Return a copy of the stack, not stored, as it would be after the moves."""
        (key, draft), *_ = self._drafts.items()
        stack = self._foreseen(key)
        stack.run = draft.present.run
        return stack

    def _foreseen(self, key: str, parent: Stack | None = None) -> Stack:
        draft = self._drafts[key]
        stack = self._arranged(key, _copy(draft), DRAFT)
        stack.draft(draft.wanted, DRAFT)
        if parent is not None:
            stack.tree.parent = parent
        stack.foreseen_nested = {
            other.present.id: functools.partial(self._foreseen, name, stack)
            for name, other in self._drafts.items()
            if other is not draft
        }
        return stack

    def check(self) -> None:
        """Raise RefactoringRefused with all that would touch an object, or break."""
        self._check_rows()
        self._stop()
        for key, draft in self._drafts.items():
            with named(draft.name):
                self._check_stack(key)
        self._stop()

    def templates(self) -> Values:
        """Return the new templates by stacks, as data."""
        return {key: draft.wanted.data for key, draft in self._drafts.items()}

    def _stop(self) -> None:
        if self.problems:
            more = len(self.problems) - MOST_PROBLEMS
            shown = '; '.join(self.problems[:MOST_PROBLEMS])
            raise exception.RefactoringRefused(
                problems=f'{shown}; and {more} more' if more > 0 else shown
            )

    # ------------------------------------------------------------ checks

    def _check_rows(self) -> None:
        ends = collections.Counter(self._moves.values())
        self.problems += [f'several resources would become {to}' for to in ends if ends[to] > 1]
        places = {Place(key, row.name) for key, rows in self._rows.items() for row in rows}
        for source, to in self._moves.items():
            if source not in places:
                self.problems.append(f'there is no resource {source}')
            if to in places - self._moves.keys():
                self.problems.append(f'{to} exists already')
        for key, rows in self._rows.items():
            seen = set()
            for row in rows:
                if row.status != status.COMPLETE or row.action in (status.INIT, status.DELETE):
                    state = f'{row.action}_{row.status}'
                    self.problems.append(f'{Place(key, row.name)} is {state}')
                elif row.name in seen:
                    self.problems.append(f'{Place(key, row.name)} is being replaced')
                seen.add(row.name)

    def _check_stack(self, key: str) -> None:
        draft = self._drafts[key]
        if len(self._user_projects(key)) > 1:
            self.problems.append(
                f'{key} has users in Keystone already, and so has what moves there: their '
                'projects differ'
            )
        stack = self._arranged(key, _copy(draft), prediction.UNSTORED)
        stack.redefine(draft.wanted, prediction.UNSTORED)
        rows, wanted = stack.records.by_name(), stack.definitions
        self.problems += [f'{Place(key, name)} would be created' for name in wanted.keys() - rows]
        for name in rows.keys() - wanted:
            self.problems.append(f'{Place(key, name)} is not in the template')
        changed = {name for name in wanted.keys() & rows if not self._is_kept(key, stack, name)}
        if not changed or self.problems:
            return
        for change in prediction.predict_update(stack, draft.wanted, prediction.UNSTORED).resources:
            name = change.resource.name
            if change.action != diff.NONE and name in changed:
                names = ', '.join(sorted({each.property for each in change.changes}))
                text = f'{Place(key, name)} would be {_WORDS[change.action]}'
                self.problems.append(f'{text}: {names}' if names else text)

    def _is_kept(self, key: str, stack: Stack, name: str) -> bool:
        """Whether a definition surely gives what the resource has; a prediction tells the rest."""
        place = Place(key, name)
        source = self._origin(place)
        before, draft = self._drafts[source.template].present, self._drafts[key]
        old, new = before.resource_for(source.name), stack.definitions[name]
        if type(old) is not resource.class_or_unknown(stack.class_of, new):
            self.problems.append(f'{place} would get another type')
        snippet = draft.wanted.resource_snippets[name]
        is_same = (
            snippet == draft.moved.resource_snippets.get(name)
            and _values(before, snippet) == _values(stack, snippet)
            and _surroundings(before.template) == _surroundings(draft.wanted)
        )
        if is_same:
            return True
        if _metadata(before, old.definition) != _metadata(stack, new):
            self.problems.append(f'{place} would get other metadata')
        return False

    def _user_projects(self, key: str) -> set[str]:
        """Return the projects of the users that a stack, and what comes to it, have."""
        found = {self._drafts[key].present.stack_user_project_id}
        for source, to in self._moves.items():
            owner = self._drafts[source.template].present
            if to.template == key and _may_have_users(owner.resource_for(source.name)):
                found.add(owner.stack_user_project_id)
        return {each for each in found if each}

    # ------------------------------------------------------------ arrangement

    def _arranged(self, key: str, stack: Stack, template_id: int) -> Stack:
        """Give a stack the records that it shall have, by their new names."""
        records = {}
        for place, row in self._placed():
            if place.template == key:
                record = Record.from_row(stack.journal, row)
                record.name, record.stack_id = place.name, stack.id
                record.current_template_id = template_id
                records[place.name] = [record]
        stack.records.use(records)
        for source, to in self._moves.items():
            owner = self._drafts[source.template].present
            name = owner.parent_resource_name
            if to.template == key and owner.owner_id == stack.id and name in records:
                stack.redefine(self._drafts[key].wanted, template_id)
                stack.resource_for(name).release_member(source.name)
        return stack

    def _origin(self, place: Place) -> Place:
        """Return the place at which the resource of a new place is now."""
        return self._origins.get(place, place)

    def _placed(self) -> Iterator[tuple[Place, Row]]:
        """Yield each row with the place that it shall have."""
        for key, rows in self._rows.items():
            for row in rows:
                yield self._moves.get(Place(key, row.name), Place(key, row.name)), row

    # ------------------------------------------------------------ the transaction

    def store(self, engine_id: str) -> None:
        """Write all in one transaction. Raises ``journal.LockLost``."""
        stored = [self._stored(key) for key in self._drafts]
        new = [
            (
                draft.wanted.content(),
                stack_storage.new_row(stack),
                stack.tags,
                revisions.first(stack),
            )
            for draft, stack in zip(self._drafts.values(), stored, strict=True)
            if draft.is_new
        ]
        nested = [each for key in self._drafts for each in self._nested(key)]
        turns = [stack.journal.take_turn() for stack in stored]
        changes = [
            turn.change_set(stack.id, None if draft.is_new else engine_id, None)
            for draft, stack, turn in zip(self._drafts.values(), stored, turns, strict=True)
        ]
        moved_resources.store(new, changes, nested)
        for turn, written in zip(turns, changes, strict=True):
            turn.note_stored(written, [])
        stored[0].runtime.announcer.note(stored[0].tenant)

    def _stored(self, key: str) -> Stack:
        """Return a copy of a stack whose journal has its changes."""
        draft = self._drafts[key]
        template_id = draft.present.runtime.templates.store(draft.wanted)
        stack = self._arranged(key, _copy(draft), template_id)
        action = status.CREATE if draft.is_new else status.UPDATE
        if draft.is_new:
            stack.redefine(draft.wanted, template_id)
            stack.store_definition()
        else:
            stack.change(action, draft.wanted, template_id)
        self._store_rows(key, stack)
        gone = {source.name: to for source, to in self._moves.items() if source.template == key}
        stack.store(
            name=draft.name,
            previous_template_id=None,
            plan=None,
            failures=None,
            moved=self._former_places(draft, gone),
            stack_user_project_id=next(iter(self._user_projects(key)), None),
        )
        stack.journal.stack(outputs=None)
        left = sum(to.template != key for to in gone.values())
        came = sum(to.template == key for to in self._moves.values())
        reasons = [f'Moved: {came} here, {left} to other stacks'] if came or left else []
        if draft.name != draft.present.name:
            reasons.append(f'Renamed from {draft.present.name}')
        reason = '. '.join(reasons) or 'The template has another form'
        stack.state_set(action, status.COMPLETE, reason)
        if not draft.is_new:
            result = {'status': status.COMPLETE, 'status_reason': reason}
            stack.journal.revision(result)
        return stack

    def _store_rows(self, key: str, stack: Stack) -> None:
        rows = {name: record for name, (record,) in stack.records.by_name().items()}
        for name, record in rows.items():
            required = stack.requirements[name] & rows.keys()
            record.set(
                name=name,
                stack_id=stack.id,
                root_stack_id=stack.root_id(),
                current_template_id=stack.template_id,
                requires=sorted(rows[each].id for each in required),
            )
            source = self._origin(Place(key, name))
            if source != Place(key, name):
                reason = f'Moved from {source}'
                event.record_resource(stack.resource_of(record), status.UPDATE, reason=reason)
            self._keep_object_name(record, source, self._drafts[key].name)

    def _former_places(self, draft: Draft, gone: Mapping[str, Place]) -> Values | None:
        """Return the column ``moved`` of a stack from which resources have gone."""
        moved = draft.present.moved
        if gone:
            ids = {key: each.present.id for key, each in self._drafts.items()}
            places = {name: (ids[to.template], to.name) for name, to in gone.items()}
            moved = former_places.with_moves(moved, places)
        if draft.name != draft.present.name:
            moved = former_places.with_name(moved, draft.present.name)
        return moved

    def _keep_object_name(self, record: Record, source: Place, stack_name: str) -> None:
        """Store what the object is named after, if the resource would give it another name now.

        A nested stack gets the new name, and what is in it keeps the former one.
        """
        owner = self._drafts[source.template].present
        is_nested = nested_id(owner.resource_for(source.name)) is not None
        if (owner.name, source.name) != (stack_name, record.name) and not is_nested:
            named = record.data.get(identifier.NAMED_AFTER) or f'{owner.name}/{source.name}'
            record.set_data(identifier.NAMED_AFTER, named)

    def _nested(self, key: str) -> Iterator[moved_resources.Nested]:
        """Yield the nested stacks of a stack that get another parent or name."""
        draft = self._drafts[key]
        target = draft.present
        for place, row in self._placed():
            source = self._origin(place)
            owner = self._drafts[source.template].present
            stack_id = nested_id(owner.resource_for(source.name))
            stays = (owner.name, source.name) == (draft.name, place.name)
            if place.template != key or stack_id is None or stays:
                continue
            columns = {
                'name': identifier.physical_name(draft.name, place.name, row.uuid),
                'owner_id': target.id,
                'parent_resource_name': place.name,
                'user_creds_id': target.user_creds_id,
            }
            yield from _rename_nested(db_stacks.get_row(stack_id), columns, target.root_id())


def _find(root: Stack, path: str) -> tuple[Stack, str] | None:
    """Return the stack, maybe nested, and the name of a resource that there is at a path."""
    stack: Value = root
    *outer, name = path.split('/')
    for each in outer:
        item = stack.resource_for(each) if stack.records.find_by_name(each) else None
        nested = getattr(item, 'nested_stack', None)
        if nested is None:
            return None
        nested.refresh()
        if nested.stack is None:
            return None
        stack = nested.stack
    return (stack, name) if stack.records.find_by_name(name) else None


def _without_outputs(stack: Stack, names: set[str]) -> Template:
    """Return the template of a nested stack without the outputs of resources that leave it.

    The update of the resource that has the stack gives it the others.
    """
    template = stack.template
    word = template.version.dialect.sections['outputs']
    kept = {
        name: template.output_snippets[name]
        for name, output in stack.bound.outputs.items()
        if not output.requires(names)
    }
    data = {**template.data, word: kept} if word in template.data else template.data
    return Template(data, template.files, template.environment)


def _rename_nested(row: Row, columns: Values, root_id: str) -> Iterator[moved_resources.Nested]:
    """Yield a nested stack and those below it, which are named after their resources."""
    children = db_stacks.child_rows(row.id)
    named = {}
    below = []
    for each in db_resources.list_by_stack(row.id):
        child = children.get(each.nova_instance)
        if child is not None:
            name = identifier.physical_name(columns['name'], each.name, each.uuid)
            creds = columns['user_creds_id']
            below.append((child, {'name': name, 'user_creds_id': creds}))
        elif identifier.NAMED_AFTER not in each.data:
            named[each.id] = f'{row.name}/{each.name}'
    yield moved_resources.Nested(row.id, columns, root_id, named)
    for child, values in below:
        yield from _rename_nested(child, values, root_id)


@contextlib.contextmanager
def named(stack: str) -> Iterator[None]:
    """Let errors name the stack, as one request concerns several."""
    try:
        yield
    except exception.RequestError as error:
        raise error.with_hint(f' This is about the stack {stack}.') from None


def nested_ids(stacks: Mapping[str, Stack], places: Iterable[Place]) -> list[str]:
    """Return the ids of the stacks nested in what is at these places."""
    found: list[str] = []
    for place in places:
        stack = stacks.get(place.template)
        if stack is not None and stack.records.find_by_name(place.name):
            nested = nested_id(stack.resource_for(place.name))
            found += [] if nested is None else db_stacks.tree_ids(nested)
    return found


def nested_id(item: resource.Resource) -> str | None:
    """Return the id of the nested stack of a resource, None without one."""
    return item.resource_id if getattr(item, 'nested_stack', None) is not None else None


#: what an action of a prediction does to a resource
_WORDS = {
    diff.CREATE: 'created',
    diff.IMPORT: 'imported',
    diff.UPDATE: 'updated',
    diff.REPLACE: 'replaced',
    diff.DELETE: 'deleted',
}


def _copy(draft: Draft) -> Stack:
    """Return another copy of the stack, which can be changed."""
    present = draft.present
    fields = {**{name: getattr(present, name) for name in FIELDS}, 'name': draft.name}
    return present.make(present.template, tags=present.tags, **fields)


def _may_have_users(item: resource.Resource) -> bool:
    """Return whether a resource, or one nested in it, may have users of the stack in Keystone."""
    return nested_id(item) is not None or not USER_KEYS.isdisjoint(item.record.data)


def _values(stack: Stack, snippet: Value) -> Value:
    """Return what a part of the stack's template may read of parameters and conditions."""
    known, declared = stack.parameters, stack.template.condition_definitions
    names = moving.parameters_read(snippet)
    conditions = moving.conditions_read(snippet) & declared.keys()
    return (
        {name: known[name] for name in names if name in known},
        {name: stack.bound.scope.condition(name) for name in conditions},
    )


def _surroundings(template: Template) -> Value:
    """Return what else may give a definition another meaning."""
    registry = template.environment.data.get(RESOURCE_REGISTRY) or {}
    return registry, template.section('mappings'), dict(template.files)


def _metadata(stack: Stack, definition: ResourceDefinition) -> Value:
    return definition.resolved_metadata(stack.resolve)
