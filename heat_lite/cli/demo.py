"""``heat-lite demo``: start a service, create a stack, show its outputs, delete it.

The service and its files are removed at the end.
"""

import argparse
import contextlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from heat_lite.cli import api_client, errors, option_parser
from heat_lite.cli.display import outcome, progress, terminal
from heat_lite.common import installation

START_SECONDS = 30
STACK_SECONDS = 40
STOP_SECONDS = 10


class StartError(Exception):
    """The service did not start. The text contains the end of its log."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def wait_until_ready(process: subprocess.Popen, api: api_client.ApiClient, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            api.get('/stacks')
            return
        except api_client.RequestFailed:
            time.sleep(0.05)
    state = (
        f'ended with status {process.returncode}'
        if process.returncode is not None
        else f'is not ready after {START_SECONDS} seconds'
    )
    raise StartError(f'the service {state}:\n{log.read_text()[-3000:]}')


@contextlib.contextmanager
def service() -> Iterator[api_client.ApiClient]:
    """A service in a child process, with a temporary data folder."""
    port = free_port()
    api = api_client.ApiClient(f'http://127.0.0.1:{port}/v1/demo')
    with tempfile.TemporaryDirectory(prefix='heat-lite-demo-') as folder:
        log = Path(folder, 'service.log')
        command = [
            sys.executable,
            '-m',
            'heat_lite.cli.main',
            'up',
            '--port',
            str(port),
            '--data-dir',
            folder,
        ]
        with log.open('wb') as stream:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream
            )
        try:
            wait_until_ready(process, api, log)
            yield api
        finally:
            stop(process)


def stop(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run_demo(
    api: api_client.ApiClient, out: terminal.Terminal, template: Path, name: str = 'demo'
) -> None:
    """Create the stack, show its progress and its outputs, delete it."""
    started = time.monotonic()
    created = api.call('POST', '/stacks', {'stack_name': name, 'template': template.read_text()})[
        'stack'
    ]
    path = api_client.stack_path({'stack_name': name, 'id': created['id']})
    out.write_line(f'\ncreating stack {name} ({template.name}):')
    stack = outcome.follow(api, path, out, 'CREATE', limit=STACK_SECONDS)
    out.write_line(
        f'\nthe stack is complete after {time.monotonic() - started:.1f} seconds. Its outputs:'
    )
    outcome.show_outputs(api.get(path)['stack'], out)
    out.write_line(f'\ndeleting stack {stack["stack_name"]}:')
    before = progress.state_before(api, path)
    api.call('DELETE', path)
    outcome.follow(api, path, out, 'DELETE', before, STACK_SECONDS)


def parser() -> argparse.ArgumentParser:
    top = option_parser.Parser(
        'demo',
        'start a service, create a stack, show its outputs, delete it. The service and its files'
        ' are removed at the end',
        'heat-lite demo -t app.yaml',
    )
    top.add_argument(
        '-t',
        '--template',
        type=Path,
        default=installation.data_path('etc', 'templates', 'demo.yaml'),
        help='create this template instead',
    )
    return top


def main(argv: list[str] | None = None) -> int:
    args = parser().parse_args(argv)
    # SIGTERM must stop the service as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    out = terminal.Terminal()
    started = time.monotonic()
    try:
        with service() as api:
            seconds = time.monotonic() - started
            out.write_line(f'the service is ready at {api.endpoint} after {seconds:.1f} seconds')
            run_demo(api, out, args.template)
    except (api_client.RequestFailed, errors.StackFailed, StartError, OSError) as error:
        print(f'heat-lite demo: {error}', file=sys.stderr)
        return 1
    except (KeyboardInterrupt, errors.Interrupted):
        print('heat-lite demo: interrupted', file=sys.stderr)
        return 130
    out.write_line('\nnothing is left behind. `heat-lite up` starts a service that keeps running.')
    return 0
