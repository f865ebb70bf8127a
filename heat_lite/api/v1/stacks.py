"""Stacks: their lists, and what is to be known of one."""

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params, views
from heat_lite.rpc import api


class StackController:
    """``policy`` is asked where the rule depends on more than the route."""

    scope = 'stacks'

    def __init__(self, client, policy):
        self.client = client
        self.policy = policy

    def index(self, request, tenant_id):
        """The stacks of the project, or of all projects with ``global_tenant``."""
        of_all = params.read_flag(request.query, api.PARAM_GLOBAL_TENANT)
        self.policy.enforce(request.context, 'stacks:global_index' if of_all else 'stacks:index')
        return self._list(request, of_all)

    def detail(self, request, tenant_id):
        return self._list(request, of_all=False)

    def _list(self, request, of_all):
        query = request.query
        with_count = params.read({'with_count': params.flag_if_any}, query).get('with_count')
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
        force = params.read_flag(request.query, api.FORCE)
        if force:
            self.policy.enforce(request.context, 'stacks:force_delete')
        self.client.delete_stack(request.context, stack_identity=params.identity_of(**where), cast=False, force=force)
        return wsgi.no_content()
