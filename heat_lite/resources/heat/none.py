"""OS::Heat::None."""

from heat_lite.engine.resource import Resource


class NoneResource(Resource):
    """Nothing at all: takes any properties and has any attributes, so that it can stand in for a type that is switched off."""

    resource_type = 'OS::Heat::None'
    local = True

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())

    def validate(self):
        """Whatever it is given is fine."""

    def attribute(self, *path):
        return None

    def has_attribute(self, name):
        return True

    def properties_of(self, definition):
        return _NO_PROPERTIES


class _NoProperties(dict):
    """Properties of which nobody asks anything."""

    def resolved(self):
        return {}

    def validate(self, with_value=True):
        return None


_NO_PROPERTIES = _NoProperties()
