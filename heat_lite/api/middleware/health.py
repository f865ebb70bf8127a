"""/healthcheck: the library's checks of [healthcheck], and whether an engine reaches its database.

The filter does both. The application, as which Heat's api-paste.ini uses it, does the library's.
/healthcheck/live tells in JSON whether the process answers, /healthcheck/ready which of its parts
fail and for how long.
"""

import dataclasses
import logging

import webob
import webob.exc
from oslo_config import cfg
from oslo_middleware import exceptions, healthcheck, opts

from heat_lite.api import paste_config, wsgi
from heat_lite.common import context, exception, health_checks
from heat_lite.common.value_types import Values
from heat_lite.rpc import messaging
from heat_lite.rpc.client import EngineClient

LOG = logging.getLogger(__name__)

PATH = '/healthcheck'
LIVE, READY = f'{PATH}/live', f'{PATH}/ready'
TIMEOUT = 5
#: seconds for which the answer of /healthcheck/ready is given again
FRESH_SECONDS = 1.0
GROUP = 'healthcheck'


@dataclasses.dataclass
class HealthFilter(wsgi.Filter):
    """Filter that responds to its path without authentication, and passes all others on.

    ``checks``: the checks of [healthcheck]. A request that they ignore is passed on.
    """

    client: EngineClient
    checks: healthcheck.Healthcheck

    def __post_init__(self) -> None:
        self.health = health_checks.Health(probes(self.client))

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        path = environ.get('PATH_INFO')
        if path not in (PATH, LIVE, READY):
            return self.application
        response = self.checks.process_request(webob.Request({**environ, 'PATH_INFO': PATH}))
        if response is None:
            return self.application
        if path == LIVE:
            return webob.Response(json_body={'status': 'ok'})
        if path == READY:
            return self._readiness(response)
        failure = self._failure()
        if failure:
            response = webob.Response(status=503, content_type='text/plain', charset='UTF-8')
            response.text = f'{failure}\n'
        return response

    def _readiness(self, library: webob.Response) -> webob.Response:
        """Return which parts fail. ``library``: the response of the checks of [healthcheck]."""
        self.health.look_again(FRESH_SECONDS)
        checks = [check.report() for check in self.health.checks]
        if library.status_int != 200:
            checks.append({'name': GROUP, 'status': 'failing', 'reason': library.text})
        report = health_checks.report_of(checks)
        return webob.Response(status=200 if report['status'] == 'ok' else 503, json_body=report)

    def _failure(self) -> str | None:
        """Return the failure, or None. The list of engines is read from the database."""
        try:
            self.client.list_services(context.admin_context())
        except exception.HeatException as error:
            return str(error)
        except Exception as error:
            LOG.exception('Health check failed')
            return f'The engine or its database fails: {type(error).__name__}'
        return None


def probes(client: EngineClient | None = None) -> dict[str, health_checks.Probe]:
    """Return the probes of what an API needs: the broker, and an engine with its database."""
    engine = client or EngineClient(timeout=health_checks.PROBE_SECONDS)
    return {
        'broker': messaging.probe,
        'engine': lambda: engine.list_services(context.admin_context()),
    }


@dataclasses.dataclass
class HealthApplication(wsgi.Responder):
    """Application of the checks of [healthcheck]; 404 for a request that they ignore."""

    checks: healthcheck.Healthcheck

    def answer(self, environ: wsgi.Environ) -> wsgi.WsgiApp:
        return self.checks.process_request(webob.Request(environ)) or webob.exc.HTTPNotFound()


def checks_of(conf: cfg.ConfigOpts, local_conf: Values) -> healthcheck.Healthcheck:
    """Return the checks of [healthcheck], whose options the section of the pipelines overrides.

    Raises ConfigurationError for a value that the library refuses.
    """
    try:
        for _, options in opts.list_opts_healthcheck():
            conf.register_opts(options, group=GROUP)
            for option in options:
                if option.dest in local_conf:
                    conf.set_override(option.dest, local_conf[option.dest], GROUP)
        return healthcheck.Healthcheck(None, conf)
    except (ValueError, exceptions.ConfigInvalid) as error:
        raise exception.ConfigurationError(
            f'The options of [{GROUP}] are refused: {error}'
        ) from error


def filter_factory(
    global_conf: paste_config.GlobalConf, timeout: float = TIMEOUT, **local_conf: str
) -> paste_config.Filter:
    """``timeout``: seconds to wait for the engine."""
    checks = checks_of(paste_config.from_global_conf(global_conf), local_conf)
    return lambda application: HealthFilter(
        application, EngineClient(timeout=float(timeout)), checks
    )


def app_factory(global_conf: paste_config.GlobalConf, **local_conf: str) -> HealthApplication:
    return HealthApplication(checks_of(paste_config.from_global_conf(global_conf), local_conf))
