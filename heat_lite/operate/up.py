"""``heat-lite up``: API and engine in one process, an SQLite file, no broker, no login."""

import argparse
import importlib
import ipaddress
import os
import socket
import sys
import urllib.parse
from collections.abc import Callable, Sequence
from pathlib import Path

from heat_lite.cli import option_parser
from heat_lite.cli.option_parser import argument, flag, repeatable
from heat_lite.common import exception, installation, memory
from heat_lite.operate import data_folder
from heat_lite.startup import concurrency

PORT, MAX_PORT = 8004, 65535
HOST = '127.0.0.1'


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_PORT:
        raise argparse.ArgumentTypeError(f'"{text}" is not a port, a number from 0 to {MAX_PORT}')
    return int(text)


def _public_url(text: str) -> str:
    try:
        parts = urllib.parse.urlsplit(text)
        valid = parts.scheme in ('http', 'https') and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.query or parts.fragment or parts.username:
        raise argparse.ArgumentTypeError(f'"{text}" is not a URL like http://HOST:PORT')
    return text


#: the options of the command
ARGUMENTS = (
    argument(
        '--port',
        type=_port,
        default=PORT,
        help=f'port to listen on, 0 for any free one (default {PORT})',
    ),
    *(
        argument(
            f'--{name}-port',
            type=_port,
            metavar='PORT',
            help=f'also serve the {label} API on this port, 0 for any free one; requests are '
            'signed with the access key that "heat-lite credentials" prints',
        )
        for name, label in (('cfn', 'CloudFormation'), ('cloudwatch', 'CloudWatch'))
    ),
    argument('--host', default=HOST, help=f'address to listen on (default {HOST})'),
    argument(
        '--data-dir',
        type=Path,
        default=installation.data_folder(),
        help='folder of the database and the encryption key (default %(default)s, or'
        ' HEAT_LITE_DATA_DIR)',
    ),
    repeatable(
        '--config-file',
        help='read options from a file, as the other programs do',
    ),
    repeatable(
        '--plugin-dir',
        type=option_parser.folder,
        help='folder of plug-in modules with further resource types',
    ),
    flag(
        '--expose',
        help='allow a --host that other machines can reach, although no login is required',
    ),
    repeatable(
        '--allow-host',
        metavar='NAME',
        help='accept requests whose Host header has this name; the address of --host, localhost,'
        ' 127.0.0.1 and [::1] are accepted always',
    ),
    flag(
        '--require-token',
        help='require the token in the file "token" of the data folder as X-Auth-Token; the'
        ' command heat-lite sends it by itself',
    ),
    repeatable(
        '--cloud',
        metavar='NAME',
        help='act in this cloud of clouds.yaml, with its login, at the endpoint /v1/NAME; may be '
        'repeated',
    ),
    argument(
        '--container-port',
        type=_port,
        metavar='PORT',
        help='also take signals of containers on this port, 0 for any free one, at all addresses '
        'of the machine; only requests with a URL that this service has signed are accepted',
    ),
    argument(
        '--public-url',
        type=_public_url,
        metavar='URL',
        help='URL by which servers of the clouds reach this service, for signals; anything but '
        'loopback requires --require-token',
    ),
    argument(
        '--log',
        choices=('brief', 'full', 'json'),
        default='brief',
        help='brief: a line for each end of an action and each problem; full: with modules and'
        ' requests; json: an object a line (default %(default)s)',
    ),
    flag('--debug', help='log at level DEBUG, in full'),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to a parser."""
    for each in ARGUMENTS:
        each.add_to(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT. Return the exit status."""
    refusal = _refusal(args)
    if refusal:
        return _fail(refusal)
    os.umask(0o077)  # the files of the data folder are for this user only
    memory.configure_allocator()
    concurrency.use_native_threads(serves_http=True)
    embedded = importlib.import_module('heat_lite.server.embedded')
    errors = (data_folder.FolderError, exception.ConfigurationError, *embedded.ERRORS)

    def report(work: Callable[[], int]) -> int:
        try:
            return work()
        except errors as error:
            return _fail(str(error))
        except OSError as error:
            return _fail(
                f'cannot write to {error.filename or args.data_dir}: {error.strerror}; '
                'to use another folder, give --data-dir'
            )

    return report(lambda: embedded.serve(args, report))


def parser() -> argparse.ArgumentParser:
    top = option_parser.Parser(
        'up',
        'run the whole service in one process, with an SQLite file and without a broker or a login',
        'heat-lite up\nheat-lite up --cloud NAME',
    )
    add_arguments(top)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command. Return its exit status."""
    return run(parser().parse_args(argv))


def _refusal(args: argparse.Namespace) -> str | None:
    """Return why the arguments are refused; None if they are not."""
    if not args.cloud and args.public_url and args.container_port is None:
        return (
            'servers of a cloud reach --public-url, or containers; name the cloud with --cloud, or '
            'the port with --container-port'
        )
    if args.cloud and args.container_port is not None:
        return 'with --cloud, containers and servers send signals to --public-url'
    if args.cloud and not args.require_token:
        host = urllib.parse.urlsplit(args.public_url).hostname if args.public_url else args.host
        exposed = next((each for each in (args.host, host) if not is_loopback(each)), None)
        if exposed:
            return (
                f'other machines can reach {exposed}, and this service acts with the login of '
                f'{", ".join(args.cloud)}; add --require-token (signed URLs of servers need no '
                'token)'
            )
    if not args.expose and not is_loopback(args.host):
        return (
            f'other machines can reach {args.host}, and no login is required; '
            'to allow this, add --expose'
        )
    return None


def is_loopback(host: str) -> bool:
    """Whether all addresses of a host are loopback addresses. False for an unknown name."""
    try:
        found = socket.getaddrinfo(host, None)
    except OSError:
        return False
    return all(
        ipaddress.ip_address(str(address[4][0]).partition('%')[0]).is_loopback for address in found
    )


def _fail(text: str) -> int:
    print(f'heat-lite up: {text}', file=sys.stderr)
    return 1


if __name__ == '__main__':
    sys.exit(main())
