"""Stacks: list, show, create, preview, update, delete, and the validation of templates."""

import dataclasses
import re

import webob
from webob import exc
from webob.multidict import MultiDict

from heat_lite.api import wsgi
from heat_lite.api.v1 import error_positions, params, views
from heat_lite.api.v1.stack_request import RequestLimits, StackRequest
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.common.value_types import Value, Values
from heat_lite.operations import stacks as operations
from heat_lite.operations.operation import OPTIONAL_FLAG
from heat_lite.policies.enforcer import Enforcer
from heat_lite.rpc import api
from heat_lite.rpc.client import EngineClient

IGNORABLE_ERRORS = ('99001',)
#: an element of If-Match
TAG = re.compile(r'(W/)?"([^"]*)"')


@dataclasses.dataclass
class StackController:
    """Actions on stacks.

    ``policy`` is enforced here where the rule depends on the query or the body. The parameters
    ``identity``: that of the stack in the path (see ``wsgi.Application``).
    """

    client: EngineClient
    policy: Enforcer
    limits: RequestLimits

    def index(self, request: wsgi.Request, tenant_id: str) -> Values:
        """List the stacks of the project, or of all projects with ``global_tenant``."""
        all_projects = params.read_flag(request.query, api.PARAM_GLOBAL_TENANT)
        rule = 'stacks:global_index' if all_projects else 'stacks:index'
        self.policy.enforce(request.context, rule)
        return self._list(request, all_projects)

    def detail(self, request: wsgi.Request, tenant_id: str) -> Values:
        """List the stacks of the project; Heat's detailed list has the same keys."""
        return self._list(request, all_projects=False)

    def _list(self, request: wsgi.Request, all_projects: bool) -> Values:
        query = request.query
        with_count = params.read({'with_count': OPTIONAL_FLAG}, query).get('with_count')
        scope = params.read(operations.SCOPE, query)
        scope['filters'] = params.read(operations.FILTERS, query) or None
        if all_projects:
            scope['tenant_safe'] = False
        page = params.read(operations.PAGE, query)
        rows = self.client.list_stacks(request.context, **page, **scope)
        with_project = all_projects or bool(request.context.is_admin)
        body = {'stacks': [views.listed_stack(request, row, with_project) for row in rows]}
        links = views.next_page(request, body['stacks'], page.get('limit'))
        if links:
            body['links'] = links
        if with_count:
            body['count'] = self.client.count_stacks(request.context, **scope)
        return body

    def show(self, request: wsgi.Request, identity: Values) -> Values:
        resolve = params.read_flag(request.query, api.PARAM_RESOLVE_OUTPUTS, default=True)
        found = self.client.show_stack(
            request.context, stack_identity=identity, resolve_outputs=resolve
        )
        if not found:
            raise exc.HTTPNotFound('No stack found.')
        request.version = f'{found[0].get("digest", "")}-'
        return {'stack': views.shown_stack(request, found[0])}

    def create(self, request: wsgi.Request, tenant_id: str, body: Value) -> webob.Response:
        stack_request = StackRequest(body, self.limits)
        args = stack_request.create_args()
        with error_positions.locate_errors(stack_request):
            created = self.client.create_stack(request.context, **args)
        identity = HeatIdentifier.from_dict(created)
        url = request.url_of(identity)
        shown = {'id': identity.stack_id, 'links': [{'href': url, 'rel': 'self'}]}
        response = wsgi.json_response({'stack': shown}, status=201)
        response.headers['Location'] = url
        return response

    def preview(self, request: wsgi.Request, tenant_id: str, body: Value) -> Values:
        """Return the stack that ``create`` would create."""
        stack_request = StackRequest(body, self.limits)
        args = stack_request.create_args()
        planning = params.read(operations.PLANNING, request.query)
        if planning.pop(api.LIVE, False):
            raise exc.HTTPBadRequest('live is for the preview of an update: see observe.')
        if planning.get(api.STORE) or api.PLAN in args:
            self.policy.enforce(request.context, 'stacks:create')
        with error_positions.locate_errors(stack_request):
            row = self.client.preview_stack(request.context, **args, **planning)
        return {'stack': views.previewed_stack(request, row)}

    def refactor(self, request: wsgi.Request, tenant_id: str, body: Value) -> Values:
        """Move resources; return the new templates of all stacks that have changed."""
        given = body.get('stacks') or {} if isinstance(body, dict) else None
        moves = body.get('moves') if isinstance(body, dict) else None
        if not isinstance(given, dict) or not isinstance(moves, list):
            raise exc.HTTPBadRequest('"moves" must be a list, and "stacks" a map')
        if not all(isinstance(each, dict) for each in given.values()):
            raise exc.HTTPBadRequest('"stacks" must have a map for each stack')
        requests = {name: StackRequest(each, self.limits) for name, each in given.items()}
        return self.client.refactor_stacks(
            request.context,
            stacks={name: each.refactor_args(name) for name, each in requests.items()},
            moves=moves,
            dry_run=params.flag('dry_run', body.get('dry_run', False)),
        )

    def update(self, request: wsgi.Request, body: Value, identity: Values) -> webob.Response:
        """Update the stack to the body; what the body omits is removed from the stack."""
        return self._update(request, StackRequest(body, self.limits), identity, existing=False)

    def update_patch(self, request: wsgi.Request, body: Value, identity: Values) -> webob.Response:
        """Update the stack; what the body omits stays as it is."""
        stack_request = StackRequest(body, self.limits)
        stored = body.get(api.REVISION), body.get(api.PLAN)
        is_content = stack_request.has_content() or stored != (None, None)
        rule = 'stacks:update_patch' if is_content else 'stacks:update_no_change'
        self.policy.enforce(request.context, rule)
        return self._update(request, stack_request, identity, existing=True)

    def _update(
        self,
        request: wsgi.Request,
        stack_request: StackRequest,
        identity: Values,
        existing: bool,
    ) -> webob.Response:
        args = stack_request.update_args(existing)
        args['args'].update(_condition(request))
        with error_positions.locate_errors(stack_request):
            updated = self.client.update_stack(request.context, stack_identity=identity, **args)
        response = exc.HTTPAccepted()
        response.etag = updated and updated.get('digest')
        return response

    def preview_update(self, request: wsgi.Request, body: Value, identity: Values) -> Values:
        """Return the changes that ``update`` would make."""
        return self._preview_update(request, body, identity, existing=False)

    def preview_update_patch(self, request: wsgi.Request, body: Value, identity: Values) -> Values:
        """Return the changes that ``update_patch`` would make."""
        return self._preview_update(request, body, identity, existing=True)

    def _preview_update(
        self, request: wsgi.Request, body: Value, identity: Values, existing: bool
    ) -> Values:
        stack_request = StackRequest(body, self.limits)
        args = stack_request.update_args(existing)
        if api.PARAM_SHOW_NESTED in request.query:
            args['args'][api.PARAM_SHOW_NESTED] = params.read_flag(
                request.query, api.PARAM_SHOW_NESTED
            )
        with error_positions.locate_errors(stack_request):
            found = self.client.preview_update_stack(
                request.context,
                stack_identity=identity,
                **args,
                **params.read(operations.PLANNING, request.query),
            )
        return views.changes(found)

    def delete(self, request: wsgi.Request, identity: Values) -> webob.Response:
        more = _condition(request)
        if params.read_flag(request.query, api.FORCE):
            self.policy.enforce(request.context, 'stacks:force_delete')
            more[api.FORCE] = True
        self.client.delete_stack(request.context, stack_identity=identity, **more)
        return wsgi.no_content()

    def validate_template(self, request: wsgi.Request, tenant_id: str, body: Value) -> Values:
        stack_request = StackRequest(body, self.limits)
        show_nested = params.optional_flag(
            api.PARAM_SHOW_NESTED, request.query.get(api.PARAM_SHOW_NESTED)
        )
        args = {
            'ignorable_errors': _ignorable_errors(request.query),
            'template': stack_request.template(),
            **stack_request.content_args(),
            'show_nested': show_nested,
        }
        with error_positions.locate_errors(stack_request):
            result = self.client.validate_template(request.context, **args)
        if 'Error' in result:
            position = error_positions.position_of(
                result.get('Path', ()), result.get('Subject'), stack_request
            )
            raise wsgi.BadRequest(result['Error'], position=position)
        return result


def _ignorable_errors(query: MultiDict) -> list[str]:
    if not query.get(api.PARAM_IGNORE_ERRORS):
        return []
    codes = query[api.PARAM_IGNORE_ERRORS].split(',')
    unknown = [code for code in codes if code not in IGNORABLE_ERRORS]
    if unknown:
        raise exc.HTTPBadRequest(f'Invalid codes in ignore_errors : {unknown}')
    return codes


def _condition(request: wsgi.Request) -> Values:
    """Return the argument with the digests of If-Match, or with *; none without the header.

    A weak ETag never fits (RFC 9110, section 13.1.1).
    """
    text = request.headers.get('If-Match')
    if text is None:
        return {}
    if text.strip() == '*':
        return {api.IF_MATCH: ['*']}
    tags = TAG.findall(text)
    if not tags or TAG.sub('', text).strip(' ,'):
        raise exc.HTTPBadRequest(
            f'The header If-Match is not a list of ETags in double quotes, nor *: {text[:100]}'
        )
    return {api.IF_MATCH: [tag.partition('-')[0] for weak, tag in tags if not weak]}
