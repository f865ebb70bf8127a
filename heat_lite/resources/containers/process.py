"""The base class of resource types that run a container, and the wait for a healthy one.

The service runs the health check by itself while it waits: an engine waits a whole interval before
the first check, and Podman runs none on a host without systemd.
"""

import json
import time

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.containers import archives, container_body
from heat_lite.resources.containers.engine_object import EngineObject, ThreadedCall
from heat_lite.template.schema import live_text, map_attribute

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


#: data: the container was stopped for its replacement, and starts again if that fails
RELEASED = 'released'
GRACE_SECONDS = 10
LOG_LINES, REASON_LINES, REASON_LENGTH = 1000, 5, 500
MAX_LOG_BYTES = 40000
#: states of a container that was not started yet, and of one that runs
CREATED, RUNNING = ('created', 'configured', 'initialized'), ('running', 'paused')
RESTARTING = 'restarting'
POLL_SECONDS = 0.5
#: seconds after which a container without a health check must still run
STEADY_SECONDS = 0.3

PROCESS_ATTRIBUTES = {
    'name': 'Name of the container.',
    'status': live_text('Status of the container.'),
    'exit_code': live_text('Exit status of the container, if it has ended.'),
    'address': 'IP address in the first network.',
    'addresses': map_attribute('IP addresses by network.'),
    'image_id': 'Id of the image.',
    'started_at': live_text('Time of the last start.'),
    'logs': live_text(f'Last {LOG_LINES} lines of standard output and standard error.'),
}


