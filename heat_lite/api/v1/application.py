"""The application of API version 1: the actions of its operations."""

from oslo_config import cfg

from heat_lite import operations
from heat_lite.api import paste_config, wsgi
from heat_lite.api.routing import Action, Route, Router
from heat_lite.api.v1 import (
    actions,
    engine_calls,
    events,
    live,
    resource_types,
    resources,
    services,
    snapshots,
    software,
    stack_lookup,
    stacks,
    template_texts,
)
from heat_lite.api.v1.stack_request import RequestLimits
from heat_lite.common.admission import RequestAdmission
from heat_lite.operations.operation import ANY
from heat_lite.operations.resources import LOCAL_OPERATIONS
from heat_lite.policies.enforcer import Enforcer
from heat_lite.rpc.client import EngineClient

NOAUTH = 'noauth'


def build(conf: cfg.ConfigOpts, client: EngineClient) -> wsgi.Application:
    """Return the application; its actions call the engine by ``client``."""
    enforcer = Enforcer(conf)
    limits = RequestLimits(
        template_size=conf.max_template_size, fetch_timeout=conf.template_fetch_timeout
    )
    controllers: dict[str, object] = {
        'stacks': stacks.StackController(client, enforcer, limits),
        'stack_lookup': stack_lookup.StackLookupController(client),
        'snapshots': snapshots.SnapshotController(client),
        'actions': actions.ActionController(client, enforcer),
        'resource': resources.ResourceController(client),
        'events': events.EventController(client, conf),
        'live': live.LiveController(client),
        'texts': template_texts.TextController(client, limits),
        'types': resource_types.ResourceTypeController(client),
        'software_configs': software.ConfigController(client, enforcer),
        'software_deployments': software.DeploymentController(client),
        'build_info': services.BuildInfoController(client, conf.revision.heat_revision),
    }
    local = LOCAL_OPERATIONS if conf.paste_deploy.flavor == NOAUTH else ()
    router = Router()
    for each in (*operations.OPERATIONS, *local):
        if each.calls:
            action: Action = engine_calls.EngineCall(client, each, each.calls)
        else:
            controller, _, name = each.name.partition('.')
            action = getattr(controllers[controller], name)
        route = Route(action, each.rule_name, each.name, takes_any=each.body == ANY)
        router.add(each.method, each.path, route)
    return wsgi.Application(
        router, enforcer, conf.max_json_body_size, RequestAdmission.of_options(conf)
    )


app_factory = paste_config.make_factory(lambda conf: build(conf, EngineClient()))
