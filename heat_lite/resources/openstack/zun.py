"""The resource types of Zun."""

import re

from heat_lite.common import status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.live_state import to_wire
from heat_lite.resources.base.property_rules import (
    conflict,
    filled,
    for_each,
    missing,
    one_of,
    refuse,
)
from heat_lite.template.schema import (
    boolean,
    integer,
    list_,
    map_,
    map_attribute,
    name_property,
    number,
    string,
)

NETWORK, PORT, FIXED_IP = 'network', 'port', 'fixed_ip'
FAILED = ('Error', 'Dead')
#: the statuses of a container that runs or has already exited
READY = ('Running', 'Stopped')
RESTART = re.compile('no|always|unless-stopped|on-failure(:[^:]*)?')


class Container(CloudResource):
    """A container."""

    resource_type = 'OS::Zun::Container'
    since = '9.0.0'
    rest = Rest(
        'zun',
        '/containers',
        None,
        ready=READY,
        failed=FAILED,
        deletes_async=True,
        delete_failed=('Error',),
        update='PATCH',
        id='uuid',
    )
    entity = 'containers'

    properties_schema = {
        'name': name_property(),
        'command': string('Command of the container.'),
        'cpu': number('Number of CPUs of the container.', update_allowed=True),
        'environment': map_('Environment variables of the container.'),
        'hints': map_('Scheduler hints for the placement of the container.', since='10.0.0'),
        'hostname': string('Host name of the container.', since='10.0.0'),
        'image': string('Image of the container, by name or id.', required=True),
        'image_driver': string('Driver that pulls the image.', allowed=['docker', 'glance']),
        'image_pull_policy': string(
            'Policy that decides when the image is pulled.',
            allowed=['ifnotpresent', 'always', 'never'],
        ),
        'interactive': boolean('Whether the standard input of the container stays open.'),
        'labels': map_('Labels of the container.'),
        'memory': integer('Memory of the container in MiB.', update_allowed=True),
        'mounts': list_(
            'Volumes to mount in the container.',
            {
                'mount_path': string(
                    'Path at which the volume is mounted.', required=True, wire='destination'
                ),
                'volume_id': string(
                    'Existing volume to mount, by name or id.',
                    ref='cinder.volume',
                    wire='source',
                ),
                'volume_size': integer('Size of a new volume in GiB.', wire='size'),
            },
        ),
        'networks': list_(
            'Networks of the container, in the order of its interfaces.',
            {
                FIXED_IP: string('Fixed IP address of the container.', custom='ip_addr'),
                NETWORK: string('Network of the container, by name or id.', ref='neutron.network'),
                PORT: string('Port of the container, by name or id.', ref='neutron.port'),
            },
            update_allowed=True,
            since='11.0.0',
            wire='nets',
        ),
        'restart_policy': string(
            'Restart policy: no, on-failure[:retries], always or unless-stopped.', sent=False
        ),
        'security_groups': list_('Security groups of the container.', default=[], since='10.0.0'),
        'tty': boolean('Whether the container has a terminal.', since='14.0.0'),
        'workdir': string('Working directory of the command.'),
    }
    property_rules = (
        refuse(
            'restart_policy "{restart_policy}" is invalid. Valid values are "no", '
            '"on-failure[:max-retry]", "always", and "unless-stopped".',
            restart_policy=lambda value, read: value and not RESTART.fullmatch(value),
        ),
        for_each(
            'mounts',
            refuse(
                'One of the properties "volume_id" or "volume_size" should be set for the '
                'specified mount of container "{resource.name}".',
                volume_id=missing,
                volume_size=missing,
            ),
            conflict('networks/volume_id', 'networks/volume_size', test=filled),
        ),
        for_each(
            'networks',
            one_of(NETWORK, PORT),
            conflict('networks.fixed_ip', 'networks.port'),
        ),
    )
    attributes_schema = {
        'addresses': map_attribute('IP addresses of the container by network.'),
        'name': 'Name of the container.',
    }

    # ------------------------------------------------------------ actions

    def body(self, values):
        body = {
            name: str(value) if name == 'memory' else value
            for name, value in values.items()
            if value != []
        }
        if self.properties['restart_policy']:
            name, _, times = self.properties['restart_policy'].partition(':')
            body['restart_policy'] = {
                'Name': name,
                **({'MaximumRetryCount': times} if times else {}),
            }
        if 'mounts' in body:
            body['mounts'] = [_mount(each) for each in body['mounts']]
        if 'nets' in body:
            body['nets'] = [_net(each) for each in body['nets']]
        return body

    def create_object(self, values):
        """A generator: create the container and start it."""
        return (yield from self.send('POST', self.collection(), values, params={'run': 'true'}))

    def changes(self, changed, diff):
        """A generator: update the container; networks have requests of their own."""
        return {
            name: str(value) if name == 'memory' else value
            for name, value in changed.items()
            if name != 'nets'
        }

    def follow_up(self, action, diff):
        if action == status.CREATE or 'networks' not in diff:
            return
        schema = self.properties_schema['networks']
        before = [_net(each) for each in to_wire(schema, self.stored_property('networks') or [])]
        wanted = [_net(each) for each in to_wire(schema, diff['networks'] or [])]
        going = [('detach', each) for each in before if each not in wanted]
        coming = [('attach', each) for each in wanted if each not in before]
        for verb, net in (*going, *coming):
            yield from self.call_with_retry(
                self.client().request,
                'POST',
                f'{self.object_path()}/network_{verb}',
                params=_network_parameters(verb, net),
            )
            yield from self.wait_until_ready(None)

    def delete_object(self):
        """A generator: stop a running container, then delete it."""
        existed = yield from self.delete_if_present(
            self.client().request_json, 'DELETE', self.object_path(), params={'stop': 'true'}
        )
        if existed:
            yield from self.wait_until_deleted()


def _mount(given):
    """Return a mount in the form of the request: an existing volume, or the size of a new one.

    Zun takes both as text.
    """
    body = {'destination': given['destination'], 'source': given.get('source', '')}
    return {**body, 'size': str(given['size'])} if given.get('size') else body


def _net(given):
    names = {NETWORK: 'network', PORT: 'port', FIXED_IP: 'v4-fixed-ip'}
    return {names.get(name, name): value for name, value in given.items()}


def _network_parameters(verb, net):
    """Return the parameters of a request for one network.

    Detaching needs only the port or the network.
    """
    named = {name: net[name] for name in ('network', 'port') if net.get(name)}
    return {
        **named,
        **({'fixed_ip': net['v4-fixed-ip']} if verb == 'attach' and net.get('v4-fixed-ip') else {}),
    }
