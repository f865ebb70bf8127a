"""The facts that a plan stands on: if one has changed, the plan is not applied.

Facts are ``{what: fingerprint}``. The fingerprints are keyed, so they disclose no secret.

Tests: tests/functional/test_plans.py.
"""

from collections.abc import Iterator, Sequence

from heat_lite.common import exception, status
from heat_lite.common.context import RequestContext
from heat_lite.common.value_texts import listed
from heat_lite.common.value_types import Row, Value, Values
from heat_lite.db import revisions as db_revisions, stacks as db_stacks
from heat_lite.engine.execution import preview
from heat_lite.engine.resource import fingerprint
from heat_lite.engine.stack import diff, format, revisions
from heat_lite.engine.stack.stack import Stack
from heat_lite.rpc import api

#: the keys of a resource in a preview that are the decision about it
DECISION = (
    'resource_name',
    'action',
    'forced_by',
    'may_replace',
    'property_changes',
    'definition_changes',
)
#: what the names of facts about resources begin with
RESOURCE = 'resource '
#: the keys of a resource in the preview of a create that are about its live object
LIVE_PARTS = ('live_properties', 'live_owner', 'live_project', 'live_error')


def stored(stack: Stack) -> Values:
    """Return the facts in the database: the definition, and the state of all resources."""
    template = stack.template
    environment = fingerprint.sections(template.environment.data)
    options = stack.update_base
    del options['template_id']
    found: Values = {
        'revision': [row['number'] for row in revisions.list_all(stack)[:1]],
        'template': template.data,
        'parameters': [
            environment.pop('parameters', None),
            environment.pop('parameter_defaults', None),
        ],
        'environment': environment,
        'files': dict(template.files),
        'options': [options, stack.protected],
    }
    for row in db_stacks.list_tree_states(stack.root_id()):
        *state, action, condition = row
        is_made = condition == status.COMPLETE and action != status.INIT
        resource = found.setdefault(f'{RESOURCE}{row.name}', [])
        resource.append([*state, None if is_made else f'{action}_{condition}'])
    return _keyed(stack, found)


def predicted(stack: Stack, answer: Values) -> Values:
    """Return the facts of a preview: what it changes, and the live objects that it has read."""
    live = answer.get(api.LIVE, {'resources': (), 'unchecked': ()})
    objects: list[tuple[Values, Value]]
    objects = [(each, [each['status'], each['properties']]) for each in live['resources']]
    objects += [(each, 'unchecked') for each in live['unchecked']]
    found = {f'live object {each["path"]}': value for each, value in objects}
    for decision in _decisions(answer):
        found.setdefault(f'what becomes of {decision[0]}', []).append(decision)
    return _keyed(stack, found)


def _decisions(answer: Values) -> Iterator[list]:
    """Yield the decisions about the resources that do not stay as they are."""
    for action, kind in preview.LISTS.items():
        for each in answer[kind] if action != diff.NONE else ():
            nested = list(_decisions(each['nested'])) if each.get('nested') else None
            yield [*map(each.get, DECISION), nested]


def of_create(stack: Stack, answer: Values) -> Values:
    """Return the facts of the preview of a create: what becomes of each resource, and the live
    objects that it has read.
    """
    found: Values = {}
    for each in [*_flat(answer['resources']), *answer['nested_resources']]:
        known = [each.get(name) for name in ('resource_type', *DECISION, *LIVE_PARTS)]
        found.setdefault(f'{RESOURCE}{each["resource_name"]}', []).append(known)
    return _keyed(stack, found)


def _flat(resources: list[Value]) -> Iterator[Values]:
    for each in resources:
        if isinstance(each, list):
            yield from _flat(each)
        else:
            yield each


def may_replace(answer: Values) -> bool:
    """Return whether the update of a preview replaces resources, or may do so."""
    return any(
        each['action'] == diff.REPLACE
        or each['may_replace']
        or ('nested' in each and (each['nested'] is None or may_replace(each['nested'])))
        for kind in preview.LISTS.values()
        for each in answer[kind]
    )


