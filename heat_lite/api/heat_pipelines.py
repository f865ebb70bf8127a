"""Pipelines in the api-paste.ini of Heat, whose factories are known here by their names.

Paste imports a factory by its name. The names of Heat, and of libraries that would read another
configuration than that of the application, are replaced before, so no package ``heat`` is needed.
"""

import configparser
from collections.abc import Mapping

import webob
from oslo_config import cfg
from paste.deploy import loadwsgi

from heat_lite.api import paste_config, wsgi
from heat_lite.api.middleware import fault, health, strip_identity
from heat_lite.common import exception

HERE, MIDDLEWARE = 'heat_lite.api', 'heat_lite.api.middleware'
PASS = f'{HERE}.heat_pipelines:pass_factory'
PASSWORD = f'{MIDDLEWARE}.password:filter_factory'
EC2TOKEN = f'{HERE}.aws.ec2token:filter_factory'
FAULT = f'{MIDDLEWARE}.fault:filter_factory'
#: name of a factory -> name of the factory that replaces it
FACTORIES = {
    'heat.api:pipeline_factory': f'{HERE}.heat_pipelines:pipeline_factory',
    'heat.api.openstack.v1:API': f'{HERE}.v1.application:app_factory',
    'heat.api.cfn.v1:API': f'{HERE}.cfn.application:app_factory',
    'heat.api.cloudwatch:API': f'{HERE}.cloudwatch.cloudwatch_application:app_factory',
    'heat.api.openstack:version_negotiation_filter': f'{MIDDLEWARE}.version:filter_factory',
    'heat.api.openstack:faultwrap_filter': FAULT,
    # The other API has errors in XML. Its first own filter is where they are made.
    'heat.api.cfn:version_negotiation_filter': f'{HERE}.aws.faults:version_factory',
    'heat.api.cloudwatch:version_negotiation_filter': f'{HERE}.aws.faults:filter_factory',
    'heat.api.aws.ec2token:EC2Token_filter_factory': EC2TOKEN,
    'heat.common.context:ContextMiddleware_filter_factory': f'{MIDDLEWARE}.context:filter_factory',
    # The filters ``authpassword`` and ``context`` know the URL of Keystone.
    'heat.common.auth_url:filter_factory': PASS,
    'heat.common.auth_password:filter_factory': PASSWORD,
    'heat.common.custom_backend_auth:filter_factory': f'{MIDDLEWARE}.custom_backend:filter_factory',
    'heat.common.noauth:filter_factory': f'{MIDDLEWARE}.noauth:filter_factory',
    'keystonemiddleware.auth_token:filter_factory': f'{MIDDLEWARE}.keystone_token:filter_factory',
    'oslo_middleware.cors:filter_factory': f'{MIDDLEWARE}.oslo_filters:cors_factory',
    'oslo_middleware.request_id:RequestId.factory': f'{MIDDLEWARE}.oslo_filters:request_id_factory',
    'oslo_middleware:RequestId.factory': f'{MIDDLEWARE}.oslo_filters:request_id_factory',
    'oslo_middleware:HTTPProxyToWSGI.factory': f'{MIDDLEWARE}.oslo_filters:proxy_factory',
    'oslo_middleware:Healthcheck.app_factory': f'{MIDDLEWARE}.health:app_factory',
    'oslo_middleware.healthcheck:Healthcheck.app_factory': f'{MIDDLEWARE}.health:app_factory',
    'oslo_middleware.http_proxy_to_wsgi:HTTPProxyToWSGI.factory': (
        f'{MIDDLEWARE}.oslo_filters:proxy_factory'
    ),
    # names of former releases, in copies of the pipelines
    'heat_lite.api.cfn.ec2token:filter_factory': EC2TOKEN,
    'heat_lite.api.cfn.faults:filter_factory': f'{HERE}.aws.faults:version_factory',
    'heat_lite.api.cfn.signals:app_factory': f'{HERE}.cfn.application:app_factory',
    # The programs record and accept traces by [profiler] without a filter.
    'osprofiler.web:WsgiMiddleware.factory': PASS,
}
#: factories of Heat that take the real factory from another key of their section
INDIRECT = ('heat.common.wsgi:app_factory', 'heat.common.wsgi:filter_factory')
KINDS = ('app', 'filter', 'composite')
#: kinds of sections that are applications to Paste
APPLICATIONS = ('app', 'application', 'composite', 'composit', 'pipeline', 'filter-app')
#: the composite of the library Paste, which is no requirement
URLMAP = 'egg:Paste#urlmap'
#: headers that a filter validates, by its factory; paths of the second have no project
LOGIN = {
    PASSWORD: ('X-Auth-Url', 'X-User-Domain-Id'),
    EC2TOKEN: ('X-Auth-Url', 'X-User-Domain-Id', 'X-Project-Id'),
}


