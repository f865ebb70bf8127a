"""HeatLite::Container::Job."""

import time

from heat_lite.common import exception
from heat_lite.resources.containers import container_body
from heat_lite.resources.containers.container_schema import (
    file_properties,
    limit_properties,
    mount_properties,
    network_properties,
    process_properties,
    right_properties,
)
from heat_lite.resources.containers.process import (
    CREATED,
    PROCESS_ATTRIBUTES,
    RESTARTING,
    RUNNING,
    ProcessContainer,
)
from heat_lite.template.schema import any_, integer, list_, text

OUTPUT, EXIT_CODE = 'output', 'exit_code'
#: characters of the output that are kept
OUTPUT_LENGTH = 10000
LIST = '/containers/json'
FIRST_POLL, MAX_POLL = 0.1, 1.0


class Job(ProcessContainer):
    """A container that runs to its end. The job fails with its exit status."""

    resource_type = 'HeatLite::Container::Job'
    structured = ('triggers',)

    properties_schema = {
        **process_properties(),
        **network_properties(),
        **mount_properties(),
        **file_properties(),
        **limit_properties(),
        **right_properties(),
        'success_codes': list_(
            'Exit statuses that count as success.', integer(), default=[0], update_allowed=True
        ),
        'triggers': any_('Any value; a new value runs the job again.'),
    }
    attributes_schema = {
        **PROCESS_ATTRIBUTES,
        OUTPUT: text(f'Last {OUTPUT_LENGTH} characters of the standard output.'),
    }

    def host_uses(self):
        return container_body.host_uses(self.properties)

    def wait_until_ready(self):
        """Generator: wait for the end of the container. Raises Error for another exit status."""
        begun, delay = time.monotonic(), FIRST_POLL
        while not (yield from self._has_ended(begun)):
            yield delay
            delay = min(delay * 1.5, MAX_POLL)
        state = (yield from self.request('inspect_container', self.resource_id))['State']
        code = state['ExitCode']
        # The engine may remove the container: the results are kept.
        self.data_set(OUTPUT, self.read_end_of_logs(stderr=False)[-OUTPUT_LENGTH:])
        self.data_set(EXIT_CODE, str(code))
        if code not in self.properties['success_codes']:
            raise exception.Error(f'the job ended with exit status {code}{self.last_output()}')

    def _has_ended(self, begun):
        """Generator: return whether the container has ended. All jobs share a list."""
        poller = self.stack.clients().shared_poller(self._poller_name(), LIST)
        polled, found = yield from self.call_with_retry(
            poller.fetch, self.container_engine(), LIST, None, self.resource_id, begun, 'id'
        )
        if not polled:
            return False
        if found is None:
            shown = yield from self.request('inspect_container', self.resource_id)
            return shown['State']['Status'] not in (*CREATED, *RUNNING, RESTARTING)
        return found['State'] not in (*CREATED, *RUNNING, RESTARTING)

    def _poller_name(self):
        return f'{self.default_client_name} {self.container_engine().url}'

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if prop_diff.keys() - {'success_codes'}:
            raise exception.UpdateReplace(self.name)
        return
        yield  # makes this handler a generator

    def handle_check(self):
        """Check nothing: a job that has ended may be removed."""
        return
        yield  # makes this handler a generator

    def handle_suspend(self):
        return
        yield  # makes this handler a generator

    handle_resume = handle_suspend

    def resolve_attribute(self, name):
        if name in (OUTPUT, EXIT_CODE):
            return self.data().get(name)
        return super().resolve_attribute(name)
