"""The wait for a healthy container.

The service runs the check by itself while it waits: an engine waits a whole interval before the
first check, and Podman runs none on a host without systemd.
"""

import time

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.containers.engine_object import ThreadedCall

#: what engines use where a check does not say it, in seconds
INTERVAL, TIMEOUT, RETRIES = 30.0, 30.0, 3
OUTPUT_LENGTH = 300


class HealthCheck:
    """The check of a container, as its engine shows it.

    ``command``: that of the template. Podman shows it without the bounds of its arguments.
    """

    def __init__(self, shown, command=None):
        shown = shown or {}
        self.command = command or _command(shown.get('Test') or ())
        self.interval = _seconds(shown.get('Interval')) or INTERVAL
        self.timeout = _seconds(shown.get('Timeout')) or TIMEOUT
        self.retries = shown.get('Retries') or RETRIES
        self.start_period = _seconds(shown.get('StartPeriod')) or 0.0


def _command(test):
    if test and test[0] == 'CMD-SHELL':
        return ['/bin/sh', '-c', ' '.join(test[1:])]
    if test and test[0] == 'CMD':
        return list(test[1:])
    return None if not test or test[0] == 'NONE' else list(test)


def _seconds(nanoseconds):
    return nanoseconds / 1e9 if nanoseconds else None


def wait_until_healthy(container, check):
    """Generator: wait until the check succeeds. Raises Error if the container is unhealthy."""
    begun, failures = time.monotonic(), 0
    while True:
        found = yield from container.running_state()
        if found['Status'] == 'exited':
            return
        state = found.get('Health') or {}
        if state.get('Status') == 'healthy':
            return
        if state.get('Status') == 'unhealthy':
            raise exception.Error(f'the container is unhealthy: {_last_output(state)}')
        try:
            status, output = yield from _run(container, check)
        except errors.ServiceError as error:
            # the engine refuses a check in a container that has just ended: that is the cause
            yield from container.running_state()
            status, output = None, f': {error}'
        if status == 0:
            return
        if time.monotonic() - begun >= check.start_period:
            failures += 1
        if failures >= check.retries:
            raise exception.Error(
                f'the container is not healthy: {" ".join(check.command)} failed {failures} times, '
                f'at last with status {status}{output}'
            )
        yield check.interval


def _run(container, check):
    """Generator: run the check in the container. Return its exit status and its output.

    Podman does not tell the end of a command that nothing is attached to, so a thread is.
    """
    call = container.container_engine().call
    made = yield from container.request('exec_create', container.resource_id, check.command)
    attached = ThreadedCall(call, 'exec_start', made['Id'])
    if not (yield from attached.has_ended(check.timeout)):
        return None, f' (no answer after {check.timeout:g} s)'
    output = _text((yield from attached.wait()))
    shown = yield from container.request('exec_inspect', made['Id'])
    return shown['ExitCode'], f': {output}' if output else ''


def _text(data):
    return (data or b'').decode(errors='replace').strip()[-OUTPUT_LENGTH:]


def _last_output(state):
    log = state.get('Log') or [{}]
    return (log[-1].get('Output') or 'without output')[-OUTPUT_LENGTH:]
