"""``heat-lite up``: the whole service in one process: API and engine, an SQLite file, no broker, no login."""

import argparse
import importlib
import ipaddress
import os
import socket
import sys
from pathlib import Path

from heat_lite.cmd import concurrency

PORT = 8004
HOST = '127.0.0.1'


def add_arguments(parser):
    """Put the options on a parser."""
    parser.add_argument('--port', type=int, default=PORT, help=f'port to listen on (default {PORT})')
    parser.add_argument('--host', default=HOST, help=f'address to listen on (default {HOST})')
    parser.add_argument('--data-dir', type=Path, default=default_data_dir(), help='folder of all state (default %(default)s)')
    parser.add_argument('--config-file', action='append', default=[], help='read options from a file, as the other programs do')
    parser.add_argument('--plugin-dir', type=Path, action='append', default=[], help='folder of modules that bring further resource types')
    parser.add_argument('--expose', action='store_true', help='allow a --host that others can reach; nobody has to log in')
    parser.add_argument('--debug', action='store_true', help='log much')


def default_data_dir():
    """The user's own folder for such things."""
    return Path(os.environ.get('XDG_DATA_HOME') or Path.home() / '.local' / 'share', 'heat-lite')


def run(args):
    """Serve until SIGTERM or Ctrl-C; the exit status."""
    if not args.expose and not is_loopback(args.host):
        return _refuse(f'others can reach {args.host}, and nobody has to log in; if that is meant, add --expose')
    concurrency.green()
    embedded = importlib.import_module('heat_lite.cmd.embedded')
    try:
        return embedded.serve(args)
    except embedded.CannotStart as error:
        return _refuse(str(error))


def main(argv=None):
    """The command by itself."""
    parser = argparse.ArgumentParser(prog='heat-lite up', description=__doc__.partition(': ')[2])
    add_arguments(parser)
    return run(parser.parse_args(argv))


def is_loopback(host):
    """Whether only this machine can reach an address; for a name, whether that is so of all that it stands for."""
    try:
        found = socket.getaddrinfo(host, None)
    except OSError:
        return False
    return all(ipaddress.ip_address(address[4][0].partition('%')[0]).is_loopback for address in found)


def _refuse(text):
    print(f'heat-lite up: {text}', file=sys.stderr)
    return 1


if __name__ == '__main__':
    sys.exit(main())
