"""The RPC endpoint for actions on stacks: create, update, delete, previews and others.

Tests: tests/functional/test_engine.py.
"""

import json

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.engine.endpoints import plans
from heat_lite.engine.endpoints.base import Wire, on_working_engine
from heat_lite.engine.endpoints.stack_moves import StackMoves
from heat_lite.engine.execution import actions, plan_facts, preview
from heat_lite.engine.resource import fingerprint
from heat_lite.engine.stack import (
    adoption,
    legacy_stacks,
    partial_update,
    revisions,
    stack_storage,
)
from heat_lite.engine.stack.action_run import REQUEST
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.validation import masking, validation
from heat_lite.rpc import api
from heat_lite.template.template import Template

#: arguments of a request that change fields of the stack of the same name
FIELDS = ('timeout_mins', 'disable_rollback', api.PROTECTED)


class Stacks(plans.Plans):
    """``args`` holds the options of a request (``timeout_mins``, ``disable_rollback``, ``tags``,
    ...), ``params`` an environment.
    """

    def create_stack(
        self,
        context: RequestContext,
        stack_name: str,
        template: Wire,
        params: Wire | None,
        files: Wire | None,
        args: Wire,
        environment_files: list[str] | None = None,
        files_container: str | None = None,
        owner_id: str | None = None,
        nested_depth: int = 0,
        user_creds_id: int | None = None,
        stack_user_project_id: str | None = None,
        parent_resource_name: str | None = None,
        template_id: int | None = None,
        plan: str | None = None,
    ) -> Wire:
        """Store the stack and begin to create or adopt it. Return its identity.

        With ``owner_id`` the stack is nested in that one; ``template_id`` then names the stored
        template, environment and files. ``plan`` stands for the whole request. Raises PlanOutdated
        unless it would do what the plan says.
        """
        validation.capacity(context, self._runtime)
        agreed = None if plan is None else plan_facts.find(context, None, plan)
        if agreed:
            foreseen, _, facts = self._agreed_create(context, agreed)
            plan_facts.require(foreseen, agreed['facts'], facts)
            stack_name, template_id = agreed['stack_name'], agreed['raw_template_id']
            message = plans.revision_message(agreed, args.get(api.MESSAGE))
            args = {**agreed['args'], api.MESSAGE: message}
        adopted, params, files = adoption.merge(self._runtime, args, params, files)
        if template_id is None:
            parsed = masking.unmasked(
                self._template(context, template, params, files, environment_files, files_container)
            ).with_text(args.get(api.TEMPLATE_TEXT))
        else:
            parsed = self._runtime.templates.get(template_id)
        if owner_id is None:
            validation.new_stack(context, self._runtime, stack_name, parsed)
        stack = self._new_stack(context, stack_name, parsed, args)
        stack.owner_id, stack.nested_depth, stack.parent_resource_name = (
            owner_id,
            nested_depth,
            parent_resource_name,
        )
        stack.user_creds_id, stack.stack_user_project_id = user_creds_id, stack_user_project_id
        stack.run.message = args.get(api.MESSAGE)
        if agreed is None:  # a plan has just been previewed, and so validated
            self._check_new(stack, args)
        validation.stored_names(parsed)
        if adopted is not None:
            adoption.begin(stack, adopted['resources'])
        elif owner_id is None:
            plan_facts.require_approval(stack, agreed)
        if stack_storage.store(stack, args.get(api.ON_BEHALF_OF), plan):
            actions.create(stack, adopted is not None)
        return stack.identifier().as_dict()

    @staticmethod
    def _check_new(stack: Stack, args: Wire) -> None:
        """Validate a new stack.

        A nested stack has been validated with its parent, except for values.
        """
        if stack.owner_id is None:
            validation.stack(stack)
            if stack.template.may_import and api.PARAM_ADOPT_STACK_DATA not in args:
                preview.refuse_create(stack)
            return
        validation.owned(stack)
        if api.ON_BEHALF_OF not in args:
            validation.more_resources(stack, len(stack.definitions))
        validation.nested_values(stack)

    def preview_stack(
        self,
        context: RequestContext,
        stack_name: str,
        template: Wire,
        params: Wire | None,
        files: Wire | None,
        args: Wire,
        environment_files: list[str] | None = None,
        files_container: str | None = None,
        plan: str | None = None,
        store: bool = False,
    ) -> Wire:
        """Return the stack as it would be created, with its resources.

        Nothing is stored, except the plan with ``store``.
        """
        if plan is not None:
            return self._preview_create_plan(context, plan_facts.find(context, None, plan))
        adopted, params, files = adoption.merge(self._runtime, args, params, files)
        parsed = masking.unmasked(
            self._template(context, template, params, files, environment_files, files_container)
        )
        if not store:
            return self._foreseen_create(context, stack_name, parsed, args)[1]
        if adopted is not None:
            raise exception.NotSupported(feature='A plan of an adoption')
        validation.stored_names(parsed)
        stored = parsed.with_text(args.get(api.TEMPLATE_TEXT))
        kept = {*FIELDS, api.PARAM_TAGS, api.PARAM_OBSERVE}
        draft: Wire = {
            'raw_template_id': self._runtime.templates.store(stored),
            'args': {name: args[name] for name in kept.intersection(args)},
        }
        stack, answer, facts = self._foreseen_create(context, stack_name, parsed, args)
        return {**answer, api.PLAN: plan_facts.shown(plan_facts.keep(stack, draft, facts))}

    @on_working_engine
    def update_stack(
        self,
        context: RequestContext,
        stack_identity: Wire,
        template: Wire,
        params: Wire | None,
        files: Wire | None,
        args: Wire,
        environment_files: list[str] | None = None,
        files_container: str | None = None,
        template_id: int | None = None,
        revision: int | None = None,
        plan: str | None = None,
        part: Wire | None = None,
    ) -> Wire:
        """Begin to update the stack to the template. Return its identity, and its new digest.

        For a nested stack ``template_id`` names the stored template, environment and files.
        ``revision`` stands for these and for the options that ``args`` does not have, ``plan`` for
        the whole update. ``part`` is that of ``partial_update``. Raises PlanOutdated unless it
        would do what the plan says.
        """
        row = self._row(context, stack_identity)
        stack = self._load(context, row)
        validation.updatable(stack)
        if template_id is not None:
            self._update_nested(stack, template_id, args)
            return stack.identifier().as_dict()
        validation.unchanged(stack, args.get(api.IF_MATCH))
        stored = _stored_update(stack, revision, plan)
        agreed = stored if plan is not None else None
        args = {**self._agreed_args(stack, agreed), **args, **(part or {})}
        if agreed:
            args[api.MESSAGE] = plans.revision_message(agreed, args.get(api.MESSAGE))
        parsed, options = self._validated_update(
            stack, template, params, files, args, environment_files, files_container, stored
        )
        options = agreed.get('run') or {} if agreed else options
        validation.stored_names(parsed)
        forbids = _forbids_replacement(args)
        prevents = stack.template.may_prevent_destroy or parsed.may_prevent_destroy
        if forbids or prevents or parsed.may_import:
            unused = plans.with_options(self._load(context, row), options)
            preview.refuse_update(unused, parsed, forbids)
        facts = agreed['facts'] if agreed else None
        stack, facts = StackMoves(self._runtime).move_within(stack, parsed, facts)
        values = _update_values(stack, args, stored)
        digest = fingerprint.stack_fingerprint(stack, parsed, values)
        actions.update(
            stack,
            parsed,
            values,
            converge=args.get(api.PARAM_CONVERGE, False),
            forbid_replacement=forbids,
            base=stack.update_base,
            facts=facts,
            message=args.get(api.MESSAGE),
            **options,
        )
        return {**stack.identifier().as_dict(), 'digest': digest}

    def _update_nested(self, stack: Stack, template_id: int, args: Wire) -> None:
        parsed = self._runtime.templates.get(template_id)
        validation.nested_update(stack, self._as_updated(stack, parsed, args))
        validation.stored_names(parsed)
        actions.update(
            stack,
            parsed,
            _update_values(stack, {'existing': True, **args}),
            template_id=template_id,
            forbid_replacement=_forbids_replacement(args),
        )

    def preview_update_stack(
        self,
        context: RequestContext,
        stack_identity: Wire,
        template: Wire,
        params: Wire | None,
        files: Wire | None,
        args: Wire,
        environment_files: list[str] | None = None,
        files_container: str | None = None,
        revision: int | None = None,
        plan: str | None = None,
        part: Wire | None = None,
        store: bool = False,
        live: bool = False,
    ) -> Wire:
        """Return what ``update_stack`` with the same arguments would do to each resource.

        Nothing is stored, except the plan with ``store``. With ``live`` the answer has the drift of
        the objects.
        """
        stack = self._stack(context, stack_identity)
        stored = _stored_update(stack, revision, plan)
        if stored and plan:
            return self._preview_plan(stack, stored)
        args = {**args, **(part or {})}
        parsed, options = self._validated_update(
            stack, template, params, files, args, environment_files, files_container, stored
        )
        args, values = {**args, api.LIVE: live}, _update_values(stack, args, stored)
        if not store:
            return self._preview(plans.with_options(stack, options), parsed, values, args)
        validation.updatable(stack)
        validation.at_rest(stack)
        if legacy_stacks.is_legacy(stack):  # the update would find its rows in another form
            with self._locked(context, stack.id):
                pass
        kept = {api.PARAM_SHOW_NESTED, api.PARAM_CONVERGE, api.ON_REPLACE, api.LIVE}
        draft: Wire = {
            'raw_template_id': self._runtime.templates.store(parsed),
            'options': values,
            'args': {name: args[name] for name in kept.intersection(args)},
            'run': options,
        }
        answer, facts = self._foreseen(stack, draft)
        if not plan_facts.may_replace(answer):
            draft['args'][api.ON_REPLACE] = api.FAIL
        return {**answer, api.PLAN: plan_facts.shown(plan_facts.keep(stack, draft, facts))}

    def _validated_update(
        self,
        stack: Stack,
        template: Wire,
        params: Wire | None,
        files: Wire | None,
        args: Wire,
        environment_files: list[str] | None,
        files_container: str | None,
        stored: Wire | None,
    ) -> tuple[Template, Wire]:
        """Return the validated template of an update, and options of its run for a part of the
        stack. Raises the first error in it.

        With ``existing`` (PATCH) it is merged into the present one. ``stored`` is the revision that
        has it.
        """
        if stored is not None:
            parsed = self._runtime.templates.get(stored['raw_template_id'])
        else:
            parsed = self._merged(
                stack, template, params, files, args, environment_files, files_container
            )
        changed = self._as_updated(stack, parsed, args)
        part, options = partial_update.part_of(stack, changed, args)
        if 'kept' in options:
            unused = plans.with_options(self._reread(stack), {})
            options[api.NOT_APPLIED] = preview.not_applied(unused, parsed, options['kept'])
            changed = self._as_updated(stack, part, args)
        validation.immutable_parameters(stack, changed)
        validation.stack(changed, stack)
        changed.drop_resources()
        return part, options

    def _merged(
        self,
        stack: Stack,
        template: Wire,
        params: Wire | None,
        files: Wire | None,
        args: Wire,
        environment_files: list[str] | None,
        files_container: str | None,
    ) -> Template:
        """Return the template of an update, with the stored parts that the request leaves out."""
        present = stack.template if args.get('existing') else None
        parsed = self._template(
            stack.context,
            present.data if present and template is None else template,
            params,
            files,
            environment_files,
            files_container,
            present,
            args.get('clear_parameters') or (),
        )
        text, stored = args.get(api.TEMPLATE_TEXT), stack.template
        if text is None and stored.text and json.dumps(parsed.data) == json.dumps(stored.data):
            text = stored.text
        return masking.unmasked(parsed, stack.template).with_text(text)

    @on_working_engine
    def delete_stack(
        self,
        context: RequestContext,
        stack_identity: Wire,
        force: bool = False,
        if_match: list[str] | None = None,
    ) -> None:
        """Begin to delete the stack.

        With ``force``, objects that cannot be deleted are forgotten. A broker delivers a request
        again if it has lost the acknowledgement: the stack may be deleted by then.
        """
        row = self._row(context, stack_identity, show_deleted=True)
        if row.deleted_at is not None:
            if (row.plan or {}).get(REQUEST) == context.request_id:
                return
            raise exception.no_stack(row.name)
        stack = self._load(context, row)
        validation.unchanged(stack, if_match)
        if stack.owner_id is None and stack.template.may_prevent_destroy:
            preview.refuse_delete(self._load(context, row))
        actions.delete(stack, force)

    def stack_retry(self, context: RequestContext, stack_identity: Wire) -> None:
        """Retry a failed action from where it stopped."""
        actions.retry(self._stack(context, stack_identity))

    def stack_protect(self, context: RequestContext, stack_identity: Wire, protected: bool) -> None:
        """Protect the stack from deletion, or end that.

        It takes effect at once, even during an action.
        """
        actions.protect(self._stack(context, stack_identity), protected)

    def stack_suspend(self, context: RequestContext, stack_identity: Wire) -> None:
        actions.suspend(self._stack(context, stack_identity))

    def stack_resume(self, context: RequestContext, stack_identity: Wire) -> None:
        actions.resume(self._stack(context, stack_identity))

    def stack_check(self, context: RequestContext, stack_identity: Wire) -> None:
        actions.check(self._stack(context, stack_identity))

    @on_working_engine
    def stack_cancel_update(
        self, context: RequestContext, stack_identity: Wire, cancel_with_rollback: bool = True
    ) -> None:
        """Cancel the update in progress; with ``cancel_with_rollback``, roll back to the
        previous template.
        """
        stack = self._stack(context, stack_identity)
        validation.cancellable(stack, cancel_with_rollback)
        actions.cancel(stack, cancel_with_rollback)

    # ------------------------------------------------------------ helpers

    def _as_updated(self, stack: Stack, template: Template, args: Wire) -> Stack:
        """Return the stack with the new template, for validation only. Nothing is stored."""
        validation.tags(self._runtime, args.get('tags'))
        validation.resource_count(self._runtime, template)
        return stack.with_template(template)


def _stored_update(stack: Stack, revision: int | None, plan: str | None) -> Wire | None:
    """Return the revision or the plan that an update takes; None without one."""
    if plan is not None:
        return plan_facts.find(stack.context, stack, plan)
    return None if revision is None else revisions.find(stack, revision)


def _forbids_replacement(args: Wire) -> bool:
    return args.get(api.ON_REPLACE) == api.FAIL


def _update_values(stack: Stack, args: Wire, stored: Wire | None = None) -> Wire:
    """Return the changed fields of the stack. ``stored``: the revision with all other options."""
    values = {name: args[name] for name in FIELDS if name in args}
    if not values.get('timeout_mins'):
        values.pop('timeout_mins', None)  # no timeout, or 0, keeps the present one
    if args.get('tags') is not None or not (args.get('existing') or stored):
        values['tags'] = args.get('tags') or []
    return {**stored['options'], **values} if stored else values
