"""OS::Cinder::VolumeType."""

from heat_lite.common import exception, status
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import boolean, list_, map_, string


class VolumeType(CloudResource):
    """A kind of volumes."""

    resource_type = 'OS::Cinder::VolumeType'
    support_status = support.since('2015.1')
    rest = Rest('cinder', '/types', 'volume_type', extension='os-types-manage')
    entity = 'volume_types'
    shown = {'metadata': 'extra_specs'}

    properties_schema = {
        'name': string('Its name.', required=True, update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True, support=support.since('5.0.0')),
        'is_public': boolean(
            'Whether all projects may use it.',
            default=True,
            update_allowed=True,
            support=support.since('5.0.0'),
            wire='os-volume-type-access:is_public',
        ),
        'metadata': map_('What it promises, by names (extra specs).', update_allowed=True, sent=False),
        'projects': list_(
            'The projects that may use it, where not all may, by names or ids.',
            string(ref='keystone.project'),
            default=[],
            update_allowed=True,
            support=support.since('5.0.0'),
            sent=False,
        ),
    }

    def validate(self):
        super().validate()
        if self.properties['is_public'] and self.properties['projects']:
            raise exception.StackValidationFailed('Can not specify property "projects" if the volume type is public.')

    def changes(self, changed, diff):
        """For a change the key has a plainer name, and no description is an empty one."""
        if changed.get('description', '') is None:
            changed['description'] = ''
        public = changed.pop('os-volume-type-access:is_public', None)
        return changed if public is None else {**changed, 'is_public': public}

    def after(self, action, diff):
        new = action == status.CREATE
        if 'metadata' in diff:
            yield from self._promise({} if new else self.held('metadata') or {}, diff['metadata'] or {})
        if 'projects' in diff and not self.properties['is_public']:
            yield from self._share(set() if new else set(self.held('projects') or ()), set(diff['projects'] or ()))

    def _promise(self, before, after):
        path = f'{self.object_path()}/extra_specs'
        for name in sorted(before.keys() - after.keys()):
            yield from self.take_away(self.client().delete, f'{path}/{name}')
        if after:
            yield from self.ask(self.client().create, path, 'extra_specs', after)

    def _share(self, before, after):
        for verb, projects in (('removeProjectAccess', before - after), ('addProjectAccess', after - before)):
            for each in sorted(projects):
                yield from self.ask(self.client().ask, 'POST', f'{self.object_path()}/action', {verb: {'project': each}})
