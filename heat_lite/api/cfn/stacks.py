"""Actions on stacks: create, update, cancel, delete, describe, list."""

import dataclasses
from collections.abc import Sequence

from heat_lite.api.aws import faults, query
from heat_lite.api.cfn import arguments as given, elements, page_tokens, stack_identities
from heat_lite.api.v1.stack_request import RequestLimits
from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value, Values, without_none
from heat_lite.rpc import api
from heat_lite.rpc.client import EngineClient

#: what the engine shows of a hidden parameter
HIDDEN = '******'


@dataclasses.dataclass
class StackActions:
    client: EngineClient
    limits: RequestLimits

    # ------------------------------------------------------------ changes

    def create(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Create a stack. A repetition, with the same ClientRequestToken, returns the same id."""
        parameters, kept = given.parameters_of(arguments)
        if kept:
            raise faults.fault(
                'InvalidParameterValue', 'UsePreviousValue: a new stack has no previous values'
            )
        token, tags = given.token_tag(arguments), given.tags_of(arguments) or []
        request = self._request(
            {
                'stack_name': arguments['StackName'],
                **given.template_of(arguments),
                **given.options_of(arguments),
                'parameters': parameters,
                'environment': _environment(given.sinks_of(context, arguments)),
            }
        )
        args = request.create_args()
        args['args'][api.PARAM_TAGS] = [*tags, token] if token else tags
        try:
            identity = self.client.create_stack(context, **args)
        except exception.StackExists:
            identity = token and self._made_by(context, args['stack_name'], token)
            if not identity:
                raise
        return {'StackId': elements.arn_of(identity)}

    def _made_by(self, context: RequestContext, name: str, token: str) -> Values | None:
        """Return the identity of the stack of this name, if its last request had the token."""
        identity = stack_identities.find(self.client, context, name)
        return identity if token in (self._brief(context, identity)['tags'] or ()) else None

    def _brief(self, context: RequestContext, identity: Values) -> Values:
        """Return a stack without its outputs."""
        found: list[Values] = self.client.show_stack(
            context, stack_identity=identity, resolve_outputs=False
        )
        return found[0]

    def update(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Update a stack. Tags and topics that the request does not have stay as they are."""
        with_previous = given.flag(arguments, 'UsePreviousTemplate')
        template = given.template_of(arguments, required=not with_previous)
        if with_previous and template:
            raise faults.fault(
                'InvalidParameterCombination', f'UsePreviousTemplate and {next(iter(template))}'
            )
        parameters, kept = given.parameters_of(arguments)
        body = {**template, **given.options_of(arguments), 'parameters': parameters}
        token, tags = given.token_tag(arguments), given.tags_of(arguments)
        topics = given.sinks_of(context, arguments)
        identity = stack_identities.find(self.client, context, arguments['StackName'])
        stack = self._brief(context, identity)
        if token and token in (stack['tags'] or ()):
            return {'StackId': elements.arn_of(identity)}
        existing = with_previous or bool(kept)
        body['environment'] = _environment(_sinks(stack, topics, existing))
        if existing:
            stored = self.client.get_environment(context, stack_identity=identity)
            known = stored.get('parameters', {}).keys()
            body[api.PARAM_CLEAR_PARAMETERS] = sorted(known - parameters.keys() - kept)
            body['parameters'] = {**parameters, **_defaults(stack, kept - known)}
        args = self._request(body).update_args(existing)
        tags = elements.own_tags(stack) if tags is None else tags
        args['args'][api.PARAM_TAGS] = [*tags, token] if token else tags
        self.client.update_stack(context, stack_identity=identity, **args)
        return {'StackId': elements.arn_of(identity)}

    def cancel(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Cancel the update in progress, and roll back."""
        identity = stack_identities.find(self.client, context, arguments['StackName'])
        self.client.stack_cancel_update(context, stack_identity=identity, cancel_with_rollback=True)
        return {}

    def delete(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Delete a stack. A token has no effect: a repeated delete does the same."""
        given.token_tag(arguments)
        identity = stack_identities.find(self.client, context, arguments['StackName'])
        self.client.delete_stack(context, stack_identity=identity)
        return {}

    # ------------------------------------------------------------ views

    def describe(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Return one stack, or those of the project in pages."""
        name = arguments.get('StackName')
        if name is not None:
            identity = stack_identities.find(self.client, context, name)
            return {'Stacks': [self._described(context, identity)]}
        rows, more = self._page(context, 'stacks', arguments)
        found = []
        for row in rows:
            try:
                found.append(self._described(context, row['stack_identity']))
            except exception.EntityNotFound:
                continue  # purged since
        return {'Stacks': found, **more}

    def _described(self, context: RequestContext, identity: Values) -> Values:
        return elements.stack(self.client.show_stack(context, stack_identity=identity)[0])

    def list_summaries(self, context: RequestContext, arguments: query.Arguments) -> Values:
        """Return the stacks in pages. Deleted ones are listed if StackStatusFilter names them."""
        wanted = query.values(arguments, 'StackStatusFilter')
        states = [state.partition('_') for state in wanted]
        scope: Values = {}
        if wanted:
            scope['filters'] = {
                'action': [action for action, _, _ in states],
                'status': [status for _, _, status in states],
            }
            scope['show_deleted'] = 'DELETE_COMPLETE' in wanted
        rows, more = self._page(context, 'summaries', arguments, **scope)
        found = [elements.stack_summary(row) for row in rows]
        return {
            'StackSummaries': [
                each for each in found if not wanted or each['StackStatus'] in wanted
            ],
            **more,
        }

    def _page(
        self, context: RequestContext, action: str, arguments: query.Arguments, **scope: Value
    ) -> tuple[Sequence[Values], dict[str, str]]:
        last = page_tokens.read(action, arguments)
        if last:
            try:
                self.client.identify_stack(context, stack_name=last)
            except exception.EntityNotFound:
                raise page_tokens.expired() from None
        rows = self.client.list_stacks(context, limit=page_tokens.PAGE + 1, marker=last, **scope)
        return page_tokens.cut(action, rows, lambda row: row['stack_identity']['stack_id'])

    def _request(self, body: Values) -> given.TemplateRequest:
        return given.TemplateRequest(without_none(body), self.limits)


def _sinks(
    stack: Values, topics: list[dict[str, str]] | None, existing: bool
) -> list[dict[str, str]] | None:
    """Return the event sinks of an update; None leaves those of the present environment."""
    if existing and topics == []:
        raise faults.fault(
            'InvalidParameterCombination',
            'NotificationARNs can be emptied with a new template and without UsePreviousValue only',
        )
    if existing or topics is not None:
        return topics
    queues = stack.get('event_queues') or ()
    return [{'type': 'zaqar-queue', 'target': queue} for queue in queues]


def _defaults(stack: Values, names: set[str]) -> dict[str, str]:
    """Return the values of parameters that the template of the stack has set by their defaults.

    Raises Fault for a parameter that the stack does not have, or whose value is hidden.
    """
    values = {name: stack['parameters'].get(name, HIDDEN) for name in names}
    refused = sorted(name for name, value in values.items() if value == HIDDEN)
    if refused:
        raise faults.fault(
            'InvalidParameterValue',
            f'UsePreviousValue: no values, or hidden defaults, of {", ".join(refused)}',
        )
    return values


def _environment(sinks: list[dict[str, str]] | None) -> Values | None:
    return {'event_sinks': sinks} if sinks else None