class ProcessContainer(EngineObject):
    """A container that is created, started, stopped and removed."""

    noun = 'container'

    # ------------------------------------------------------------ hooks of types

    def container_body(self):
        """Return the body of the create request."""
        return container_body.create_body(self.properties, self.labels())

    def container_files(self):
        """Return the files to put into the container (see ``archives.pack_files``)."""
        return container_body.files(self.properties, self.stack.runtime.secret)

    def container_networks(self):
        """Return the networks of the container; the first one is in the body already."""
        return self.properties['networks'] or ()

    def grace_seconds(self):
        """Return the seconds that the container has to end."""
        return GRACE_SECONDS

    def health_command(self):
        """Return the command of the health check of the template; None for that of the image."""
        return None

    # ------------------------------------------------------------ create

    def handle_create(self):
        if self.resource_id is None:
            self.require_rights()
            made = yield from self.create_container()
            self.resource_id_set(made)
        yield from self.start_container()
        yield from self.wait_until_ready()

    def create_container(self):
        """Generator: create the container and return its id; pull its image if it is missing."""
        create = ('create_container_from_config', self.container_body(), self.object_name())
        try:
            return (yield from self.create_once(*create))
        except errors.NotFound as error:
            if 'image' not in error.service_message.lower():
                raise
        yield from self.pull_image()
        return (yield from self.create_once(*create))

    def pull_image(self):
        """Generator: pull the image. Raises BadRequest if that is impossible."""
        image = self.properties['image']
        stream = yield from self.request_in_thread('pull', image)
        failed = pull_error(stream)
        if failed:
            raise errors.BadRequest(
                f'the container engine has no image "{image}" and cannot pull it: '
                f'{failed[-REASON_LENGTH:]}'
            )

    def start_container(self):
        """Generator: put in the files, connect the further networks, start the container.

        Each step may have been done before the service was killed.
        """
        shown = yield from self.call_with_retry(self.inspect)
        if shown['State']['Status'] not in CREATED:
            return
        files = self.container_files()
        if files:
            data = archives.pack_files(files)
            yield from self.request('put_archive', self.resource_id, '/', data)
        connected = (shown.get('NetworkSettings') or {}).get('Networks') or {}
        for each in list(self.container_networks())[1:]:
            if each['network'] not in connected:
                yield from self.connect(each)
        yield from self.request('start', self.resource_id)

    def connect(self, given):
        """Generator: connect the container to a network."""
        yield from self.request(
            'connect_container_to_network',
            self.resource_id,
            given['network'],
            ipv4_address=given['ip_address'],
            ipv6_address=given['ipv6_address'],
            aliases=given['aliases'] or None,
        )

    def find_existing(self):
        listed = self.container_engine().call('containers', all=True, filters=self.own_filter())
        return self.own_id(listed)

    # ------------------------------------------------------------ states

    def running_state(self):
        """Generator: return the state of a container that runs or has ended well.

        Raises Error if it has failed.
        """
        while True:
            shown = yield from self.call_with_retry(self.inspect)
            state = shown['State']
            if state['Status'] in RUNNING:
                return state
            if state['Status'] == 'exited' and state['ExitCode'] == 0:
                return state
            if state['Status'] != RESTARTING:
                raise exception.Error(
                    f'the container ended with status {state["ExitCode"]}{self.last_output()}'
                )
            yield POLL_SECONDS

    def wait_until_ready(self):
        """Generator: wait until the container runs and, if it has a check, is healthy."""
        shown = yield from self.call_with_retry(self.inspect)
        config = shown.get('Config') or {}
        check = HealthCheck(config.get('Healthcheck'), self.health_command())
        if not check.command:
            yield from self.running_state()
            yield STEADY_SECONDS
            yield from self.running_state()
        else:
            yield from wait_until_healthy(self, check)

    def last_output(self):
        """Return the last lines of the logs as the end of a reason."""
        try:
            lines = self.read_logs(REASON_LINES).strip()
        except errors.ServiceError:
            return ''
        return f': {lines[-REASON_LENGTH:]}' if lines else ' and without output'

    def read_logs(self, lines=LOG_LINES, **options):
        """Return the last lines of the logs as text."""
        call = self.container_engine().call
        found = _decode(call('logs', self.resource_id, tail=lines, **options))
        # With a number of lines, Podman leaves out text that no line feed ends.
        return found or self.read_end_of_logs(**options)

    def read_end_of_logs(self, **options):
        """Return the last characters of all logs. They are read as a stream."""
        end = b''
        stream = self.container_engine().stream
        for chunk in stream('logs', self.resource_id, stream=True, follow=False, **options):
            end = (end + chunk)[-MAX_LOG_BYTES:]
        return _decode(end)

    def handle_check(self):
        self.require_object()
        yield
        state = self.inspect()['State']
        healthy = (state.get('Health') or {}).get('Status')
        if healthy == 'unhealthy':
            raise exception.Error('the container is unhealthy')
        if state['Status'] != 'running' and (state['Status'] != 'exited' or state['ExitCode']):
            raise exception.Error(
                f"'status': expected 'running', got '{state['Status']}' with exit status "
                f'{state["ExitCode"]}'
            )

    def shown_image(self, found):
        """Return the name of the image of a container: the given one if it is of the same image."""
        image, wanted = found['Config']['Image'], (self.stored_properties() or {}).get('image')
        is_same = wanted and self._image(wanted).get('Id') == self._image(image).get('Id')
        return wanted if is_same else image  # engines show the whole name

    def image_config(self, found):
        """Return what a container has of its image."""
        return self._image(found['Config']['Image']).get('Config') or {}

    def _image(self, name):
        try:
            return self.container_engine().call('inspect_image', name)
        except errors.NotFound:
            return {}

    # ------------------------------------------------------------ stop and delete

    def stop_container(self):
        """Generator: stop the container; it may be stopped already, or paused."""
        stop = ('stop', self.resource_id)
        try:
            yield from self.request_in_thread(*stop, timeout=int(self.grace_seconds()))
        except errors.NotFound:
            raise
        except errors.ServiceError:
            shown = yield from self.call_with_retry(self.inspect)
            if shown['State']['Status'] != 'paused':
                raise
            yield from self.request('unpause', self.resource_id)  # Podman stops no paused one
            yield from self.request_in_thread(*stop, timeout=int(self.grace_seconds()))

    def delete_object(self):
        try:
            yield from self.stop_container()
        except errors.NotFound:
            return
        yield from self.request_if_present('remove_container', self.resource_id, force=True, v=True)

    def handle_suspend(self):
        self.require_object()
        yield from self.stop_container()

    def handle_resume(self):
        self.require_object()
        yield from self.request('start', self.resource_id)
        yield from self.wait_until_ready()

    # ------------------------------------------------------------ attributes

    def resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == 'logs':
            return self.read_logs()
        return self.attribute_of(self.show(), name)

    def attribute_of(self, shown, name):
        """Return an attribute from what the engine shows."""
        state, networks = shown['State'], addresses(shown)
        if name == 'addresses':
            return networks
        if name == 'address':
            return next(iter(self._in_order(networks)), None)
        if name == 'exit_code':
            return None if state['Status'] in RUNNING else str(state['ExitCode'])
        values = {
            'name': shown['Name'].lstrip('/'),
            'status': state['Status'],
            'image_id': shown['Image'],
            'started_at': state.get('StartedAt'),
        }
        return values.get(name)

    def _in_order(self, networks):
        """Return the addresses, those of the networks in the template first."""
        given = [each['network'] for each in self.container_networks()]
        return [networks[name] for name in (*given, *networks) if networks.get(name)]


def pull_error(stream):
    """Return the error in the answer to a pull; None without one."""
    lines = [json.loads(line) for line in (stream or '').splitlines() if line.strip()]
    return next((each['error'] for each in lines if each.get('error')), None)


def addresses(shown):
    """Return ``{network: IP address}`` of a container."""
    settings = shown.get('NetworkSettings') or {}
    found = {
        name: each.get('IPAddress') or each.get('GlobalIPv6Address')
        for name, each in (settings.get('Networks') or {}).items()
    }
    return {name: address for name, address in found.items() if address}


def _decode(data):
    return data.decode(errors='replace') if isinstance(data, bytes) else data
