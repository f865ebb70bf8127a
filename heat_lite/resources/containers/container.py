"""HeatLite::Container::Container and HeatLite::Container::Job."""

import time

from heat_lite.clients import errors
from heat_lite.common import container_labels, exception
from heat_lite.common.value_types import without_none
from heat_lite.engine.stack import lifecycle
from heat_lite.resources.base import live_state
from heat_lite.resources.base.stack_user import SeparateStackUser
from heat_lite.resources.containers import agent_access, container_body
from heat_lite.resources.containers.container_schema import (
    FILE_PROPERTIES,
    HEALTH_PROPERTIES,
    LIMIT_PROPERTIES,
    MOUNT_PROPERTIES,
    PORT_PROPERTIES,
    PROCESS_PROPERTIES,
    RIGHT_PROPERTIES,
    SERVICE_PROPERTIES,
    network_properties,
)
from heat_lite.resources.containers.process import (
    CREATED,
    PROCESS_ATTRIBUTES,
    RELEASED,
    RESTARTING,
    RUNNING,
    ProcessContainer,
)
from heat_lite.template.schema import (
    OURS,
    any_,
    boolean,
    integer,
    integer_attribute,
    list_,
    live_text,
    map_attribute,
)

#: properties that a container has of its image
IMAGE_PARTS = {'command', 'entrypoint', 'working_dir', 'user'}
LIMITS = {'memory', 'cpus', 'cpu_shares', 'cpu_set', 'restart'}


class DescribedContainer(ProcessContainer):
    """A container whose engine shows the properties of its resource."""

    shown_at = {
        'command': 'Config.Cmd',
        'entrypoint': 'Config.Entrypoint',
        'user': 'Config.User',
        'hostname': 'Config.Hostname',
        'tty': 'Config.Tty',
        'stdin_open': 'Config.OpenStdin',
        'privileged': 'HostConfig.Privileged',
        'read_only': 'HostConfig.ReadonlyRootfs',
    }

    def described(self, found):
        stored = self.stored_properties() or {}
        return {
            **super().described(found),
            **container_body.live_values(found, stored.get('networks')),
            **container_body.shown_values(found),
            'image': self.shown_image(found),
        }

    def live_properties(self):
        """Return the properties of the container without what its image gives."""
        shown, described = self.inspect(), super().live_properties()
        config = self.image_config(shown)
        given = self.described({**shown, 'Config': {'Image': '', **config}})
        same = {
            name for name in described if name in IMAGE_PARTS and described[name] == given[name]
        }
        if shown['Id'].startswith(described.get('hostname', '-')):
            same.add('hostname')
        found = {name: value for name, value in described.items() if name not in same}
        for name in ('environment', 'labels'):
            own = set((found.get(name) or {}).items()) - set(given[name].items())
            found[name] = {
                key: value for key, value in sorted(own) if key not in container_body.SET_BY_ENGINE
            }
        found['networks'] = container_body.joined_networks(shown)
        return {name: value for name, value in found.items() if value not in ({}, [], 0)}


