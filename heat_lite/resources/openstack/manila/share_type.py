"""OS::Manila::ShareType."""

from heat_lite.common import status
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import boolean, map_, string


class ShareType(CloudResource):
    """A kind of shares."""

    resource_type = 'OS::Manila::ShareType'
    support_status = support.since('5.0.0')
    rest = Rest('manila', '/types', 'share_type')
    entity = 'share_types'

    properties_schema = {
        'name': string('Its name.', required=True),
        'driver_handles_share_servers': boolean('Whether shares get servers of their own.', required=True, sent=False),
        'extra_specs': map_('What it promises, by names.', update_allowed=True, sent=False),
        'is_public': boolean('Whether all projects may use it.', default=True, wire='share_type_access:is_public'),
        'snapshot_support': boolean('Whether snapshots can be made.', default=True, support=support.since('6.0.0'), sent=False),
    }

    def body(self, values):
        needed = {name: self.properties[name] for name in ('driver_handles_share_servers', 'snapshot_support')}
        return {**values, 'extra_specs': needed}

    def after(self, action, diff):
        if 'extra_specs' not in diff:
            return
        before = {} if action == status.CREATE else self.held('extra_specs') or {}
        after, path = diff['extra_specs'] or {}, f'{self.object_path()}/extra_specs'
        for name in sorted(before.keys() - after.keys()):
            yield from self.take_away(self.client().delete, f'{path}/{name}')
        if after:
            yield from self.ask(self.client().create, path, 'extra_specs', after)
