"""OS::Heat::Value."""

from heat_lite.engine.resource.resource import Resource
from heat_lite.template import properties
from heat_lite.template.schema import any_, any_attribute, boolean, list_, map_, number, string
from heat_lite.template.unknown import as_heat_shows

#: type in the template -> the schema that validates the value; the value itself is returned
#: unchanged, as in Heat
SCHEMATA = {
    'string': string(required=True),
    'number': number(required=True),
    'comma_delimited_list': list_(required=True),
    'json': map_(required=True),
    'boolean': boolean(required=True),
}


class Value(Resource):
    """A named value, so that an expression is evaluated once and used in many places."""

    resource_type = 'OS::Heat::Value'
    since = '7.0.0'
    local = True
    validates_properties_only = True

    properties_schema = {
        'value': any_(
            'Expression whose value the attribute "value" returns.',
            required=True,
            update_allowed=True,
        ),
        'type': string(
            'Type of the value, as for parameters.', update_allowed=True, allowed=list(SCHEMATA)
        ),
    }
    attributes_schema = {'value': any_attribute('The evaluated value.')}

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())

    def handle_update(self, definition, tmpl_diff, prop_diff):
        """Do nothing: the attribute is read from the properties."""

    def validate(self):
        super().validate()
        kind = self.properties['type']
        if kind is not None and self.stack.checks_values:
            self._typed(kind).validate()

    def shown_properties(self):
        """Return the properties for a preview, with the value converted to its type."""
        shown = super().shown_properties()
        kind = shown.get('type')
        if kind not in SCHEMATA:  # none, or not known yet
            return shown
        return {**shown, 'value': as_heat_shows(self._typed(kind)['value'])}

    def _typed(self, kind):
        given = {'value': self.definition.properties['value']}
        return properties.Properties(
            {'value': SCHEMATA[kind]}, given, self.stack.resolve, self.name
        )

    def resolve_attribute(self, name):
        return self.properties['value']
