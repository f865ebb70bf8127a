"""The application of API version 1: its controllers and routes."""

from typing import Any

from oslo_config import cfg

from heat_lite.api import paste_config, wsgi
from heat_lite.api.v1 import (
    actions,
    events,
    live,
    resource_types,
    resources,
    routes,
    services,
    snapshots,
    software,
    stack_lookup,
    stacks,
    template_texts,
)
from heat_lite.api.v1.stack_request import RequestLimits
from heat_lite.common import policy
from heat_lite.rpc.client import EngineClient

NOAUTH = 'noauth'


def build(conf: cfg.ConfigOpts, client: EngineClient) -> wsgi.Application:
    """Return the application; its controllers call the engine by ``client``."""
    enforcer = policy.Enforcer(conf)
    limits = RequestLimits(
        template_size=conf.max_template_size, fetch_timeout=conf.template_fetch_timeout
    )
    controllers: dict[str, Any] = {
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
        'service': services.ServiceController(client),
    }
    table = routes.ROUTES if conf.paste_deploy.flavor != NOAUTH else routes.NOAUTH_ROUTES
    return wsgi.Application(
        table,
        controllers,
        enforcer,
        conf.max_json_body_size,
        wsgi.AdmissionControl.of_options(conf),
    )


def app_factory(global_conf: dict[str, Any], **local_conf: Any) -> wsgi.Application:
    return build(paste_config.from_global_conf(global_conf), EngineClient())
