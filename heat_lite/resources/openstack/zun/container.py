"""OS::Zun::Container."""

from heat_lite.common import status
from heat_lite.resources.cloud import CloudResource, Rest, wired
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint
from heat_lite.template.schema import boolean, integer, list_, map_, map_attribute, number, string, text

NETWORK, PORT, FIXED_IP = 'network', 'port', 'fixed_ip'
FAILED = ('Error', 'Dead')
#: the states of one that has begun, or has ended already
READY = ('Running', 'Stopped')


class Container(CloudResource):
    """A container that runs something."""

    resource_type = 'OS::Zun::Container'
    support_status = support.since('9.0.0')
    rest = Rest('zun', '/containers', None, ready=READY, failed=FAILED, vanishes=True, stuck=('Error',), update='PATCH', id='uuid')
    entity = 'containers'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'command': string('What it runs.'),
        'cpu': number('How many processors it has.', update_allowed=True),
        'environment': map_('The environment of what it runs.'),
        'hints': map_('What the scheduler is told.', support=support.since('10.0.0')),
        'hostname': string('What it calls itself.', support=support.since('10.0.0')),
        'image': string('The image, by name or id.', required=True),
        'image_driver': string('Where images come from.', constraints=[AllowedValues(['docker', 'glance'])]),
        'image_pull_policy': string('When the image is fetched.', constraints=[AllowedValues(['ifnotpresent', 'always', 'never'])]),
        'interactive': boolean('Whether somebody can write to it.'),
        'labels': map_('Labels with values.'),
        'memory': integer('How many MiB of memory it has.', update_allowed=True),
        'mounts': list_(
            'The volumes that it sees.',
            map_(
                None,
                {
                    'mount_path': string('Where.', required=True, wire='destination'),
                    'volume_id': string('The volume, by name or id.', ref='cinder.volume', wire='source'),
                    'volume_size': integer('How many GiB a new one has.', wire='size'),
                },
            ),
        ),
        'networks': list_(
            'The networks that it is connected to, in this order.',
            map_(
                None,
                {
                    FIXED_IP: string('The address that it shall have.', constraints=[CustomConstraint('ip_addr')]),
                    NETWORK: string('The network, by name or id.', ref='neutron.network'),
                    PORT: string('The port, by name or id.', ref='neutron.port'),
                },
            ),
            update_allowed=True,
            support=support.since('11.0.0'),
            wire='nets',
        ),
        'restart_policy': string('When it is started again: no, on-failure[:times], always, unless-stopped.', sent=False),
        'security_groups': list_('Its security groups.', default=[], support=support.since('10.0.0')),
        'tty': boolean('Whether it has a terminal.', support=support.since('14.0.0')),
        'workdir': string('Where its command runs.'),
    }
    attributes_schema = {
        'addresses': map_attribute('Its addresses, by network.'),
        'name': text('Its name.'),
    }

    # ------------------------------------------------------------ life

    def body(self, values):
        made = {name: str(value) if name == 'memory' else value for name, value in values.items() if value != []}
        if self.properties['restart_policy']:
            name, _, times = self.properties['restart_policy'].partition(':')
            made['restart_policy'] = {'Name': name, **({'MaximumRetryCount': times} if times else {})}
        if 'mounts' in made:
            made['mounts'] = [_mount(each) for each in made['mounts']]
        if 'nets' in made:
            made['nets'] = [_net(each) for each in made['nets']]
        return made

    def make(self, values):
        """It is started, too."""
        return (yield from self.ask(self.client().ask, 'POST', self.collection(), values, params={'run': 'true'}))

    def changes(self, changed, diff):
        """Networks have requests of their own."""
        return {name: str(value) if name == 'memory' else value for name, value in changed.items() if name != 'nets'}

    def after(self, action, diff):
        if action == status.CREATE or 'networks' not in diff:
            return
        schema = self.properties_schema['networks']
        before = [_net(each) for each in wired(schema, self.held('networks') or [])]
        wanted = [_net(each) for each in wired(schema, diff['networks'] or [])]
        going = [('detach', each) for each in before if each not in wanted]
        coming = [('attach', each) for each in wanted if each not in before]
        for verb, net in (*going, *coming):
            yield from self.ask(self.client().request, 'POST', f'{self.object_path()}/network_{verb}', params=_asked(verb, net))
            yield from self.until_ready(None)

    def handle_delete(self):
        """One that runs is stopped first."""
        if self.resource_id is None:
            return
        there = yield from self.take_away(self.client().ask, 'DELETE', self.object_path(), params={'stop': 'true'})
        if there:
            yield from self.until_gone()


def _mount(given):
    """A volume that is there is named, another is made by its size; the service wants both words as texts."""
    made = {'destination': given['destination'], 'source': given.get('source', '')}
    return {**made, 'size': str(given['size'])} if given.get('size') else made


def _net(given):
    names = {NETWORK: 'network', PORT: 'port', FIXED_IP: 'v4-fixed-ip'}
    return {names.get(name, name): value for name, value in given.items()}


def _asked(verb, net):
    """What a request about one network says: to detach, its port or its network is enough."""
    named = {name: net[name] for name in ('network', 'port') if net.get(name)}
    return {**named, **({'fixed_ip': net['v4-fixed-ip']} if verb == 'attach' and net.get('v4-fixed-ip') else {})}
