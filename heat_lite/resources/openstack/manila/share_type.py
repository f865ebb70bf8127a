"""OS::Manila::ShareType."""

from heat_lite.resources.base import object_types
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import boolean, map_, string


class ShareType(CloudResource):
    """A share type."""

    resource_type = 'OS::Manila::ShareType'
    heat_class = 'ManilaShareType'
    since = '5.0.0'
    rest = Rest('manila', '/types', 'share_type')
    entity = 'share_types'

    properties_schema = {
        'name': string('Name of the share type.', required=True),
        'driver_handles_share_servers': boolean(
            'Whether the driver creates a share server for each share network.',
            required=True,
            sent=False,
        ),
        'extra_specs': map_('Extra specs of the share type.', update_allowed=True, sent=False),
        'is_public': boolean(
            'Whether all projects can use the share type.',
            default=True,
            wire='share_type_access:is_public',
        ),
        'snapshot_support': boolean(
            'Whether shares of this type support snapshots.',
            default=True,
            since='6.0.0',
            sent=False,
        ),
    }

    def body(self, values):
        needed = {
            name: self.properties[name]
            for name in ('driver_handles_share_servers', 'snapshot_support')
        }
        return {**values, 'extra_specs': needed}

    def follow_up(self, action, diff):
        yield from object_types.update_specs(self, action, diff, 'extra_specs')
