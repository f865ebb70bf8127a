"""OS::Cyborg::DeviceProfile."""

import functools

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.template.schema import OURS, description_property, list_, map_, name_property


class DeviceProfile(CloudResource):
    """A device profile: the accelerators of the servers of a flavor that names it."""

    resource_type = 'OS::Cyborg::DeviceProfile'
    since = OURS
    rest = Rest('cyborg', '/device_profiles', 'device_profile', id='uuid')

    properties_schema = {
        'name': name_property(update_allowed=False, pattern='^[a-zA-Z0-9_-]+$'),
        'groups': list_(
            'Groups of requirements. Their keys begin with "resources:", "trait:" or "accel:".',
            map_(),
            required=True,
            min=1,
        ),
        'description': description_property(update_allowed=False),
    }

    def physical_resource_name(self):
        """Return the generated name, without the dots that Cyborg refuses."""
        return super().physical_resource_name().replace('.', '-')

    def create_object(self, values):
        """Generator: create the profile, by a list of one."""
        create = functools.partial(self.client().create, self.collection(), None, [values])
        return (yield from self.create_once(create))
