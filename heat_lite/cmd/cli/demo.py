"""``heat-lite demo``: a service of its own, one stack in layers, its outputs, its end. Leaves nothing behind."""

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

from heat_lite.cmd.cli import rest, screen, stack, watch
from heat_lite.common import paths

START_SECONDS = 30
STACK_SECONDS = 40
STOP_SECONDS = 10


class NotStarted(Exception):
    """The service did not come up; the text is the end of its log."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def wait_until_ready(process: subprocess.Popen, api: rest.Api, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        try:
            api.call('GET', '/stacks')
            return
        except rest.Refused:
            time.sleep(0.05)
    what = f'ended with status {process.returncode}' if process.returncode is not None else f'not ready after {START_SECONDS} seconds'
    raise NotStarted(f'the service {what}:\n{log.read_text()[-3000:]}')


@contextlib.contextmanager
def service() -> Iterator[rest.Api]:
    """A whole service in one process of its own, in a folder that goes with it."""
    port = free_port()
    api = rest.Api(f'http://127.0.0.1:{port}/v1/demo')
    with tempfile.TemporaryDirectory(prefix='heat-lite-demo-') as folder:
        log = Path(folder, 'service.log')
        command = [sys.executable, '-m', 'heat_lite.cmd.cli.main', 'up', '--port', str(port), '--data-dir', folder]
        with log.open('wb') as stream:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream)
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


def play(api: rest.Api, out: screen.Screen, template: Path, name: str = 'demo') -> None:
    """Create the stack, show it growing, show what it gives, delete it."""
    began = time.monotonic()
    made = api.call('POST', '/stacks', {'stack_name': name, 'template': template.read_text()})['stack']
    path = rest.stack_path({'stack_name': name, 'id': made['id']})
    out.say(f'\nstack {name} ({template.name}) comes to life:')
    watch.follow(api, path, out, seconds=STACK_SECONDS)
    out.say(f'\nit is there after {time.monotonic() - began:.1f} seconds, and gives:')
    stack.show_outputs(api.call('GET', path)['stack'], out)
    out.say('\nand away with it:')
    known = watch.resources(api, path)
    api.call('DELETE', path)
    watch.follow(api, path, out, known, seconds=STACK_SECONDS)


def main(argv: list[str] | None = None) -> int:
    top = argparse.ArgumentParser(prog='heat-lite demo', description=__doc__)
    top.add_argument('-t', '--template', type=Path, default=paths.data('etc', 'templates', 'demo.yaml'), help='another template')
    args = top.parse_args(argv)
    # an end from outside must end the service as well
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    out = screen.Screen()
    began = time.monotonic()
    try:
        with service() as api:
            out.say(f'a service of its own is up at {api.endpoint} after {time.monotonic() - began:.1f} seconds')
            play(api, out, args.template)
    except (rest.Refused, watch.Failed, NotStarted, OSError) as error:
        print(f'heat-lite demo: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('heat-lite demo: interrupted', file=sys.stderr)
        return 130
    out.say('\nnothing is left behind. `heat-lite up` starts a service that stays.')
    return 0
