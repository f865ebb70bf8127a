"""Stacks: /stacks and what belongs to one stack as a whole."""

import dataclasses

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params, views
from heat_lite.api.v1.stack_data import StackData
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.rpc import api

IGNORABLE_ERRORS = ('99001',)


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a body may ask of us: bytes of a template, seconds for one that is read from a URL."""

    template_size: int
    fetch_timeout: float


class StackController:
    """``policy`` is asked where the rule depends on more than the route."""

    scope = 'stacks'

    def __init__(self, client, policy, limits):
        self.client = client
        self.policy = policy
        self.limits = limits

    # ----------------------------------------------------------- lists

    def index(self, request, tenant_id):
        """The stacks of the project, or of all projects with ``global_tenant``."""
        of_all = params.read_flag(request.query, api.PARAM_GLOBAL_TENANT)
        self.policy.enforce(request.context, 'stacks:global_index' if of_all else 'stacks:index')
        return self._list(request, of_all)

    def detail(self, request, tenant_id):
        return self._list(request, of_all=False)

    def _list(self, request, of_all):
        query = request.query
        with_count = params.read_flag(query, 'with_count')
        scope = {**params.read(params.STACK_SCOPE, query), **params.read(params.STACK_TAGS, query)}
        scope['filters'] = params.read(params.STACK_FILTERS, query) or None
        if of_all:
            scope['tenant_safe'] = False
        page = params.read(params.STACK_PAGE, query)
        rows = self.client.list_stacks(request.context, **page, **scope)
        stacks = [views.listed_stack(request, row, of_all or request.context.is_admin) for row in rows]
        count = self.client.count_stacks(request.context, **scope) if with_count else None
        return self._collection(request, stacks, page.get('limit'), count)

    def _collection(self, request, stacks, limit, count):
        answer = {'stacks': stacks}
        links = views.next_page(request, stacks, limit)
        if links:
            answer['links'] = links
        if count is not None:
            answer['count'] = count
        return answer

    # ----------------------------------------------------------- one stack by its name

    def lookup(self, request, tenant_id, stack_name, body=None, path=''):
        """To where the stack really is: its URL has the id."""
        if stack_name.startswith('arn:'):
            identity = _from_arn(stack_name)
        else:
            identity = HeatIdentifier.from_dict(self.client.identify_stack(request.context, stack_name=stack_name))
        location = request.url_of(identity) + (f'/{path}' if path else '')
        query = views.encoded(request.query)
        return exc.HTTPFound(location=f'{location}?{query}' if query else location)

    def lookup_resources(self, request, **where):
        return self.lookup(request, **where, path='resources')

    def lookup_events(self, request, **where):
        return self.lookup(request, **where, path='events')

    def lookup_template(self, request, **where):
        return self.lookup(request, **where, path='template')

    def lookup_actions(self, request, **where):
        return self.lookup(request, **where, path='actions')

    def lookup_environment(self, request, **where):
        return self.lookup(request, **where, path='environment')

    def lookup_files(self, request, **where):
        return self.lookup(request, **where, path='files')

    # ----------------------------------------------------------- one stack

    def show(self, request, **where):
        resolve = params.read_flag(request.query, api.PARAM_RESOLVE_OUTPUTS, default=True)
        found = self.client.show_stack(request.context, stack_identity=params.identity_of(**where), resolve_outputs=resolve)
        if not found:
            raise exc.HTTPNotFound('No stack found.')
        row = found[0] if isinstance(found, list) else found
        return {'stack': views.shown_stack(request, row)}

    def template(self, request, **where):
        return self.client.get_template(request.context, stack_identity=params.identity_of(**where))

    def environment(self, request, **where):
        return self.client.get_environment(request.context, stack_identity=params.identity_of(**where))

    def files(self, request, **where):
        return self.client.get_files(request.context, stack_identity=params.identity_of(**where))

    def export(self, request, **where):
        return self.client.export_stack(request.context, stack_identity=params.identity_of(**where))

    def abandon(self, request, **where):
        return self.client.abandon_stack(request.context, stack_identity=params.identity_of(**where))

    def list_outputs(self, request, **where):
        outputs = self.client.list_outputs(request.context, stack_identity=params.identity_of(**where))
        return {'outputs': [views.pick(output, views.OUTPUT) for output in outputs]}

    def show_output(self, request, output_key, **where):
        output = self.client.show_output(request.context, stack_identity=params.identity_of(**where), output_key=output_key)
        return {'output': views.pick(output, views.OUTPUT)}

    def delete(self, request, **where):
        self.client.delete_stack(request.context, stack_identity=params.identity_of(**where), cast=False)
        return wsgi.no_content()

    # ----------------------------------------------------------- with a template

    def create(self, request, tenant_id, body):
        data = StackData(body, self.limits)
        identity = HeatIdentifier.from_dict(self.client.create_stack(request.context, **self._new(data)))
        link = request.link(identity, 'self')
        response = wsgi.json_response({'stack': {'id': identity.stack_id, 'links': [link]}}, status=201)
        response.headers['Location'] = link['href']
        return response

    def preview(self, request, tenant_id, body):
        data = StackData(body, self.limits)
        row = self.client.preview_stack(request.context, **self._new(data))
        return {'stack': views.previewed_stack(request, row)}

    def _new(self, data):
        args = data.args()
        return {'stack_name': data.stack_name(), 'args': args, 'template': data.template(), **self._files(data)}

    def _files(self, data):
        return {
            'params': data.environment(),
            'files': data.files(),
            'environment_files': data.environment_files(),
            'files_container': data.files_container(),
        }

    def update(self, request, body, **where):
        """Make the stack what the body says, and nothing that the body does not say."""
        data = StackData(body, self.limits)
        self.client.update_stack(request.context, **self._changed(data, where))
        return exc.HTTPAccepted()

    def update_patch(self, request, body, **where):
        """Change what the body says and leave all else."""
        data = StackData(body, self.limits)
        self.policy.enforce(request.context, 'stacks:update_no_change' if data.brings_nothing() else 'stacks:update_patch')
        self.client.update_stack(request.context, **self._changed(data, where, existing=True))
        return exc.HTTPAccepted()

    def preview_update(self, request, body, **where):
        return self._preview(request, body, where)

    def preview_update_patch(self, request, body, **where):
        return self._preview(request, body, where, existing=True)

    def _preview(self, request, body, where, existing=False):
        data = StackData(body, self.limits)
        changed = self._changed(data, where, existing)
        if api.PARAM_SHOW_NESTED in request.query:
            changed['args'][api.PARAM_SHOW_NESTED] = params.read_flag(request.query, api.PARAM_SHOW_NESTED)
        return {'resource_changes': self.client.preview_update_stack(request.context, **changed)}

    def _changed(self, data, where, existing=False):
        args = data.args(is_update=True)
        if existing:
            args[api.PARAM_EXISTING] = True
        template = data.template(needed=not existing)
        return {'stack_identity': params.identity_of(**where), 'args': args, 'template': template, **self._files(data)}

    def validate_template(self, request, tenant_id, body):
        data = StackData(body, self.limits)
        show_nested = params.read_flag(request.query, api.PARAM_SHOW_NESTED)
        ignorable = self._ignorable(request.query)
        result = self.client.validate_template(
            request.context, template=data.template(), **self._files(data), show_nested=show_nested, ignorable_errors=ignorable
        )
        if 'Error' in result:
            raise exc.HTTPBadRequest(result['Error'])
        return result

    def _ignorable(self, query):
        if api.PARAM_IGNORE_ERRORS not in query:
            return []
        codes = query[api.PARAM_IGNORE_ERRORS].split(',')
        unknown = [code for code in codes if code not in IGNORABLE_ERRORS]
        if unknown:
            raise exc.HTTPBadRequest(f'Invalid codes in ignore_errors : {unknown}')
        return codes


def _from_arn(text):
    try:
        return HeatIdentifier.from_arn(text)
    except ValueError as error:
        raise exc.HTTPBadRequest(str(error)) from None
