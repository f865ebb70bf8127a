"""OS::Heat::ResourceChain."""

from heat_lite.resources.group import GroupResource
from heat_lite.template import support
from heat_lite.template.schema import boolean, list_, list_attribute, map_, map_attribute


class ResourceChain(GroupResource):
    """Members of several types with the same properties, made one after the other."""

    resource_type = 'OS::Heat::ResourceChain'
    support_status = support.since('6.0.0')

    properties_schema = {
        'resources': list_('The types of the members, in their order.', required=True, update_allowed=True),
        'concurrent': boolean('Whether they are all made at once.', default=False),
        'resource_properties': map_('The properties of each member.'),
    }
    attributes_schema = {
        'refs': list_attribute('The references of the members, in their order.'),
        'attributes': map_attribute('An attribute of all members, by their names.'),
    }

    def member_names(self):
        return [str(number) for number in range(len(self.properties['resources']))]

    def definer(self):
        types = self.properties['resources']
        given = {name: value for name, value in (self.properties['resource_properties'] or {}).items() if value is not None}
        chained = not self.properties['concurrent']

        def define(name):
            made = {'type': types[int(name)]}
            if given:
                made['properties'] = given
            if chained and name != '0':
                made['depends_on'] = [str(int(name) - 1)]
            return made

        return define

    def validated(self):
        """Each of its members is of another kind."""
        return self.child_template(), 1

    def validate_nested(self):
        types = self.properties['resources']
        self.refuse_size(len(types))
        for type_name in types:
            self.check_type(type_name)
        super().validate_nested()

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.at_rest()
        yield from super().handle_update(definition, tmpl_diff, prop_diff)
