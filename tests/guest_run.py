"""Runs a tool of heat-cfntools as in a server, but in a folder and against other ports.

    python guest_run.py FOLDER PORTS TOOL [ARGUMENT...]

The tools have fixed paths and ports. ``FOLDER`` stands for the root of the server's disk; ``PORTS``
is FIXED=REAL,... The tool itself runs unchanged, from beside the interpreter.
"""

import builtins
import functools
import os
import runpy
import socket
import sys

PATHS = ('/etc/cfn', '/var/lib/heat-cfntools', '/var/cache/heat-cfntools', '/var/log/cfn-')
FUNCTIONS = ('chmod', 'listdir', 'makedirs', 'mkdir', 'open', 'rename', 'stat', 'unlink')


def main(folder, ports, tool, *arguments):
    def in_folder(path):
        if isinstance(path, str) and path.startswith(PATHS):
            return folder + path
        return path

    def redirect(function):
        @functools.wraps(function)
        def call(*args, **options):
            return function(*map(in_folder, args), **options)

        return call

    builtins.open = redirect(builtins.open)
    for name in FUNCTIONS:
        setattr(os, name, redirect(getattr(os, name)))
    real_ports = dict(tuple(map(int, each.split('='))) for each in ports.split(','))
    create_connection = socket.create_connection

    def connect(address, *args, **options):
        host, port = address
        return create_connection((host, real_ports.get(port, port)), *args, **options)

    socket.create_connection = connect
    sys.argv = [tool, *arguments]
    runpy.run_path(os.path.join(os.path.dirname(sys.executable), tool), run_name='__main__')


if __name__ == '__main__':
    main(*sys.argv[1:])
