"""Refactoring: resources get other names or other stacks, without a request to any service.

All stacks change in one transaction, or none does. What would make or change an object is refused.

Tests: tests/functional/test_refactoring.py.
"""

import collections
import contextlib
import functools
from collections.abc import Iterator, Mapping

from heat_lite.common import exception, identifier, status
from heat_lite.common.value_texts import listed
from heat_lite.common.value_types import Row, Value, Values
from heat_lite.db import (
    moved_resources,
    resources as db_resources,
    stacks as db_stacks,
)
from heat_lite.engine import event
from heat_lite.engine.execution import moved_stacks, prediction
from heat_lite.engine.execution.moved_stacks import Draft
from heat_lite.engine.resource import resource
from heat_lite.engine.resource.record import Record
from heat_lite.engine.stack import diff, former_places, revisions, stack_storage
from heat_lite.engine.stack.stack import Stack
from heat_lite.template.definition import ResourceDefinition
from heat_lite.template.editing import moving
from heat_lite.template.editing.moving import Place
from heat_lite.template.environment import RESOURCE_REGISTRY
from heat_lite.template.template import Template
from heat_lite.template.unknown import ValueUnknown

#: the id of the template that a stack would have after its moves; it has no row
DRAFT = -1


class Refactoring:
    """The stacks by their keys, and the places to which resources move.

    The caller holds the locks of all stacks and of those nested in what moves.
    """

    def __init__(self, drafts: Mapping[str, Draft], moves: Mapping[Place, Place]) -> None:
        self._drafts = drafts
        self.moves = moves
        self._origins = {to: source for source, to in moves.items()}
        self._rows = {
            key: [] if each.is_new else db_resources.list_by_stack(each.present.id)
            for key, each in drafts.items()
        }
        #: the resources that get the new nested stacks
        self._containers = {
            Place(each.parent, str(each.present.parent_resource_name)): each
            for each in drafts.values()
            if each.parent and each.is_new
        }
        self.problems: list[str] = []
        #: the moves as the request names them
        self.shown: list[Values] = []

    @property
    def stacks(self) -> Mapping[str, Stack]:
        """The stacks as they are, by their keys."""
        return {key: each.present for key, each in self._drafts.items() if not each.is_new}

    def foreseen(self) -> Stack:
        """Return a copy of the stack, not stored, as it would be after the moves.

        Raises as ``check``.
        """
        self.check()
        key = next(iter(self._drafts))
        stack = self._after(key)
        stack.run = self._drafts[key].present.run
        return stack

    def is_possible(self) -> bool:
        try:
            self.check()
        except exception.RefactoringRefused:
            return False
        return True

    def lacks_targets(self) -> bool:
        """Return whether a stack shall have a template without what moves there, or an unknown
        one.
        """
        try:
            wanted = [(self._wanted(to.template), to.name) for to in self.moves.values()]
        except (exception.HeatException, ValueUnknown):
            return True
        return any(name not in template.resource_snippets for template, name in wanted)

    def check(self) -> None:
        """Raise RefactoringRefused with all that would touch an object, or break."""
        known = (text for each in self._drafts.values() for text in each.problems)
        self.problems = [*dict.fromkeys(known)]
        self._check_rows()
        self._stop()
        for key, draft in self._drafts.items():
            if draft.wanted is None:  # what is wrong with its parent says more
                self._stop()
            with named(draft.name):
                self._check_stack(key)
        self._stop()

    def templates(self) -> Values:
        """Return the new templates by stacks, as data.

        Those of nested stacks can have hidden values.
        """
        return {
            key: self._wanted(key).data for key, each in self._drafts.items() if not each.parent
        }

    def _stop(self) -> None:
        if self.problems:
            raise exception.RefactoringRefused(problems=listed(self.problems, '; '))

    # ------------------------------------------------------------ checks

    def _check_rows(self) -> None:
        ends = collections.Counter(self.moves.values())
        self.problems += [f'several resources would become {to}' for to in ends if ends[to] > 1]
        places = {Place(key, row.name) for key, rows in self._rows.items() for row in rows}
        for source, to in self.moves.items():
            if source not in places:
                self.problems.append(f'there is no resource {source}')
            if to in places - self.moves.keys():
                self.problems.append(f'{to} exists already')
        self.problems += [
            f'{place} has no nested stack' for place in self._containers if place in places
        ]
        self.problems += [
            f'{place} has a nested stack into or out of which something moves: it cannot move, too'
            for place in dict.fromkeys([*self.moves, *ends])
            if str(place) in self._drafts
        ]
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
        if len(self._user_projects(key)) > 1:
            self.problems.append(
                f'{key} has users in Keystone already, and so has what moves there: their '
                'projects differ'
            )
        stack = self._after(key)
        rows, wanted = stack.records.by_name(), stack.definitions
        self.problems += [f'{Place(key, name)} would be created' for name in wanted.keys() - rows]
        inner = {
            str(each.present.parent_resource_name): name
            for name, each in self._drafts.items()
            if each.present.owner_id == stack.id
        }
        for name in rows.keys() - wanted:
            if name not in inner or not self._leaves_nothing(inner[name]):
                self.problems.append(f'{Place(key, name)} is not in the template')
        self.problems += [
            f'{Place(key, name)} has no nested stack: {wanted[name].resource_type} makes none'
            for name in sorted(inner.keys() & wanted)
            if not resource.class_or_unknown(stack.class_of, wanted[name]).has_nested_stack
        ]
        changed = {
            name
            for name in wanted.keys() & rows
            if Place(key, name) not in self._containers and not self._is_kept(key, stack, name)
        }
        if not changed or self.problems:
            return
        for change in prediction.predict_update(stack, self._wanted(key), DRAFT).resources:
            name = change.resource.name
            is_checked_inside = change.action == diff.UPDATE and name in inner
            if change.action != diff.NONE and name in changed and not is_checked_inside:
                names = ', '.join(sorted({each.property for each in change.changes}))
                text = f'{Place(key, name)} would be {_WORDS[change.action]}'
                self.problems.append(f'{text}: {names}' if names else text)

    def _leaves_nothing(self, key: str) -> bool:
        """Whether all resources of a nested stack move out of it, so that it can go."""
        is_given = self._drafts[key].parent is None
        return is_given and all(Place(key, row.name) in self.moves for row in self._rows[key])

    def _is_kept(self, key: str, stack: Stack, name: str) -> bool:
        """Whether a definition surely gives what the resource has; a prediction tells the rest."""
        place = Place(key, name)
        source = self._origin(place)
        before, wanted = self._drafts[source.template].present, self._wanted(key)
        old, new = before.resource_for(source.name), stack.definitions[name]
        if type(old) is not resource.class_or_unknown(stack.class_of, new):
            self.problems.append(f'{place} would get another type')
        former = before.template.environment
        is_derived = self._drafts[key].parent is not None  # the request has the others
        if is_derived and moving.loses_entries(former, source.name, wanted.environment, name):
            self.problems.append(
                f'the environment has entries for {source} that do not match {place}'
            )
        snippet = wanted.resource_snippets[name]
        is_same = (
            snippet == self._drafts[key].moved.resource_snippets.get(name)
            and _values(before, snippet) == _values(stack, snippet)
            and _surroundings(before.template) == _surroundings(wanted)
        )
        if is_same:
            return True
        if _metadata(before, old.definition) != _metadata(stack, new):
            self.problems.append(f'{place} would get other metadata')
        return False

    def _user_projects(self, key: str) -> set[str]:
        """Return the projects of the users that a stack, and what comes to it, have."""
        found = {self._drafts[key].present.stack_user_project_id}
        for source, to in self.moves.items():
            owner = self._drafts[source.template].present
            if to.template == key and moved_stacks.may_have_users(owner.resource_for(source.name)):
                found.add(owner.stack_user_project_id)
        return {each for each in found if each}

    # ------------------------------------------------------------ arrangement

    def _wanted(self, key: str) -> Template:
        """Return the template that a stack shall have."""
        draft = self._drafts[key]
        if draft.wanted is None:
            parent = self._after(str(draft.parent), without=draft)
            item: Value = parent.resource_for(str(draft.present.parent_resource_name))
            nested = item.preview_nested(not draft.is_new)
            if nested is None:
                raise exception.RefactoringRefused(problems=f'{key} has no nested stack')
            draft.wanted = nested.template
        assert draft.wanted is not None
        return draft.wanted

    def _after(self, key: str, parent: Stack | None = None, without: Draft | None = None) -> Stack:
        """Return a copy of a stack as it would be after the moves, not stored."""
        stack = self._arranged(key, DRAFT, parent, without)
        stack.draft(self._wanted(key), DRAFT)
        self._settle(key, stack)
        return stack

    def _arranged(
        self,
        key: str,
        template_id: int,
        parent: Stack | None = None,
        without: Draft | None = None,
    ) -> Stack:
        """Return a copy of a stack that has the records that it shall have, by their new names.

        It foresees the stacks nested in it, but for the one of ``without``.
        """
        draft, wanted = self._drafts[key], self._wanted(key).resource_snippets
        stack = draft.copy()
        parent = parent or (self._after(draft.parent) if draft.parent else None)
        if parent is not None:
            stack.tree.parent = parent
        stack.foreseen_nested = {
            each.present.id: functools.partial(self._after, name)
            for name, each in self._drafts.items()
            if each is not draft and each is not without
        }
        records = {}
        for place, row in self._placed():
            if place.template == key:
                record = Record.from_row(stack.journal, row)
                record.name, record.stack_id = place.name, stack.id
                if place.name in wanted:
                    record.current_template_id = template_id
                records[place.name] = [record]
        for place, each in self._containers.items():
            if place.template == key:
                record = stack.records.blank(place.name)
                record.uuid = record.nova_instance = each.present.id
                record.action, record.current_template_id = status.CREATE, template_id
                records[place.name] = [record]
        stack.records.use(records)
        return stack

    def _settle(self, key: str, stack: Stack) -> None:
        """Give the resources around nested stacks what changes with these."""
        for source in self.moves:
            owner = self._drafts[source.template].present
            name = owner.parent_resource_name
            if owner.owner_id == stack.id and name in stack.records.by_name():
                stack.resource_for(name).release_member(source.name)
        for each in self._drafts.values():
            name = each.present.parent_resource_name
            if each.parent == key and name in stack.definitions:
                stack.resource_for(name).store_properties()

    def _origin(self, place: Place) -> Place:
        """Return the place at which the resource of a new place is now."""
        return self._origins.get(place, place)

    def _placed(self) -> Iterator[tuple[Place, Row]]:
        """Yield each row with the place that it shall have."""
        for key, rows in self._rows.items():
            for row in rows:
                yield self.moves.get(Place(key, row.name), Place(key, row.name)), row

    # ------------------------------------------------------------ the transaction

    def store(self, engine_id: str) -> None:
        """Write all in one transaction. Raises ``journal.LockLost``."""
        stored = [self._stored(key) for key in self._drafts]
        new = [
            (
                stack.template.content(),
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
        for callback in (each for turn in turns for each in turn.callbacks):
            callback()
        stored[0].runtime.announcer.note(stored[0].tenant)

    def _stored(self, key: str) -> Stack:
        """Return a copy of a stack whose journal has its changes."""
        draft, wanted = self._drafts[key], self._wanted(key)
        template_id = draft.present.runtime.templates.store(wanted)
        stack = self._arranged(key, template_id)
        action = status.CREATE if draft.is_new else status.UPDATE
        if draft.is_new:
            stack.redefine(wanted, template_id)
            stack.store_definition()
        else:
            stack.change(action, wanted, template_id)
        self._settle(key, stack)
        self._store_rows(key, stack)
        gone = {source.name: to for source, to in self.moves.items() if source.template == key}
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
        came = sum(to.template == key for to in self.moves.values())
        reasons = [f'Moved: {came} here, {left} to other stacks'] if came or left else []
        if draft.name != draft.present.name:
            reasons.append(f'Renamed from {draft.present.name}')
        reason = '. '.join(reasons) or 'The template has another form'
        # clients take an event of a complete stack for the end, but then the update itself begins
        begins = bool(self.shown) and stack.owner_id is None
        stack.state_set(action, status.IN_PROGRESS if begins else status.COMPLETE, reason)
        stack.store(status=status.COMPLETE)
        if not draft.is_new:
            result = {'status': status.COMPLETE, 'status_reason': reason}
            stack.journal.revision(result)
        return stack

    def _store_rows(self, key: str, stack: Stack) -> None:
        rows = {name: record for name, (record,) in stack.records.by_name().items()}
        for name in rows.keys() & stack.definitions:
            record, place = rows[name], Place(key, name)
            required = [rows[each] for each in sorted(stack.requirements[name] & rows.keys())]
            record.set(
                name=name,
                stack_id=stack.id,
                root_stack_id=stack.root_id(),
                current_template_id=stack.template_id,
                requires=[each.uuid if each.id is None else each.id for each in required],
            )
            if place in self._containers:
                item = stack.resource_of(stack.journal.add(record))
                record.rsrc_metadata = item.initial_metadata() or {}
                event.record_resource(item, reason='Made of what has moved')
                continue
            source = self._origin(place)
            if source != place:
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
        is_nested = moved_stacks.nested_id(owner.resource_for(source.name)) is not None
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
            stack_id = moved_stacks.nested_id(owner.resource_for(source.name))
            stays = (owner.name, source.name) == (draft.name, place.name)
            if place.template != key or stack_id is None or stays:
                continue
            columns = {
                'name': identifier.physical_name(draft.name, place.name, row.uuid),
                'owner_id': target.id,
                'parent_resource_name': place.name,
                'user_creds_id': target.user_creds_id,
                'nested_depth': target.nested_depth + 1,
            }
            yield from moved_stacks.rename(db_stacks.get_row(stack_id), columns, target.root_id())


@contextlib.contextmanager
def named(stack: str) -> Iterator[None]:
    """Let errors name the stack, as one request concerns several."""
    try:
        yield
    except exception.RequestError as error:
        raise error.with_hint(f' This is about the stack {stack}.') from None


#: what an action of a prediction does to a resource
_WORDS = {
    diff.CREATE: 'created',
    diff.IMPORT: 'imported',
    diff.UPDATE: 'updated',
    diff.REPLACE: 'replaced',
    diff.DELETE: 'deleted',
}


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
