"""OS::Heat::Value."""

from heat_lite.engine.resource import Resource
from heat_lite.template import parameter_types, support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import any_, any_attribute, string

TYPES = ('string', 'number', 'comma_delimited_list', 'json', 'boolean')


class Value(Resource):
    """Gives a name to the result of an expression, so that it is worked out once and used in many places."""

    resource_type = 'OS::Heat::Value'
    support_status = support.since('7.0.0')
    local = True

    properties_schema = {
        'value': any_('What the attribute "value" is worked out from.', required=True, update_allowed=True),
        'type': string(
            'The type that the value is turned into, as of a parameter.', update_allowed=True, constraints=[AllowedValues(TYPES)]
        ),
    }
    attributes_schema = {
        'value': any_attribute('The result.'),
    }

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """The attribute follows the properties by itself."""

    def resolve_attribute(self, name):
        kind = self.properties['type']
        value = self.properties['value']
        return value if kind is None else parameter_types.parse(kind, value)
