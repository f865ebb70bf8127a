"""The AWS APIs of the embedded service, each on a port of its own and on request."""

import urllib.parse

from heat_lite.api import local_aws
from heat_lite.api.aws import local_keys
from heat_lite.common import access_keys
from heat_lite.common.value_types import without_none
from heat_lite.server import wsgi_server

#: APIs in the order of their sockets -> the word of the option of "heat-lite up" with the port
PORTS = {'cloudformation': 'cfn', 'cloudwatch': 'cloudwatch'}


def wanted(args):
    """Return ``{API: port}`` of the arguments."""
    return without_none({name: getattr(args, f'{word}_port') for name, word in PORTS.items()})


def start(args, conf, sockets, clouds):
    """Serve the APIs of the arguments, each on its socket. Return the servers."""
    if not sockets:
        return []
    keys = access_keys.AccessKeys(args.data_dir)
    users = domain = None
    if clouds is not None:
        users = {name: (each.user_id, each.user_name) for name, each in clouds.logins.items()}
        domain = clouds.domain
    ring = local_keys.LocalKeys(lambda access: _secret_and_project(keys, access), users, domain)
    servers = []
    for name, sock in zip(wanted(args), sockets, strict=True):
        hosts = [sock.getsockname()[0], args.host, *args.allow_host]
        if args.public_url:
            hosts.append(urllib.parse.urlsplit(args.public_url).hostname)
        app = local_aws.load_app(conf, name, hosts, ring)
        servers.append(wsgi_server.serve(sock, app, conf))
    return servers


def _secret_and_project(keys, access):
    found = keys.find(access)
    return found and (found.secret, found.project)
