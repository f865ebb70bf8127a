"""Version 1 of the API, put together."""

from heat_lite.api import configuration, wsgi
from heat_lite.api.v1 import actions, definitions, events, lookups, resources, routes, services, snapshots, software, stacks, types
from heat_lite.common import policy
from heat_lite.rpc.client import EngineClient


def build(conf, client):
    """The application that asks ``client`` for all it cannot answer itself."""
    enforcer = policy.Enforcer(conf)
    limits = definitions.Limits(template_size=conf.max_template_size, fetch_timeout=conf.template_fetch_timeout)
    controllers = {
        'stacks': stacks.StackController(client, enforcer),
        'lookups': lookups.LookupController(client),
        'definitions': definitions.DefinitionController(client, enforcer, limits),
        'snapshots': snapshots.SnapshotController(client),
        'actions': actions.ActionController(client, enforcer),
        'resource': resources.ResourceController(client),
        'events': events.EventController(client),
        'types': types.TypeController(client),
        'software_configs': software.ConfigController(client, enforcer),
        'software_deployments': software.DeploymentController(client),
        'build_info': services.BuildInfoController(client, conf.revision.heat_revision),
        'service': services.ServiceController(client),
    }
    return wsgi.Application(routes.ROUTES, controllers, enforcer, conf.max_json_body_size)


def app_factory(global_conf, **local_conf):
    return build(configuration.find(global_conf), EngineClient())
