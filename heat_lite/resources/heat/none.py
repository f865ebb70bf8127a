"""OS::Heat::None."""

import uuid

from heat_lite.engine.resource import Resource
from heat_lite.template import properties, support


class NoneResource(Resource):
    """Nothing at all: takes any properties and has any attributes, so that it can stand in for a type that is switched off."""

    resource_type = 'OS::Heat::None'
    support_status = support.since('5.0.0')
    local = True

    def handle_create(self):
        self.resource_id_set(str(uuid.uuid4()))

    def validate(self):
        """Whatever it is given is fine."""

    def validate_names(self):
        """Any name will do."""

    def attribute(self, *path):
        return None

    def has_attribute(self, name):
        return True

    def properties_of(self, definition):
        return _NO_PROPERTIES


_NO_PROPERTIES = properties.Properties({})
