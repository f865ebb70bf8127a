"""OS::Heat::None."""

import uuid

from heat_lite.engine.resource.resource import Resource
from heat_lite.template import properties


class NoneResource(Resource):
    """A placeholder for a disabled type.

    It accepts any properties, and each of its attributes is null.
    """

    resource_type = 'OS::Heat::None'
    since = '5.0.0'
    local = True
    #: for the linter: the schema does not limit the properties
    accepts_any_property = True

    def handle_create(self):
        self.resource_id_set(str(uuid.uuid4()))

    def validate(self):
        """Accept any definition."""

    def validate_names(self):
        """Accept any names."""

    def attribute(self, *path):
        return None

    def has_attribute(self, name):
        return True

    def supports_snapshot_delete(self):
        """Return True, as for any definition: there is nothing to keep."""
        return True

    def properties_of(self, definition):
        return _NO_PROPERTIES


_NO_PROPERTIES = properties.Properties({})