def _keyed(stack: Stack, facts: Values) -> Values:
    return {name: fingerprint.keyed(stack.runtime.secret, fact) for name, fact in facts.items()}


def require(stack: Stack, planned: Sequence[Values], present: Sequence[Values]) -> None:
    """Raise PlanOutdated if facts of a plan differ from the ``present`` ones.

    Both are those that are stored and those of the preview; the latter may be left out.
    """
    names = [
        name
        for before, now in zip(planned, present, strict=False)
        for name in {**before, **now}
        if before.get(name) != now.get(name)
    ]
    if 'revision' in names:  # an update writes all resources anew: the names of those say nothing
        names = [each for each in names if not each.startswith(RESOURCE)]
    if names:
        raise exception.PlanOutdated(stack_name=stack.name, changed=listed(names))


def require_approval(stack: Stack, plan: Values | None) -> None:
    """Raise ApprovalRequired if the stack has a tag for which an update or a create needs an
    approved plan.
    """
    tags = set(stack.limits.plan_required_tags).intersection(stack.tags)
    if tags and (plan is None or plan['approved_at'] is None):
        raise exception.ApprovalRequired(stack_name=stack.name, tags=', '.join(sorted(tags)))


# --------------------------------------------------------------- plans


def keep(stack: Stack, draft: Values, facts: Sequence[Values]) -> Values:
    """Store a plan.

    ``draft``: the raw_template_id, the options, the args and the part (``run``) of the update; of a
    stack that is not stored, the raw_template_id and the args of its create.
    """
    run = {name: sorted(each) for name, each in draft.get('run', {}).items()}
    content = {'options': draft.get('options'), 'args': draft['args'], 'run': run, 'facts': facts}
    if stack.id is None:
        content['stack_name'] = stack.name
    row = {
        **owner(stack.context, stack),
        'raw_template_id': draft['raw_template_id'],
        'content': content,
        'user_id': stack.context.user_id,
        'username': stack.context.username,
    }
    return _plan(db_revisions.add_plan(row, stack.limits.plan_lifetime))


def owner(context: RequestContext, stack: Stack | None) -> Values:
    """Return whose plans they are (see ``db.revisions``): those of creates have no stored stack."""
    if stack is None or stack.id is None:
        return {'tenant': context.tenant_id}
    return {'stack_id': stack.id}


def find(context: RequestContext, stack: Stack | None, plan_id: str) -> Values:
    """Return a plan: its columns and what is in its content; without a stack that of a create.

    Raises NotFound.
    """
    row = db_revisions.get_plan(owner(context, stack), plan_id)
    if row is None:
        whose = 'The project' if stack is None else f'Stack {stack.name}'
        raise exception.NotFound(f'{whose} has no plan {plan_id}, or it has expired')
    return _plan(row)


def list_all(context: RequestContext, stack: Stack | None) -> list[Values]:
    """Return the plans of a stack, without one those of creates; the newest first."""
    return [shown(_plan(row)) for row in db_revisions.list_plans(owner(context, stack))]


def _plan(row: Row) -> Values:
    return {**row._mapping, **row.content}


def approve(context: RequestContext, stack: Stack | None, plan_id: str) -> Values:
    """Store that the requester approves a plan; return it. Raises Forbidden for its author."""
    if find(context, stack, plan_id)['user_id'] == context.user_id:
        raise exception.Forbidden(message='A plan is approved by another user than its author.')
    db_revisions.approve_plan(plan_id, context.username)
    return find(context, stack, plan_id)


def shown(plan: Values) -> Values:
    """Return a plan without its content."""
    times = (
        ('creation_time', 'created_at'),
        ('approval_time', 'approved_at'),
        ('expiry_time', 'expires_at'),
    )
    return {
        **{
            name: plan[name]
            for name in ('id', 'username', 'approver', 'stack_name')
            if name in plan
        },
        **{name: format.time(plan[column]) for name, column in times},
    }
