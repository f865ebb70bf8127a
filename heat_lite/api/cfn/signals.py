"""Signals by signed URLs: PUT /v1/waitcondition/{arn}, POST or PUT /v1/signal/{arn}."""

import json
import re
from xml.etree import ElementTree

import webob

from heat_lite.api import configuration, wsgi
from heat_lite.api.cfn import faults
from heat_lite.common import exception, identifier, policy
from heat_lite.rpc.client import EngineClient

PATH = re.compile(r'/v1/(?P<kind>waitcondition|signal)/(?P<arn>arn:.+)')
METHODS = {'waitcondition': ('PUT',), 'signal': ('PUT', 'POST')}
RESOURCE = '/resources/'
RULE = 'resource:signal'


class SignalApplication:
    """Whoever signals a wait condition hears whether it was one; other signals are only handed on."""

    def __init__(self, client, enforcer, largest):
        self.client = client
        self.enforcer = enforcer
        self.largest = largest

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        return self._signal(request, environ[wsgi.CONTEXT])(environ, start_response)

    def _signal(self, request, context):
        found = PATH.fullmatch(request.script_name + request.path_info)
        if not found or request.method not in METHODS[found['kind']]:
            raise faults.Fault(
                404, 'InvalidAction', f'Nothing can be done by {request.method} at {request.path}: there are only signals here'
            )
        self.enforcer.enforce(context, RULE)
        stack, name = _resource(found['arn'], context)
        waits = found['kind'] == 'waitcondition'
        self.client.resource_signal(context, stack_identity=stack, resource_name=name, details=self._details(request), sync_call=waits)
        root = ElementTree.Element('resource')
        root.text = name
        return faults.document(root)

    def _details(self, request):
        if (request.content_length or 0) > self.largest:
            raise exception.RequestLimitExceeded(message=f'A signal has {self.largest} bytes at most.')
        try:
            return json.loads(request.body) if request.body else None
        except ValueError as error:
            raise exception.Invalid(reason=f'the signal is no JSON: {error}') from None


def _resource(arn, context):
    """The stack, as the project of the signer may see it, and the name of the resource."""
    try:
        identity = identifier.HeatIdentifier.from_arn(arn)
    except ValueError as error:
        raise exception.Invalid(reason=str(error)) from None
    if not identity.path.startswith(RESOURCE):
        raise exception.Invalid(reason=f'"{arn}" names no resource')
    seen = identifier.HeatIdentifier(context.tenant_id, identity.stack_name, identity.stack_id)
    return seen.as_dict(), identity.path.removeprefix(RESOURCE)


def app_factory(global_conf, **local_conf):
    conf = configuration.find(global_conf)
    return SignalApplication(EngineClient(), policy.Enforcer(conf), conf.max_json_body_size)
