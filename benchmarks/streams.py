"""What streams of events cost, measured: python -m benchmarks.streams --help.

One project has some streams of the API open in another process, while ten stacks of twenty
resources are created and deleted, one after the other. A row has the processor time of the engine
and the API, the events that arrived, and how long after the answer to a create its first event did.
"""

import argparse
import asyncio
import concurrent.futures
import contextlib
import multiprocessing
import os
import statistics
import tempfile
import time
from pathlib import Path

from tests import event_streams
from tests.attacks import bystander
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

STACKS, RESOURCES = 10, 20
TICKS = os.sysconf('SC_CLK_TCK')
TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {
        f'r{number}': {'type': 'OS::Heat::TestResource', 'properties': {'value': 'x'}}
        for number in range(RESOURCES)
    },
}


async def _count(opening, host, port, path, opened, counted):
    async with opening:
        reader, writer = await asyncio.open_connection(host, port, limit=2**22)
        lines = [f'GET {path} HTTP/1.1', f'Host: {host}:{port}', 'Accept: text/event-stream']
        writer.write('\r\n'.join([*lines, '', '']).encode())
        status = await reader.readline()
    assert b' 200 ' in status, status
    with opened.get_lock():
        opened.value += 1
    with contextlib.suppress(OSError):
        while data := await reader.read(2**20):
            with counted.get_lock():
                counted.value += data.count(b'event: event')


async def _count_all(number, *arguments):
    opening = asyncio.Semaphore(50)
    async with asyncio.TaskGroup() as group:
        for _ in range(number):
            group.create_task(_count(opening, *arguments))


def _listen(number, *arguments):
    asyncio.run(_count_all(number, *arguments))


@contextlib.contextmanager
def listeners(service, number):
    """Hold streams of the project open in another process; yield the number of their events."""
    host, _, port = service.url.removeprefix('http://').partition('/')[0].partition(':')
    path = f'/v1/{service.project}/events'
    opened, counted = multiprocessing.Value('i', 0), multiprocessing.Value('q', 0)
    process = multiprocessing.Process(
        target=_listen, args=(number, host, int(port), path, opened, counted), daemon=True
    )
    process.start()
    try:
        end = time.monotonic() + WAIT_SECONDS
        while opened.value < number:
            assert process.is_alive() and time.monotonic() < end, f'{opened.value} streams'
            time.sleep(0.1)
        yield counted
    finally:
        process.kill()
        process.join()


def processor_time(process):
    """Return the seconds of processor time of a process with all its children."""
    total = 0
    for pid in bystander.family(process.pid):
        with contextlib.suppress(OSError):
            fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
            total += int(fields[11]) + int(fields[12])
    return total / TICKS


def work(service, number):
    """Create and delete a stack; wait for the end of each."""
    body = {'stack_name': f's{number}', 'template': TEMPLATE}
    identity = service.ask('POST', '/stacks', body).json()['stack']['id']
    _ended(service, f'/stacks/s{number}/{identity}', 'CREATE_COMPLETE')
    service.ask('DELETE', f'/stacks/s{number}/{identity}')
    _ended(service, f'/stacks/s{number}/{identity}', 'DELETE_COMPLETE')


def _ended(service, path, status):
    end = time.monotonic() + WAIT_SECONDS
    while service.ask('GET', path).json()['stack']['stack_status'] != status:
        assert time.monotonic() < end, path
        time.sleep(0.05)


def costs(service, streams):
    """Return the seconds of each process, and the events, for so many streams."""
    with listeners(service, streams) if streams else contextlib.nullcontext() as counted:
        time.sleep(2)
        before = {name: processor_time(each) for name, each in service.processes.items()}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda number: work(service, number), range(STACKS)))
        time.sleep(3)
        used = {
            name: round(processor_time(each) - before[name], 2)
            for name, each in service.processes.items()
        }
        return used, counted.value if counted else 0


def latencies(service, number=60):
    """Return the milliseconds from the answer to each create to the first event of the stack."""
    found = []
    with event_streams.listening(f'{service.endpoint}/events') as stream:
        for each in range(number):
            seen = len(stream.messages)
            body = {'stack_name': f'l{each}', 'template': TEMPLATE}
            identity = service.ask('POST', '/stacks', body).json()['stack']['id']
            answered = time.time()
            stream.wait(lambda one, wanted=identity, seen=seen: _first(one, wanted, seen))
            found.append((_first(stream, identity, seen) - answered) * 1000)
            _ended(service, f'/stacks/l{each}/{identity}', 'CREATE_COMPLETE')
            service.ask('DELETE', f'/stacks/l{each}/{identity}')
            _ended(service, f'/stacks/l{each}/{identity}', 'DELETE_COMPLETE')
    return found


def _first(stream, identity, seen):
    """Return the time of the first event of a stack, after so many messages, or None."""
    for at, message in zip(stream.times[seen:], stream.messages[seen:], strict=False):
        if message.kind == 'event' and identity in str(message.data):
            return at
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(':')[0])
    parser.add_argument('--shape', default='mariadb', choices=shapes.ALL[:3])
    parser.add_argument('--streams', type=int, nargs='+', default=[0, 1, 2000])
    parser.add_argument('--rounds', type=int, default=3)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        shapes.shape(options.shape, Path(folder)) as service,
    ):
        costs(service, 0)
        for streams in options.streams * options.rounds:
            print(streams, 'streams:', *costs(service, streams), flush=True)
        found = sorted(latencies(service))
        print(f'first event: median {statistics.median(found):.0f} ms, most {found[-1]:.0f} ms')


if __name__ == '__main__':
    main()
