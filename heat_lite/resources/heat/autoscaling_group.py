"""OS::Heat::AutoScalingGroup."""

from heat_lite.common import exception
from heat_lite.resources.scaling import ScalingGroup, map_of_references
from heat_lite.template import members, support
from heat_lite.template.constraints import Range
from heat_lite.template.members import REFS, Pace
from heat_lite.template.schema import integer, integer_attribute, list_attribute, map_, map_attribute, number

OUTPUTS, OUTPUTS_LIST, SIZE = 'outputs', 'outputs_list', 'current_size'
PARTS = ('type', 'properties', 'metadata', 'depends_on', 'deletion_policy', 'update_policy', 'description')
SIZES = {'required': True, 'update_allowed': True, 'constraints': [Range(min=0)]}


class AutoScalingGroup(ScalingGroup):
    """Members made from one definition, as many as are wanted at the time."""

    resource_type = 'OS::Heat::AutoScalingGroup'
    support_status = support.since('2014.1')
    defining = ('resource',)

    properties_schema = {
        'max_size': integer('The most members that there may be.', **SIZES),
        'min_size': integer('The fewest members that there may be.', **SIZES),
        'cooldown': integer('Seconds after a change of size in which no signal changes it again.', update_allowed=True),
        'desired_capacity': integer('How many members there are at first, and after each update of the stack.', update_allowed=True),
        'resource': map_('What each member is, as in the section of resources.', required=True, update_allowed=True),
        'rolling_updates': map_(
            'How members are changed when the definition changes: in batches.',
            {
                'min_in_service': integer('How many members stay as they are meanwhile.', default=0, constraints=[Range(min=0)]),
                'max_batch_size': integer('How many members are changed at once.', default=1, constraints=[Range(min=1)]),
                'pause_time': number('Seconds to wait between two batches.', default=0, constraints=[Range(min=0)]),
            },
            default={'min_in_service': 0, 'max_batch_size': 1, 'pause_time': 0},
            update_allowed=True,
        ),
    }
    attributes_schema = {
        'outputs': map_attribute('An attribute of all members, by their names.', support=support.since('2014.2')),
        'outputs_list': list_attribute('An attribute of all members.', support=support.since('2014.2')),
        'current_size': integer_attribute('How many members work.', support=support.since('2015.1')),
        'refs': list_attribute('The references of the members.', support=support.since('7.0.0')),
        'refs_map': map_attribute('The references of the members, by their names.', support=support.since('7.0.0')),
    }

    def definer(self):
        # what is no part of a definition is not looked at, as ever
        definition = {key: value for key, value in self.properties['resource'].items() if key in PARTS}
        return lambda name: definition

    def pace(self):
        policy = self.properties['rolling_updates']
        return Pace(policy['max_batch_size'], policy['min_in_service'], policy['pause_time'])

    # ------------------------------------------------------------ what others read

    def outputs_for(self, path, names):
        member = members.member_path(path)
        rest = member[1] if member else path[1:] if path[0] in (OUTPUTS, OUTPUTS_LIST) else ()
        return {members.output_name((OUTPUTS, *rest)): members.attributes_map(names, rest)} if rest else {}

    def _outputs(self, names):
        return {**super()._outputs(names), **map_of_references(names)}

    def member_attribute(self, path, name, rest):
        """Members are counted here, the oldest is the first."""
        working = self._working()
        if not name.isdecimal() or int(name) >= len(working):
            raise exception.GroupMemberNotFound(member=name, group=self.name)
        found = self.attributes_map((OUTPUTS, *rest), rest) if rest else self.references()
        return found.get(working[int(name)])

    def own_attribute(self, first, rest):
        if first == SIZE:
            return self.size()
        if first == REFS:
            return list(self.references().values())  # all of it, whatever the path asks for: as in Heat
        if first in (OUTPUTS, OUTPUTS_LIST) and rest:
            found = self.attributes_map((OUTPUTS, *rest), rest)
            return found if first == OUTPUTS else list(found.values())
        return super().own_attribute(first, rest)

    def common_attribute(self, path):
        raise exception.InvalidTemplateAttribute(resource=self.name, key=path[0])
