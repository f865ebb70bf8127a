"""The RPC endpoint that moves resources between stacks.

Tests: tests/functional/test_refactoring.py.
"""

import contextlib
import uuid
from collections.abc import Mapping

from heat_lite.common import exception, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_texts import as_json, listed
from heat_lite.common.value_types import Values
from heat_lite.db import stacks as db_stacks
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.execution import moved_stacks, plan_facts, refactoring, template_moves
from heat_lite.engine.execution.moved_stacks import Draft
from heat_lite.engine.execution.refactoring import Refactoring
from heat_lite.engine.stack.stack import Stack, StackChanged
from heat_lite.engine.validation import masking, validation
from heat_lite.rpc import api
from heat_lite.template.editing.moving import Place
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template

#: what a stack may be whose resources move
AT_REST = (
    status.CREATE,
    status.ADOPT,
    status.UPDATE,
    status.ROLLBACK,
    status.CHECK,
    status.RESUME,
    status.SNAPSHOT,
    status.RESTORE,
)


class StackMoves(Endpoint):
    """Changes of the form of stacks that no object notices."""

    def refactor_stacks(
        self,
        context: RequestContext,
        stacks: dict[str, Wire],
        moves: list[Wire],
        dry_run: bool = False,
    ) -> Wire:
        """Move resources to other names and stacks of the project; return the templates.

        ``moves`` are ``{'from': 'STACK/RESOURCE', 'to': 'STACK/RESOURCE'}``; a path leads to a
        member of a group, or a resource of a nested stack. ``stacks`` has by name
        the RPC arguments of a create for each stack that shall have another template, or that is to
        be created; without a template a stack keeps its own, and its resources their definitions.
        Raises RefactoringRefused, and ActionInProgress.
        """
        places = {_place(each, 'from'): _place(each, 'to') for each in moves}
        names = dict.fromkeys(
            [*stacks, *(_root(each.template) for pair in places.items() for each in pair)]
        )
        if not names:
            raise exception.Invalid(reason='neither "moves" nor "stacks" name a stack')
        for name in names:
            validation.stack_name(name)
        rows = {name: db_stacks.get_by_name(context, name) for name in names}
        present = {name: row for name, row in rows.items() if row is not None}
        if len(set(places.values())) < len(moves):
            raise exception.Invalid(reason='a resource moves twice, or two to one place')
        for name in rows.keys() - present.keys():
            if name not in stacks or stacks[name].get('name'):  # only a stack can be renamed
                raise exception.no_stack(name)
        with contextlib.ExitStack() as held:
            loaded = {
                name: held.enter_context(self._locked(context, row.id))
                for name, row in sorted(present.items(), key=lambda item: item[1].id)
            }
            for stack in loaded.values():
                _require_whole(stack)
            for name, args in stacks.items():
                if args.get('name') not in (None, name):
                    validation.free_name(context, args['name'])
            for name in stacks.keys() - loaded.keys():
                loaded[name] = self._empty_stack(context, name, loaded, places)
            found = template_moves.find_stacks(loaded, places)
            inner = _stored_ids(found) - _stored_ids(loaded)
            for stack_id in sorted(inner.union(self._nested(found, places, stacks))):
                held.enter_context(self._locked(context, stack_id))
            found = template_moves.find_stacks(loaded, places)  # as they are now
            if not _stored_ids(found) <= inner | _stored_ids(loaded):
                raise exception.ActionInProgress(stack_name=next(iter(names)), action=status.UPDATE)
            work = Refactoring(self._drafts(context, found, places, stacks), places)
            work.check()
            if not dry_run:
                work.store(self._runtime.engine_id)
            return {'templates': work.templates()}

    def move_within(
        self, stack: Stack, template: Template, facts: list[Values] | None = None
    ) -> tuple[Stack, list[Values] | None]:
        """Make the moves that a template asks for and its stack has not made.

        ``facts`` are those of the plan, if there is one. Return the stack and its facts. Raises
        RefactoringRefused, ActionInProgress, PlanOutdated, and StackChanged.
        """
        if template_moves.find(stack, template) is None:
            return stack, facts
        context = stack.context
        with contextlib.ExitStack() as held:
            present = held.enter_context(self._locked(context, stack.id))
            work = template_moves.find(present, template)
            if work is None or present.update_base != stack.update_base:
                raise StackChanged
            if facts:
                plan_facts.require(present, facts, [plan_facts.stored(present)])
            try:
                _require_whole(present)
            except exception.NotSupported as error:
                raise error.with_hint(_needed_moves(work.shown)) from None
            owners = {each.id for each in work.stacks.values()} - {present.id}
            inner = moved_stacks.ids(work.stacks, work.moves)
            for stack_id in sorted(owners.union(inner)):
                held.enter_context(self._locked(context, stack_id))
            work = template_moves.find(present, template)  # with the nested stacks as they are now
            if work is None or not owners.issuperset(
                each.id for each in [*work.stacks.values()][1:]
            ):
                raise StackChanged
            work.check()
            work.store(self._runtime.engine_id)
        moved = self._reread(stack)
        return moved, facts and [plan_facts.stored(moved)]

    def _nested(
        self,
        stacks: Mapping[str, Stack],
        places: Mapping[Place, Place],
        given: Mapping[str, Wire],
    ) -> list[str]:
        """Return the ids of the stacks nested in what moves, and in stacks with other names."""
        found = [
            each
            for name, stack in stacks.items()
            if given.get(name, {}).get('name')
            for each in db_stacks.tree_ids(stack.id)[1:]
        ]
        return sorted({*found, *moved_stacks.ids(stacks, places)})

    def _drafts(
        self,
        context: RequestContext,
        stacks: Mapping[str, Stack],
        places: Mapping[Place, Place],
        given: Mapping[str, Wire],
    ) -> dict[str, Draft]:
        drafts = template_moves.edited(stacks, places)
        for name, args in given.items():
            draft = drafts[name]
            draft.name = args.get('name') or name
            if args.get('template') is not None:
                with refactoring.named(name):
                    draft.wanted = self._wanted(context, draft.moved, args)
                for key in drafts:
                    if _root(key) == name:  # the request says what it shall have instead
                        drafts[key].problems = ()
        return drafts

    def _wanted(self, context: RequestContext, moved: Template, args: Wire) -> Template:
        parsed = masking.unmasked(
            self._template(
                context,
                args['template'],
                args.get('params'),
                args.get('files'),
                args.get('environment_files'),
                args.get('files_container'),
                moved,
            ),
            moved,
        ).with_text(args.get(api.TEMPLATE_TEXT))
        parsed.validate()
        parsed.validate_declarations()
        validation.resource_count(self._runtime, parsed)
        validation.stored_names(parsed)
        return parsed

    def _empty_stack(
        self,
        context: RequestContext,
        name: str,
        loaded: Mapping[str, Stack],
        places: Mapping[Place, Place],
    ) -> Stack:
        """Return a stack that is not stored, in the form of the one that gives it a resource."""
        sources = [
            _root(each.template) for each, to in places.items() if _root(to.template) == name
        ]
        model = loaded.get(sources[0]) if sources else None
        if model is None:
            raise exception.Invalid(reason=f'no resource moves to the new stack {name}')
        key = model.template.version.key
        template = Template({key: model.template.data[key]}, {}, Environment({}))
        validation.new_stack(context, self._runtime, name, template)
        return Stack(
            self._runtime,
            context,
            template,
            id=str(uuid.uuid4()),
            name=name,
            tenant=context.tenant_id,
            username=context.username,
            disable_rollback=model.disable_rollback,
            timeout_mins=model.timeout_mins,
            action=status.CREATE,
            status=status.COMPLETE,
            convergence=model.convergence,
        )


