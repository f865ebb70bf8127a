"""OS::Cinder::Volume."""

from heat_lite.common import exception, status
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.resources.openstack.cinder.attachments import attach, detach
from heat_lite.resources.openstack.cinder.backups import Kept
from heat_lite.template import support
from heat_lite.template.constraints import Range
from heat_lite.template.schema import CACHE_NONE, boolean, boolean_attribute, integer, list_attribute, map_, map_attribute, string, text

FAILED = ('error', 'error_restoring', 'error_extending', 'error_backing-up', 'error_deleting')
#: attributes that are texts of what they once were
TEXTS = ('attachments', 'metadata')
#: what a volume may begin with, beside a backup
SOURCES = ('snapshot_id', 'source_volid', 'image')
#: what an update may do by a request of its own, in the order of the requests
VERBS = ('volume_type', 'size', 'read_only', 'metadata', 'backup_id')


class Volume(Kept, CloudResource):
    """A volume: a disk that outlives servers."""

    resource_type = 'OS::Cinder::Volume'
    rest = Rest(
        'cinder',
        '/volumes',
        'volume',
        ready=('available', 'in-use'),
        failed=FAILED,
        vanishes=True,
        stuck=('error_deleting',),
        joined='/volumes/detail',
    )
    entity = 'volumes'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'availability_zone': string('The availability zone that it shall live in.'),
        'backup_id': string('A backup to begin with, or to go back to.', update_allowed=True, ref='cinder.backup', sent=False),
        'description': string('A text that says what it is for.', update_allowed=True),
        'image': string('An image to begin with, by name or id.', ref='glance.image', wire='imageRef'),
        'imageRef': string(support=support.hidden('5.0.0', previous=support.deprecated('2014.1')), alias_of='image'),
        'metadata': map_('Labels with values.', default={}, update_allowed=True),
        'multiattach': boolean(
            'Whether several servers may use it at once.', default=False, support=support.hidden('13.0.0', previous='6.0.0')
        ),
        'read_only': boolean('Whether nothing can be written to it.', update_allowed=True, support=support.since('5.0.0'), sent=False),
        'scheduler_hints': map_('Hints to the scheduler.', support=support.since('2015.1'), sent=False),
        'size': integer('Its size in GiB. It can only grow.', update_allowed=True, constraints=[Range(min=1)]),
        'snapshot_id': string('A snapshot to begin with.', ref='cinder.snapshot'),
        'source_volid': string('A volume to begin with.', ref='cinder.volume'),
        'volume_type': string('Its type, by name or id.', update_allowed=True, ref='cinder.vtype'),
    }
    attributes_schema = {
        'attachments': text(
            'What it is attached to, as a text.', cache_mode=CACHE_NONE, support=support.deprecated('9.0.0', previous='2015.1')
        ),
        'attachments_list': list_attribute(
            'What it is attached to.', cache_mode=CACHE_NONE, support=support.since('9.0.0'), wire='attachments'
        ),
        'availability_zone': text('The availability zone that it lives in.'),
        'bootable': text('Whether servers can start from it.'),
        'created_at': text('When it was made.'),
        'display_description': text('Its description.', wire='description'),
        'display_name': text('Its name.', wire='name'),
        'encrypted': text('Whether it is encrypted.'),
        'metadata': text('Its metadata, as a text.'),
        'metadata_values': map_attribute('Its metadata.', wire='metadata'),
        'multiattach': boolean_attribute('Whether several servers may use it at once.', support=support.since('6.0.0')),
        'size': text('Its size in GiB.'),
        'snapshot_id': text('The snapshot that it was made from.'),
        'source_volid': text('The volume that it was made from.'),
        'status': text('Its status.', cache_mode=CACHE_NONE),
        'volume_type': text('Its type.'),
    }

    def validate(self):
        super().validate()
        if self._says('backup_id'):
            return
        sources, size = [name for name in SOURCES if self._says(name)], self._says('size')
        said = f'but currently specified options: {sources}.'
        if not size and sources not in (['snapshot_id'], ['source_volid']):
            raise exception.StackValidationFailed(
                'If neither "backup_id" nor "size" is provided, '
                f'one and only one of "source_volid", "snapshot_id" must be specified, {said}'
            )
        if len(sources) > 1:
            raise exception.StackValidationFailed(
                f'If "size" is provided, only one of "image", "imageRef", "source_volid", "snapshot_id" can be specified, {said}'
            )

    def _says(self, name):
        """Whether a property is set to something, which may not be known yet."""
        value = self.properties.unsought(name)
        return self.properties.is_given(name) if value is None else bool(value)

    def make(self, values):
        body = {self.rest.key: values}
        if self.properties['scheduler_hints']:
            body['OS-SCH-HNT:scheduler_hints'] = self.properties['scheduler_hints']
        return (yield from self.ask(self.client().ask, 'POST', self.collection(), body))[self.rest.key]

    def body(self, values):
        """Types say now whether several servers may use a volume."""
        return {name: value for name, value in values.items() if name != 'multiattach' or value}

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if prop_diff.get('size') and prop_diff['size'] < (self.held('size') or 0):
            raise exception.NotSupported(feature='Shrinking volume')
        return super().handle_update(definition, tmpl_diff, prop_diff)

    def changes(self, changed, diff):
        return {name: changed[name] for name in ('name', 'description') if name in changed}

    def after(self, action, diff):
        verbs = ('backup_id', 'read_only') if action == status.CREATE else VERBS
        for name in verbs:
            if name in diff and (diff[name] is not None or name == 'metadata'):
                yield from self.until_ready(None)
                yield from getattr(self, f'_change_{name}')(diff[name])

    def _change_volume_type(self, name):
        yield from self._act('os-retype', new_type=name, migration_policy='never')

    def _change_size(self, size):
        if size > self.look()['size']:
            yield from self._act('os-extend', new_size=size)

    def _change_read_only(self, read_only):
        yield from self._act('os-update_readonly_flag', readonly=read_only)

    def _change_metadata(self, metadata):
        yield from self.ask(self.client().update, f'{self.object_path()}/metadata', 'metadata', metadata or {})

    def _change_backup_id(self, backup):
        """Only a volume that no server uses can go back to a backup."""
        users = self.look().get('attachments') or ()
        for each in users:
            yield from detach(self, each['server_id'], self.resource_id)
        values = {'volume_id': self.resource_id, 'name': self.physical_resource_name()}
        yield from self.ask(self.client().create, f'/backups/{backup}/restore', 'restore', values)
        if users:
            yield from self.until_ready(None)
        for each in users:
            yield from attach(self, each['server_id'], self.resource_id, each.get('device'))

    def _act(self, verb, **args):
        yield from self.ask(self.client().ask, 'POST', f'{self.object_path()}/action', {verb: args})

    def as_told(self, found):
        """Its type is told by its name; what counts is the id, which old services do not tell."""
        return {**found, 'volume_type': found.get('volume_type_id', self.held('volume_type'))}

    def resolve_attribute(self, name):
        value = super().resolve_attribute(name)
        return str(value) if name in TEXTS and value is not None else value