def load(file: str, name: str, flavor: str | None, conf: cfg.ConfigOpts) -> wsgi.WsgiApp:
    """Return the application of a pipelines file.

    ``name``: that of a pipeline with the flavor, or of a composite that knows the flavors. Raises
    ConfigurationError for a flavor that the file does not know.
    """
    loader = loadwsgi.ConfigLoader(file)
    is_heat = replace_factories(loader.parser)
    flavored = '-'.join(part for part in (name, flavor) if part)
    if f'composite:{name}' in loader.parser.sections():
        flavored = name
    _require(flavored, loader.parser, file)
    global_conf = paste_config.global_conf_of(conf)
    loader.update_defaults(global_conf, overwrite=False)
    app = loader.get_context(loadwsgi.APP, flavored, global_conf).create()
    # The files of some deployers have none, and their probes know one status for all services.
    if is_heat and not any('healthcheck' in each for each in loader.parser.sections()):
        app = PathMap({health.PATH: health.app_factory(global_conf), '': app})
    # Pipelines of Heat rely on their filters for it, which set the headers that they know only.
    keep = _login_headers(loader.parser, flavored, flavor)
    return strip_identity.StripIdentityFilter(app, keep) if is_heat else app


def _require(name: str, parser: configparser.ConfigParser, file: str) -> None:
    """Raise ConfigurationError if the file has no application of this name."""
    known = {
        found
        for kind, _, found in (section.partition(':') for section in parser.sections())
        if kind in APPLICATIONS
    }
    if name not in known:
        raise exception.ConfigurationError(
            f'The pipelines file {file} has no pipeline {name}, which [paste_deploy] flavor '
            f'selects: it has {", ".join(sorted(known))}'
        )


def replace_factories(parser: configparser.ConfigParser) -> bool:
    """Replace the factories of Heat in all sections. Return whether there were any."""
    found = False
    for section in parser.sections():
        for kind in KINDS:
            key, own = f'paste.{kind}_factory', f'heat.{kind}_factory'
            # the section itself: the other sections take the defaults of the file
            factory = parser.get(section, key, raw=True, fallback=None)
            if factory in INDIRECT:
                factory = parser.get(section, own, raw=True, fallback=PASS)
                parser.remove_option(section, own)
            if factory in FACTORIES or factory == PASS:
                found = True
                parser.set(section, key, FACTORIES.get(factory, PASS))
        if parser.get(section, 'use', raw=True, fallback=None) == URLMAP:
            parser.remove_option(section, 'use')
            parser.set(section, 'paste.composite_factory', f'{HERE}.heat_pipelines:urlmap_factory')
    return found


def _login_headers(parser: configparser.ConfigParser, name: str, flavor: str | None) -> list[str]:
    """Return the headers that the logins of a pipeline, or of that of a flavor, validate."""
    lines = [
        value
        for section in parser.sections()
        if section == f'pipeline:{name}' or section.startswith('composite:')
        for key, value in parser.items(section, raw=True)
        if key == 'pipeline' or key == (flavor or 'default')
    ]
    filters = {each for line in lines for each in line.split()}
    factories = {
        parser.get(section, 'paste.filter_factory', raw=True, fallback=None)
        for section in parser.sections()
        if section.removeprefix('filter:') in filters
    }
    return [header for factory in factories for header in LOGIN.get(factory or '', ())]


def pipeline_factory(
    loader: loadwsgi.ConfigLoader, global_conf: paste_config.GlobalConf, **local_conf: str
) -> wsgi.WsgiApp:
    """Return the application of the pipeline of [paste_deploy] flavor, ``default`` without one.

    ``local_conf``: the names of filters and of the application at the end, by flavor.
    """
    conf = paste_config.from_global_conf(global_conf)
    flavor = conf.paste_deploy.flavor or 'default'
    if flavor not in local_conf:
        raise exception.ConfigurationError(
            f'The pipelines file has no pipeline of [paste_deploy] flavor = {flavor}: it has '
            f'{", ".join(sorted(local_conf))}'
        )
    *names, last = local_conf[flavor].split()
    filters = [loader.get_filter(name, global_conf=global_conf) for name in names]
    app = loader.get_app(last, global_conf=global_conf)
    if 'faultwrap' in names:
        # also the innermost, as authtoken would respond to errors of the application itself
        app = fault.FaultFilter(app, debug=bool(conf.debug))
    for made in reversed(filters):
        app = made(app)
    return app


class PathMap(wsgi.Responder):
    """Application that passes a request on by the beginning of its path."""

    def __init__(self, apps: Mapping[str, wsgi.WsgiApp]) -> None:
        #: the longest path first
        self.apps = sorted(apps.items(), key=lambda item: -len(item[0]))

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        path = environ.get('PATH_INFO', '')
        for prefix, app in self.apps:
            if path == prefix or path.startswith(f'{prefix}/'):
                environ['SCRIPT_NAME'] = environ.get('SCRIPT_NAME', '') + prefix
                environ['PATH_INFO'] = path[len(prefix) :]
                return app
        return webob.Response(status=404, content_type=None)


def urlmap_factory(
    loader: loadwsgi.ConfigLoader, global_conf: paste_config.GlobalConf, **local_conf: str
) -> PathMap:
    """Return the applications by path, e.g. ``/healthcheck: healthcheck``."""
    return PathMap(
        {
            path.rstrip('/'): loader.get_app(name, global_conf=global_conf)
            for path, name in local_conf.items()
        }
    )


def pass_factory(global_conf: paste_config.GlobalConf, **local_conf: str) -> paste_config.Filter:
    """Return a filter without an effect."""
    return lambda application: application