def _place(move: Values, end: str) -> Place:
    """Return one end of a move. Raises Invalid."""
    text = move.get(end) if isinstance(move, dict) and move.keys() == {'from', 'to'} else None
    stack, *path = text.split('/') if isinstance(text, str) else ('',)
    if not stack or not path or not all(map(validation.is_resource_name, path)):
        pair = '{"from": "STACK/RESOURCE", "to": "STACK/RESOURCE"}'
        raise exception.Invalid(reason=f'a move is {pair}, not {as_json(move)}')
    return Place('/'.join([stack, *path[:-1]]), path[-1])


def _root(key: str) -> str:
    """Return the name of the stack in which a stack with this key is, or that it is."""
    return key.partition('/')[0]


def _stored_ids(stacks: Mapping[str, Stack]) -> set[str]:
    return {each.id for each in stacks.values() if each.template_id is not None}


def _needed_moves(moves: list[Values]) -> str:
    """Return what to do about a stack that cannot make the moves that a template needs."""
    shown = listed([f'{each["from"]} to {each["to"]}' for each in moves])
    return (
        f' This begins with moves: {shown}. Resume the stack, or retry its last action, before; or '
        'update it to its newest revision with the present names.'
    )


def _require_whole(stack: Stack) -> None:
    """Raise NotSupported for a stack whose last action has not left it whole."""
    if stack.status != status.COMPLETE or stack.action not in AT_REST:
        state = f'{stack.action}_{stack.status}'
        raise exception.NotSupported(feature=f'Moving resources of {stack.name}, which is {state},')
    if stack.owner_id is not None:
        raise exception.NotSupported(feature=f'Moving resources of a nested stack, {stack.name},')
