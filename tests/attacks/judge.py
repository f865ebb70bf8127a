"""The table of attacks, measured: python -m tests.attacks.judge --help.

Each attack is sent to a running service by several clients of one project at once. Another project
uses the service meanwhile: its longest wait is the figure of the row. The memory of each process is
taken before and after.
"""

import argparse
import concurrent.futures
import contextlib
import json
import re
import tempfile
import time
import uuid
from pathlib import Path

import requests

from tests import identity, ports, stack_domain
from tests.attacks import bystander, holding, hostile
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

ATTACKER = 'hostile'
#: beside those of the functional tests: the web server of the attackers is on this machine
OPTIONS = '\n[heat_lite]\ntemplate_url_allow = 127.0.0.0/8\n'
CFN = f"""
[heat_api_cfn]
bind_host = 127.0.0.1
bind_port = {{port}}
workers = 1
[ec2authtoken]{identity.LOGIN}
[clients_keystone]
auth_uri = {{url}}
"""
SHAPES = {'mariadb': 'mysql', 'postgresql': 'postgresql'}
CFN_ROW = 'api-cfn'
#: after which processes have reclaimed memory
QUIET_SECONDS = 60


@contextlib.contextmanager
def running(shape, folder, options=''):
    """Run a service of a shape for attacks; yield it and the URL of heat-lite-api-cfn or None.

    ``options``: further lines of the group [heat_lite].
    """
    options = OPTIONS + options
    with contextlib.ExitStack() as stack:
        if shape == 'embedded':
            (folder / 'attacks.conf').write_text(options)
            arguments = ('--config-file', folder / 'attacks.conf')
            yield stack.enter_context(shapes.embedded(folder, *arguments)), None
            return
        users = stack_domain.Identity({}, shapes.USERS)
        port = ports.reserve()
        cfn = CFN.format(port=port, url=stack.enter_context(identity.serve(users)))
        service = stack.enter_context(
            shapes.split(folder, shape, SHAPES[shape], more=options + cfn)
        )
        configuration = folder / 'heat-lite.conf'
        process = shapes.start(
            service, CFN_ROW, shapes.BIN / 'heat-lite-api-cfn', '--config-file', configuration
        )
        stack.callback(shapes.stop, process)
        _wait_for(f'http://127.0.0.1:{port}')
        yield service, f'http://127.0.0.1:{port}'


def _wait_for(url):
    end = time.monotonic() + shapes.READY_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(OSError), holding.connect(url):
            return
        time.sleep(0.1)
    raise AssertionError(f'{url} does not listen')


def attacks(service, cfn, clients):
    """Return the rows for a service: name -> a function that attacks and returns statuses."""

    def requests_of(make):
        method, path, body = make()
        text = None if body is None else json.dumps(body)

        def send(_):
            name = f'h{uuid.uuid4().hex}'
            sent = text and text.replace('"stack_name": "hostile"', f'"stack_name": "{name}"')
            answer = service.ask(method, path, sent, project=ATTACKER, timeout=300)
            return answer.status_code

        return lambda: set(holding.at_once(send, clients))

    rows = {name: requests_of(make) for name, make in hostile.REQUESTS.items()}
    rows |= {name: lambda each=each: each(service) for name, each in holding.ATTACKS.items()}
    if cfn:
        signed = holding.SIGNED_ATTACKS
        rows |= {name: lambda each=each: each(cfn) for name, each in signed.items()}
    return rows


def memory(service):
    """Return the resident memory of all processes of a service in MB, by name and process id."""

    def resident(folder):
        return int((folder / 'status').read_text().partition('VmRSS:')[2].split()[0]) // 1024

    return of_processes(service, resident)


def of_processes(service, read):
    """Return ``read(folder in /proc)`` of all processes of a service, by name and process id."""
    found = {}
    for name, process in service.processes.items():
        for pid in bystander.family(process.pid):
            with contextlib.suppress(OSError):
                found[name, pid] = read(Path(f'/proc/{pid}'))
    return found


def growth(before, after):
    """Return the largest growth of a process in MB, and the names of processes that ended."""
    ended = sorted({name for name, pid in before.keys() - after.keys()})
    grown = max((after[each] - before[each] for each in before.keys() & after.keys()), default=0)
    return grown, ended


