"""Creates the WSGI application from the configuration and the Paste pipelines."""

import logging
from collections.abc import Collection, Mapping
from pathlib import Path

from oslo_config import cfg

from heat_lite.api import heat_pipelines, local_identity, openapi, web_page, wsgi
from heat_lite.api.aws import faults, local_keys, local_signature
from heat_lite.api.cfn import application
from heat_lite.api.middleware import cloud_requests, fault, local_requests
from heat_lite.api.middleware.context import ContextFilter
from heat_lite.common import installation, urlfetch
from heat_lite.common.local_stack_domain import LocalStackDomain

LOG = logging.getLogger(__name__)

NAME = 'heat-api'
#: the project that the page of a service without login opens
DEFAULT_PROJECT = 'default'


def load_app(conf: cfg.ConfigOpts, name: str | None = None) -> wsgi.WsgiApp:
    """Return the application ``name`` of the pipelines; by default that of [paste_deploy] flavor.

    ``messaging.setup`` must be called before the first request.
    """
    app = load_pipeline(conf, name)
    return app if name else web_page.add_to(app, conf)


def load_pipeline(conf: cfg.ConfigOpts, name: str | None = None) -> wsgi.WsgiApp:
    """Return the application without a web page."""
    urlfetch.configure(conf)
    file = pipelines_file(conf)
    flavor = None if name else conf.paste_deploy.flavor
    LOG.debug('Loading %s from %s', name or NAME, file)
    app = heat_pipelines.load(file, name or NAME, flavor, conf)
    return app if name else openapi.OpenApiFilter(app)


def load_local_app(
    conf: cfg.ConfigOpts, hosts: list[str], token: str | None = None
) -> wsgi.WsgiApp:
    """Return the application of a service without login, behind the filter against web pages.

    ``hosts``: names and addresses of the service. ``token``: required of each request, or None.
    """
    app = load_pipeline(conf)
    origins = conf.cors.allowed_origin or ()
    guarded = fault.FaultFilter(local_requests.LocalRequestFilter(app, hosts, origins, token))
    return web_page.add_to(guarded, conf, [DEFAULT_PROJECT], token is not None)


def load_cloud_app(
    conf: cfg.ConfigOpts,
    hosts: list[str],
    token: str | None,
    users: Mapping[str, tuple[str, str]],
    regions: Collection[str | None],
    domain: LocalStackDomain,
    url: str,
) -> wsgi.WsgiApp:
    """Return the application of a service that acts in clouds, with its own stack users.

    ``hosts`` and ``token`` as for ``load_local_app``, ``users`` as for ``CloudFilter``.
    ``regions``: those of the clouds. ``url``: the public URL of the service.
    """
    app, max_body = load_pipeline(conf), conf.max_json_body_size
    guarded = local_requests.LocalRequestFilter(
        cloud_requests.CloudFilter(app, users), hosts, conf.cors.allowed_origin or (), token
    )
    receiver = application.build(conf)
    keys = local_keys.LocalKeys(lambda access: None, domain=domain)
    signed = local_signature.LocalSignatureFilter(ContextFilter(receiver), keys, max_body, url)
    identity = local_identity.LocalIdentity(domain, url, regions, max_body)
    served = fault.FaultFilter(
        cloud_requests.StackUserFilter(app, domain, faults.FaultFilter(signed), identity, guarded)
    )
    return web_page.add_to(served, conf, list(users), token is not None)


def pipelines_file(conf: cfg.ConfigOpts) -> str:
    """Return the path of the pipelines: the operator's file, or that of the package.

    Raises ConfigFilesNotFoundError for a configured file that does not exist.
    """
    wanted = conf.paste_deploy.api_paste_config
    found = wanted if Path(wanted).is_absolute() else conf.find_file(wanted)
    if found:
        return found
    if wanted != 'api-paste.ini':
        raise cfg.ConfigFilesNotFoundError([wanted])
    return str(installation.data_path('etc', wanted))
