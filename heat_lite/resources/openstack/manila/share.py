"""OS::Manila::Share."""

from heat_lite.common import exception, status
from heat_lite.resources.cloud import CloudResource, Rest, pauses, wired
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import boolean, integer, list_, list_attribute, map_, string, text

RULE = ('access_to', 'access_type', 'access_level')
#: what has another name when it is changed
RENAMED = {'name': 'display_name', 'description': 'display_description'}


class Share(CloudResource):
    """A file system that many may use."""

    resource_type = 'OS::Manila::Share'
    support_status = support.since('5.0.0')
    rest = Rest(
        'manila', '/shares', 'share', ready=('available',), failed=('error', 'error_deleting'), vanishes=True, stuck=('error_deleting',)
    )
    entity = 'shares'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'share_protocol': string(
            'The protocol by which it is used.',
            required=True,
            constraints=[AllowedValues(['NFS', 'CIFS', 'GlusterFS', 'HDFS', 'CEPHFS'])],
            wire='share_proto',
        ),
        'size': integer('Its size in GiB.', required=True),
        'access_rules': list_(
            'Who may use it.',
            map_(
                None,
                {
                    'access_level': string('Whether reading (ro) is all.', constraints=[AllowedValues(['ro', 'rw'])]),
                    'access_to': string('The address, user or certificate.', required=True),
                    'access_type': string(
                        'What tells who it is.', required=True, constraints=[AllowedValues(['ip', 'user', 'cert', 'cephx'])]
                    ),
                },
            ),
            default=[],
            update_allowed=True,
            sent=False,
        ),
        'description': string('A text that says what it is for.', update_allowed=True),
        'is_public': boolean('Whether other projects see it.', default=False, update_allowed=True),
        'metadata': map_('Labels with values.', update_allowed=True),
        'share_network': string('The network that it is reached by, by name or id.', ref='manila.share_network', wire='share_network_id'),
        'share_type': string('Its type, by name or id.', ref='manila.share_type'),
        'snapshot': string('A snapshot to begin with, by name or id.', ref='manila.share_snapshot', wire='snapshot_id'),
    }
    attributes_schema = {
        'availability_zone': text('The availability zone that it lives in.'),
        'created_at': text('When it was made.'),
        'export_locations': list_attribute('The addresses that it is reached at.'),
        'host': text('The host that it lives on.'),
        'project_id': text('The project that owns it.'),
        'share_server_id': text('The server that it has of its own.'),
        'status': text('Its status.'),
    }

    def changes(self, changed, diff):
        """Labels have a request of their own."""
        return {RENAMED.get(name, name): value for name, value in changed.items() if name != 'metadata'}

    def after(self, action, diff):
        if action == status.UPDATE and 'metadata' in diff:
            path = f'{self.object_path()}/metadata'
            yield from self.ask(self.client().ask, 'PUT', path, {'metadata': diff['metadata'] or {}})
        if 'access_rules' in diff:
            yield from self.until_ready(None)
            yield from self._let_in(wired(self.properties_schema['access_rules'], diff['access_rules'] or []))

    def _let_in(self, wanted):
        present = (yield from self._act('access_list', None))['access_list']
        known = {_essence(each): each['id'] for each in present}
        keep = {_essence(each) for each in wanted}
        for essence, rule in known.items():
            if essence not in keep:
                yield from self.take_away(self._ask, 'deny_access', {'access_id': rule})
        for each in wanted:
            if _essence(each) not in known:
                yield from self._act('allow_access', each)
        yield from self._until_let_in()

    def _until_let_in(self):
        """A generator: rules are applied in the background."""
        for pause in pauses():
            found = yield from self.ask(self.look)
            state = found.get('access_rules_status')
            if state == 'error':
                raise exception.ResourceInError(resource_status=state, status_reason='its access rules could not be applied')
            if state in (None, 'active'):
                return
            yield pause

    def _act(self, verb, args):
        return (yield from self.ask(self._ask, verb, args))

    def _ask(self, verb, args):
        return self.client().ask('POST', f'{self.object_path()}/action', {verb: args})

    def resolve_attribute(self, name):
        if name == 'export_locations':
            found = self.client().list(f'{self.object_path()}/export_locations', 'export_locations')
            return [each['path'] for each in found]
        return super().resolve_attribute(name)


def _essence(rule):
    return tuple(rule.get(name) or ('rw' if name == 'access_level' else '') for name in RULE)
