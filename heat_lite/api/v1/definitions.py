"""Requests that bring a template: to make a stack, to change one, or only to look at it."""

import dataclasses

from webob import exc

from heat_lite.api import wsgi
from heat_lite.api.v1 import params, places, views
from heat_lite.api.v1.stack_data import StackData
from heat_lite.common.identifier import HeatIdentifier
from heat_lite.rpc import api

IGNORABLE_ERRORS = ('99001',)


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a body may ask of us: bytes of a template, seconds for one that is read from a URL."""

    template_size: int
    fetch_timeout: float


class DefinitionController:
    """Its rules are among those of stacks. ``policy`` is asked where the rule depends on the body."""

    scope = 'stacks'

    def __init__(self, client, policy, limits):
        self.client = client
        self.policy = policy
        self.limits = limits

    def create(self, request, tenant_id, body):
        data = StackData(body, self.limits)
        new = self._new(data)
        with places.told(data):
            identity = HeatIdentifier.from_dict(self.client.create_stack(request.context, **new))
        link = request.link(identity, 'self')
        response = wsgi.json_response({'stack': {'id': identity.stack_id, 'links': [link]}}, status=201)
        response.headers['Location'] = link['href']
        return response

    def preview(self, request, tenant_id, body):
        data = StackData(body, self.limits)
        new = self._new(data)
        with places.told(data):
            row = self.client.preview_stack(request.context, **new)
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
        return self._update(request, data, self._changed(data, where))

    def update_patch(self, request, body, **where):
        """Change what the body says and leave all else."""
        data = StackData(body, self.limits)
        self.policy.enforce(request.context, 'stacks:update_no_change' if data.brings_nothing() else 'stacks:update_patch')
        return self._update(request, data, self._changed(data, where, existing=True))

    def _update(self, request, data, changed):
        with places.told(data):
            self.client.update_stack(request.context, **changed)
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
        with places.told(data):
            return views.changes(self.client.preview_update_stack(request.context, **changed))

    def _changed(self, data, where, existing=False):
        args = data.args(is_update=True)
        if existing:
            args[api.PARAM_EXISTING] = True
        template = data.template(needed=not existing)
        return {'stack_identity': params.identity_of(**where), 'args': args, 'template': template, **self._files(data)}

    def validate_template(self, request, tenant_id, body):
        data = StackData(body, self.limits)
        show_nested = params.flag_if_any(api.PARAM_SHOW_NESTED, request.query.get(api.PARAM_SHOW_NESTED))
        ignorable = self._ignorable(request.query)
        asked = {'template': data.template(), **self._files(data), 'show_nested': show_nested, 'ignorable_errors': ignorable}
        with places.told(data):
            result = self.client.validate_template(request.context, **asked)
        if 'Error' in result:
            raise wsgi.BadRequest(result['Error'], position=places.of(result.get('Path'), result['Error'], data))
        return result

    def _ignorable(self, query):
        if not query.get(api.PARAM_IGNORE_ERRORS):
            return []
        codes = query[api.PARAM_IGNORE_ERRORS].split(',')
        unknown = [code for code in codes if code not in IGNORABLE_ERRORS]
        if unknown:
            raise exc.HTTPBadRequest(f'Invalid codes in ignore_errors : {unknown}')
        return codes
