"""The part of the RPC endpoint for stacks about plans: requests that do what a preview has shown.

Tests: tests/functional/test_plans.py.
"""

from heat_lite.common import exception, status
from heat_lite.common.context import RequestContext
from heat_lite.engine.endpoints import drift
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.execution import plan_facts, preview
from heat_lite.engine.stack.action_run import ActionRun
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.validation import validation
from heat_lite.rpc import api
from heat_lite.template.template import Template


class Plans(Endpoint):
    def _preview_plan(self, stack: Stack, plan: Wire) -> Wire:
        """Return what the plan would do now, and why it is refused if it is outdated."""
        answer, facts = self._foreseen(stack, plan)
        return self._with_refusal(stack, plan, facts, answer)

    @staticmethod
    def _with_refusal(stack: Stack, plan: Wire, facts: list[Wire], answer: Wire) -> Wire:
        refused = answer.get('refused')
        try:
            plan_facts.require_approval(stack, plan)
            plan_facts.require(stack, plan['facts'], facts)
        except (exception.ApprovalRequired, exception.PlanOutdated) as error:
            refused = refused or str(error)
        return {**answer, 'refused': refused, api.PLAN: plan_facts.shown(plan)}

    def _agreed_args(self, stack: Stack, plan: Wire | None) -> Wire:
        """Return what the plan of an update, if there is one, gives for the request.

        Raises PlanOutdated unless the update would do what the plan says, and ApprovalRequired.
        """
        plan_facts.require_approval(stack, plan)
        if plan is None:
            return {}
        _, facts = self._foreseen(stack, plan)
        plan_facts.require(stack, plan['facts'], facts)
        validation.at_rest(stack)
        return plan['args']

    def _foreseen(self, stack: Stack, update: Wire) -> tuple[Wire, list[Wire]]:
        """Return the preview of a planned update, and the facts that it stands on."""
        stack = with_options(self._reread(stack), update.get('run') or {})
        stored = plan_facts.stored(stack)
        template = self._runtime.templates.get(update['raw_template_id'])
        answer = self._preview(stack, template, update['options'], update['args'])
        return answer, [stored, plan_facts.predicted(stack, answer)]

    def _preview(self, stack: Stack, template: Template, values: Wire, args: Wire) -> Wire:
        depth, live = stack.limits.max_nested_stack_depth, {}
        if args[api.LIVE]:
            levels = self._levels(stack.context, stack, depth)
            live = {api.LIVE: drift.compare(levels, depth)}
        answer = preview.preview_update(
            stack,
            template,
            values,
            with_nested=args.get(api.PARAM_SHOW_NESTED, False),
            converge=args.get(api.PARAM_CONVERGE, False) or stack.limits.observe_on_update,
            not_applied=stack.run.not_applied,
        )
        return {**answer, **live}

    def _agreed_create(
        self, context: RequestContext, plan: Wire, with_values: bool = False
    ) -> tuple[Stack, Wire, list[Wire]]:
        """Return the same as ``_foreseen_create``. Raises PlanOutdated for what that refuses."""
        template = self._runtime.templates.get(plan['raw_template_id'])
        name, args = plan['stack_name'], plan['args']
        try:
            return self._foreseen_create(context, name, template, args, with_values)
        except (
            exception.RequestLimitExceeded,
            exception.StackExists,
            exception.StackValidationFailed,
        ) as error:
            changed = str(error).rstrip('.')
            raise exception.PlanOutdated(stack_name=name, changed=changed) from error

    def _foreseen_create(
        self,
        context: RequestContext,
        name: str,
        template: Template,
        args: Wire,
        with_values: bool = True,
    ) -> tuple[Stack, Wire, list[Wire]]:
        """Return a validated stack, the preview of its create, and the facts that it stands on."""
        validation.new_stack(context, self._runtime, name, template)
        stack = self._new_stack(context, name, template, args)
        validation.stack(stack)
        answer = preview.preview_create(stack, bool(args.get(api.PARAM_OBSERVE)), with_values)
        return stack, answer, [plan_facts.of_create(stack, answer)]

    def _preview_create_plan(self, context: RequestContext, plan: Wire) -> Wire:
        """Return what the plan would create now, and why it is refused if it is outdated."""
        stack, answer, facts = self._agreed_create(context, plan)
        return self._with_refusal(stack, plan, facts, answer)

    def _new_stack(
        self, context: RequestContext, name: str, template: Template, args: Wire
    ) -> Stack:
        validation.stack_name(name)
        validation.tags(self._runtime, args.get('tags'))
        return Stack(
            self._runtime,
            context,
            template,
            tags=args.get('tags') or (),
            timeout_mins=args.get('timeout_mins') or None,
            name=name,
            tenant=context.tenant_id,
            username=context.username,
            disable_rollback=args.get('disable_rollback', True),
            protected=args.get(api.PROTECTED, False),
            action=status.CREATE,
            status=status.IN_PROGRESS,
            status_reason='Stack CREATE started',
            created_at=Stack.utcnow(),
            plan=ActionRun(stack_depth=context.stack_depth).as_column(),
            convergence=self._runtime.limits.convergence_engine,
        )

    def list_plans(self, context: RequestContext, stack_identity: Wire | None = None) -> list[Wire]:
        """Return the plans of a stack, without one those of creates, that have not expired, the
        newest first.
        """
        return plan_facts.list_all(context, self._stack_if_given(context, stack_identity))

    def approve_plan(
        self, context: RequestContext, plan_id: str, stack_identity: Wire | None = None
    ) -> Wire:
        """Approve the plan of another user. Return it."""
        stack = self._stack_if_given(context, stack_identity)
        return plan_facts.shown(plan_facts.approve(context, stack, plan_id))

    def _stack_if_given(self, context: RequestContext, identity: Wire | None) -> Stack | None:
        return None if identity is None else self._stack(context, identity)


def revision_message(plan: Wire, given: str | None) -> str:
    """Return the message of a revision: who made and approved its plan, and what the user gave."""
    approval = f', approved by {plan["approver"]}' if plan['approver'] else ''
    text = f'plan {plan["id"]} of {plan["username"]}{approval}'
    return f'{text}: {given}' if given else text


def with_options(stack: Stack, options: Wire) -> Stack:
    """Return the stack, with these options for the prediction of a run."""
    kept = frozenset(options.get('kept', ()))  # a stored one is a list
    stack.run = ActionRun(**{**options, 'kept': kept})
    return stack