class Container(DescribedContainer, SeparateStackUser):
    """A container that serves. It is complete when it runs and is healthy.

    A replacement starts beside the container, which ends only when the replacement is healthy. If
    both need the same name, published port or fixed address, the container is stopped before, and
    started again if its replacement fails.
    """

    resource_type = 'HeatLite::Container::Container'
    released_key = RELEASED
    since = OURS
    uses_deferred_auth = False

    properties_schema = {
        **PROCESS_PROPERTIES,
        **PORT_PROPERTIES,
        **HEALTH_PROPERTIES,
        **SERVICE_PROPERTIES,
        **network_properties(),
        **MOUNT_PROPERTIES,
        **FILE_PROPERTIES,
        **LIMIT_PROPERTIES,
        **RIGHT_PROPERTIES,
        'software_deployments': boolean(
            'Whether the agent heat-lite-agent in the image applies software deployments that name '
            'the container as their server. The container gets the variable '
            f'{agent_access.VARIABLE}.',
            default=False,
        ),
    }
    attributes_schema = {
        **PROCESS_ATTRIBUTES,
        'health': live_text('Result of the health check by the engine.'),
        'ports': map_attribute(
            'Published ports: the port of the container, such as 80/tcp, and that of the host.'
        ),
        'port': integer_attribute('First published port at the host.'),
    }

    def validate(self):
        super().validate()
        for each in self.properties['volumes'] or ():
            if bool(each['volume']) == bool(each['host_path']):
                raise exception.StackValidationFailed(
                    message=f'{self.name}: a mount in "volumes" names either a "volume" or a '
                    f'"host_path"; the one at {each["path"]} does not'
                )
        if self.properties['network_mode'] and self.properties['networks']:
            raise exception.StackValidationFailed(
                message=f'{self.name}: give either "networks" or "network_mode"'
            )
        if self.properties['software_deployments']:
            agent_access.require_url(self)

    def host_uses(self):
        return container_body.host_uses(self.properties)

    def grace_seconds(self):
        return self.stored_property('stop_grace_period')

    def health_command(self):
        check = self.properties['health_check']
        return check and [str(each) for each in check['command']]

    # ------------------------------------------------------------ the agent in the container

    def handle_create(self):
        if self.properties['software_deployments']:
            agent_access.create_key(self)
        yield from super().handle_create()

    def container_body(self):
        body = super().container_body()
        if self.properties['software_deployments']:
            variable = f'{agent_access.VARIABLE}={agent_access.deployments_url(self)}'
            body['Env'] = [*body.get('Env', ()), variable]
        return body

    def find_existing(self):
        self.user_may_be_lost = self.properties['software_deployments']
        return super().find_existing()

    def runs_agent(self):
        if self.resource_id is None or not self.stored_property('software_deployments'):
            return False
        try:
            return self.inspect()['State']['Status'] in RUNNING
        except errors.NotFound:
            return False

    def handle_delete(self):
        yield from super().handle_delete()
        if self.user_id is not None:
            self.delete_user()

    # ------------------------------------------------------------ live state

    def handle_check(self):
        """Return the Drift of a container that runs; None if no change is known."""
        yield from super().handle_check()
        observed = self.get_live_state(None)
        drift = live_state.describe_drift(
            self.stored_properties(), observed, self.definition.ignored_paths
        )
        return drift and lifecycle.Drift(drift)

    def get_live_state(self, resource_properties):
        stored = self.stored_properties()
        found = container_body.live_values(self.inspect(), stored.get('networks'))
        return live_state.observed_values(self.properties_schema, {}, stored, found)

    # ------------------------------------------------------------ update

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        """Return whether an engine cannot make a change: no request takes a limit away."""
        limits = LIMITS & {*changed}
        if any(after_properties[name] is None for name in limits):
            return True
        networks = (after_properties['networks'], before_properties['networks'])
        if 'networks' in changed and not all(networks) and any(networks):
            return True
        return bool(limits) and not self.container_engine().changes_limits()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if RELEASED in self.data():
            yield from self._take_back()
        if LIMITS & prop_diff.keys():
            yield from self._update_limits(prop_diff)
        if 'networks' in prop_diff:
            yield from self._update_networks(prop_diff['networks'] or ())

    def _update_limits(self, diff):
        """Generator: change limits in place. Raises UpdateReplace where the engine cannot."""
        changed = {name: diff.get(name) for name in LIMITS & diff.keys()}
        options = {
            'mem_limit': changed.get('memory') and changed['memory'] * container_body.MIB,
            'cpu_quota': container_body.cpu_quota(changed.get('cpus')),
            'cpu_period': container_body.CPU_PERIOD if changed.get('cpus') else None,
            'cpu_shares': changed.get('cpu_shares'),
            'cpuset_cpus': changed.get('cpu_set'),
            'restart_policy': changed.get('restart')
            and container_body.restart_policy(changed['restart']),
        }
        given = without_none(options)
        try:
            yield from self.request('update_container', self.resource_id, **given)
        except (errors.NotFound, errors.BadRequest) as error:
            raise exception.UpdateReplace(self.name) from error

    def _update_networks(self, networks):
        before = {each['network']: each for each in self.stored_property('networks') or ()}
        after = {each['network']: each for each in networks}
        for name in [name for name, each in before.items() if after.get(name) != each]:
            call = self.container_engine().call
            disconnect = ('disconnect_container_from_network', self.resource_id, name)
            yield from self.delete_if_present(call, *disconnect)
        shown = yield from self.call_with_retry(self.inspect)
        connected = shown['NetworkSettings']['Networks']
        for name in [name for name in after if name not in connected]:
            yield from self.connect(after[name])

    # ------------------------------------------------------------ replacement

    def prepare_for_replace(self, definition):
        if self.resource_id is None:
            return
        mine = container_body.exclusive_uses(self.stored_properties() or self.properties)
        shared = mine & container_body.exclusive_uses(self.properties_of(definition))
        if not shared:
            return
        self.data_set(RELEASED, '1')
        try:
            yield from self.stop_container()
            if any(kind == 'name' for kind, *_ in shared):
                yield from self.request('rename', self.resource_id, self._spare_name())
        except errors.NotFound:
            return

    def _spare_name(self):
        return f'{self.physical_resource_name()}-replaced'

    def _take_back(self):
        """Generator: start again, after the failed replacement has let go of what both need."""
        of_resource = container_labels.label_resource(self.stack.id, self.name)
        listed = yield from self.request('containers', all=True, filters=of_resource)
        for each in listed:
            if each['Id'] != self.resource_id:
                yield from self.request_in_thread('stop', each['Id'], timeout=0)
                yield from self.request('rename', each['Id'], f'{each["Id"][:12]}-failed')
        shown = yield from self.call_with_retry(self.inspect)
        if shown['Name'].lstrip('/') == self._spare_name():
            yield from self.request('rename', self.resource_id, self.object_name())
        yield from self.request('start', self.resource_id)
        yield from self.wait_until_ready()
        self.data_delete(RELEASED)

    def needs_replace_failed(self):
        """Return whether the failed container is replaced: not if it runs and only was unhealthy
        for too long.
        """
        if self.resource_id is None:
            return True
        try:
            state = self.inspect()['State']
        except errors.NotFound:
            return True
        return RELEASED not in self.data() and state['Status'] != 'running'

    # ------------------------------------------------------------ attributes

    def attribute_of(self, shown, name):
        if name == 'health':
            return (shown['State'].get('Health') or {}).get('Status')
        if name in ('ports', 'port'):
            ports = published_ports(shown)
            return ports if name == 'ports' else next(iter(ports.values()), None)
        return super().attribute_of(shown, name)


