"""The port at which ``heat-lite up`` takes signals of containers."""

import socket
import urllib.parse

from heat_lite.api import deploy
from heat_lite.api.middleware import container_signals, fault
from heat_lite.server import wsgi_server

#: containers reach the host by each of its addresses but loopback
ALL_ADDRESSES = '0.0.0.0'
#: an address that is in no network: it only selects the address of this host
ELSEWHERE = ('192.0.2.1', 9)


def wanted(args):
    """Return the port of the arguments in a list, which is empty without one."""
    return [] if args.container_port is None else [args.container_port]


def set_url(args, conf, sockets):
    """Set the option with the URL of the socket. ``sockets`` has one or none."""
    for each in sockets:
        conf.set_override('signal_url', _url_of(args, each), group='clients_docker')


def start(conf, sockets):
    """Serve signed signals on the sockets. Return the servers."""
    return [_start(conf, each) for each in sockets]


def _start(conf, sock):
    print(f'signals of containers: {conf.clients_docker.signal_url}', flush=True)
    secret = conf.auth_encryption_key.encode()
    signals = container_signals.ContainerSignalFilter(deploy.load_pipeline(conf), secret)
    app = fault.FaultFilter(signals)
    return wsgi_server.serve(sock, app, conf)


def _url_of(args, sock):
    """Return the URL by which containers reach a socket."""
    port = sock.getsockname()[1]
    if args.public_url:
        parts = urllib.parse.urlsplit(args.public_url)
        return f'{parts.scheme}://{parts.netloc}{parts.path.rstrip("/")}'
    return f'http://{host_address()}:{port}'


def host_address():
    """Return the address of this host in its network; without a network that of its name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ELSEWHERE)  # sends nothing
            return probe.getsockname()[0]
        except OSError:
            return socket.gethostbyname(socket.gethostname())
