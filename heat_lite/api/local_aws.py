"""The applications of the AWS APIs for a service without Keystone."""

from collections.abc import Callable

from oslo_config import cfg

from heat_lite.api import wsgi
from heat_lite.api.aws import faults, local_keys, local_signature
from heat_lite.api.cfn import application
from heat_lite.api.cloudwatch import cloudwatch_application
from heat_lite.api.middleware import local_requests, version
from heat_lite.api.middleware.context import ContextFilter

#: API -> the function that builds the application
APPLICATIONS: dict[str, Callable[[cfg.ConfigOpts], wsgi.WsgiApp]] = {
    'cloudformation': application.build,
    'cloudwatch': cloudwatch_application.build,
}


def load_app(
    conf: cfg.ConfigOpts, name: str, hosts: list[str], keys: local_keys.LocalKeys
) -> wsgi.WsgiApp:
    """Return the application of an API, by its name in APPLICATIONS.

    ``hosts``: names and addresses of the service. Each request is signed with one of ``keys``.
    """
    signed = local_signature.LocalSignatureFilter(
        ContextFilter(APPLICATIONS[name](conf)), keys, conf.max_json_body_size
    )
    origins = conf.cors.allowed_origin or ()
    guarded = local_requests.LocalRequestFilter(signed, hosts, origins, signed=True)
    return faults.FaultFilter(version.VersionFilter(guarded))