def settle(service, before, limit, seconds=WAIT_SECONDS):
    """Wait until no process has grown by ``limit`` MB; return as ``growth`` does.

    Processes still work on requests whose clients have gone, and reclaim memory only when they are
    quiet. What remains after ``seconds`` is kept.
    """
    end = time.monotonic() + seconds
    while (found := growth(before, memory(service)))[0] >= limit and time.monotonic() < end:
        time.sleep(0.5)
    return found


def measure(service, attack):
    """Attack once. Return seconds of the attack, its result, and the waits of the bystander."""
    with bystander.asking(service) as waits:
        begun = time.monotonic()
        result = attack()
        seconds = time.monotonic() - begun
        time.sleep(0.2)
    return seconds, result, waits


def ended(service, path):
    """Return a stack of the attacker after the end of its action."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        stack = service.ask('GET', path, project=ATTACKER).json()['stack']
        if not stack['stack_status'].endswith('IN_PROGRESS'):
            return stack
        assert time.monotonic() < end, stack
        time.sleep(0.2)


def described(waits):
    """Return the longest wait and the median, and the longest by the work of the service."""
    return (
        f'{waits.longest:5.2f} s of work, {max(waits.seconds):6.2f} s in all,'
        f' p50 {bystander.middle(waits.seconds) * 1000:5.0f} ms'
    )


def calm(service, seconds=60):
    """Wait until the service answers at its usual speed: the work of the last attack is done."""
    end, quick = time.monotonic() + seconds, 0
    while quick < 10 and time.monotonic() < end:
        begun = time.monotonic()
        service.ask('GET', '/stacks', project=bystander.PROJECT)
        quick = quick + 1 if time.monotonic() - begun < 0.1 else 0
        time.sleep(0.02)


def drained(service):
    """Wait until the service accepts connections from the attacker's address again."""
    end, accepted = time.monotonic() + WAIT_SECONDS, 0
    while accepted < 5:
        assert time.monotonic() < end, 'connections are still refused'
        try:
            answer = service.ask('GET', '/stacks', project=bystander.PROJECT)
            accepted += answer.status_code == 200
        except requests.ConnectionError:
            accepted = 0
            time.sleep(0.1)


def clean(service):
    """Delete the stacks of the attacker."""
    found = service.ask('GET', '/stacks', project=ATTACKER).json()['stacks']
    paths = [f'/stacks/{each["stack_name"]}/{each["id"]}' for each in found]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(
            pool.map(lambda path: service.ask('DELETE', path, project=ATTACKER, timeout=300), paths)
        )


def judge(shape, folder, pattern, clients, write=print):
    """Measure all rows whose name matches a pattern, and write a table of them."""
    with running(shape, folder) as (service, cfn):
        measure(service, lambda: time.sleep(1))
        before = memory(service)
        _, _, waits = measure(service, lambda: time.sleep(3))
        write(f'{shape}: without attack {described(waits)}; memory {sorted(before.values())} MB')
        for name, attack in attacks(service, cfn, clients).items():
            if not re.search(pattern, name):
                continue
            then = memory(service)
            try:
                seconds, result, waits = measure(service, attack)
                worst = described(waits)
            except AssertionError as error:
                seconds, result, worst = 0, None, f'FAILED {error}'[:300]
            now = growth(then, memory(service))
            write(
                f'{shape} | {name:40} | {worst} | took {seconds:5.1f} s | {now[0]:+4} MB'
                f' {now[1] or ""} | {result or ""}'
            )
            drained(service)
            clean(service)
            calm(service)
        time.sleep(QUIET_SECONDS)
        write(f'{shape}: memory after all attacks {growth(before, memory(service))}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(':')[0])
    parser.add_argument('--shape', nargs='+', default=['embedded', 'mariadb'])
    parser.add_argument('--clients', type=int, default=20, help='parallel requests of an attack')
    parser.add_argument('--only', default='', help='regular expression of the names of rows')
    options = parser.parse_args()
    for shape in options.shape:
        with tempfile.TemporaryDirectory() as folder:
            judge(
                shape,
                Path(folder),
                options.only,
                options.clients,
                lambda line: print(line, flush=True),
            )


if __name__ == '__main__':
    main()