def published_ports(shown):
    """Return ``{'80/tcp': port of the host}`` of a container."""
    ports = (shown.get('NetworkSettings') or {}).get('Ports') or {}
    return {name: int(hosts[0]['HostPort']) for name, hosts in sorted(ports.items()) if hosts}


OUTPUT, EXIT_CODE = 'output', 'exit_code'
#: characters of the output that are kept
OUTPUT_LENGTH = 10000
LIST = '/containers/json'
FIRST_POLL, MAX_POLL = 0.1, 1.0


class Job(DescribedContainer):
    """A container that runs to its end. The job fails with its exit status."""

    resource_type = 'HeatLite::Container::Job'
    since = OURS
    structured = ('triggers',)

    properties_schema = {
        **PROCESS_PROPERTIES,
        **network_properties(),
        **MOUNT_PROPERTIES,
        **FILE_PROPERTIES,
        **LIMIT_PROPERTIES,
        **RIGHT_PROPERTIES,
        'success_codes': list_(
            'Exit statuses that count as success.', integer(), default=[0], update_allowed=True
        ),
        'triggers': any_('Any value; a new value runs the job again.'),
    }
    attributes_schema = {
        **PROCESS_ATTRIBUTES,
        OUTPUT: f'Last {OUTPUT_LENGTH} characters of the standard output.',
    }

    def host_uses(self):
        return container_body.host_uses(self.properties)

    def handle_adopt(self, resource_data):
        """Generator: take a container over; wait for its end if its results are not known."""
        super().handle_adopt(resource_data)
        if EXIT_CODE not in self.data():
            yield from self.wait_until_ready()

    def wait_until_ready(self):
        """Generator: wait for the end of the container. Raises Error for another exit status."""
        begun, delay = time.monotonic(), FIRST_POLL
        while not (yield from self._has_ended(begun)):
            yield delay
            delay = min(delay * 1.5, MAX_POLL)
        state = (yield from self.call_with_retry(self.inspect))['State']
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
            shown = yield from self.call_with_retry(self.inspect)
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
