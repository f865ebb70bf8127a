"""OS::Heat::ResourceChain."""

from heat_lite.common.value_types import without_none
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.group import GroupResource
from heat_lite.template import members
from heat_lite.template.schema import boolean, list_, list_attribute, map_, map_attribute
from heat_lite.template.unknown import is_known


class ResourceChain(GroupResource):
    """Members of different types with the same properties, created one after the other."""

    resource_type = 'OS::Heat::ResourceChain'
    since = '6.0.0'

    properties_schema = {
        'resources': list_(
            'Resource types of the members, in the order of the chain.',
            required=True,
            update_allowed=True,
        ),
        'concurrent': boolean('Whether the members are created concurrently.', default=False),
        'resource_properties': map_('Properties of each member.'),
    }
    attributes_schema = {
        'refs': list_attribute(
            'List of the reference IDs of the members, in the order of the chain.'
        ),
        'attributes': map_attribute(common_properties.MEMBER_ATTRIBUTES),
    }

    def member_names(self):
        return [str(number) for number in range(len(self.properties['resources']))]

    def definition_factory(self):
        types = self.properties['resources']
        given = without_none(self.properties['resource_properties'] or {})
        chained = not self.properties['concurrent']

        charge = members.charge_of(given)

        def define(name):
            charge()
            made = {'type': types[int(name)]}
            if given:
                made['properties'] = given
            if chained and name != '0':
                made['depends_on'] = [str(int(name) - 1)]
            return made

        return define

    def template_to_validate(self):
        """Return the whole template: the members have different types."""
        return self.child_template(), 1

    def validate_content(self, run):
        types = self.properties['resources']
        self.check_size(len(types))
        for type_name in types:
            if is_known(type_name):
                self.check_type(type_name)
        super().validate_content(run)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.settle()
        yield from super().handle_update(definition, tmpl_diff, prop_diff)
