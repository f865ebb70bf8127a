"""OS::Heat::AutoScalingGroup."""

from heat_lite.common import exception
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.scaling import ScalingGroup
from heat_lite.template import members
from heat_lite.template.constraints import Range
from heat_lite.template.members import RollingPolicy
from heat_lite.template.schema import (
    integer,
    integer_attribute,
    list_attribute,
    map_,
    map_attribute,
    number,
)

OUTPUTS, OUTPUTS_LIST, SIZE = 'outputs', 'outputs_list', 'current_size'
PARTS = (
    'type',
    'properties',
    'metadata',
    'depends_on',
    'deletion_policy',
    'update_policy',
    'description',
)
SIZES = {'required': True, 'update_allowed': True, 'constraints': [Range(min=0)]}


class AutoScalingResourceGroup(ScalingGroup):
    """A scaling group whose members share one definition."""

    resource_type = 'OS::Heat::AutoScalingGroup'
    since = '2014.1'
    replacement_properties = ('resource',)
    by_member = (OUTPUTS, OUTPUTS_LIST)
    member_property = 'resource'

    properties_schema = {
        'max_size': integer(common_properties.GROUP_MAX_SIZE, **SIZES),
        'min_size': integer(common_properties.GROUP_MIN_SIZE, **SIZES),
        'cooldown': integer(common_properties.COOLDOWN, update_allowed=True),
        'desired_capacity': integer(common_properties.GROUP_DESIRED_CAPACITY, update_allowed=True),
        'resource': map_(
            'Definition of the members, as in the resources section of a template.',
            required=True,
            update_allowed=True,
        ),
        'rolling_updates': map_(
            common_properties.ROLLING_UPDATE,
            {
                'min_in_service': integer(common_properties.MIN_IN_SERVICE, default=0, min=0),
                'max_batch_size': integer(common_properties.MAX_BATCH_SIZE, default=1, min=1),
                'pause_time': number(common_properties.PAUSE_TIME, default=0, min=0),
            },
            default={'min_in_service': 0, 'max_batch_size': 1, 'pause_time': 0},
            update_allowed=True,
        ),
    }
    attributes_schema = {
        'outputs': map_attribute(common_properties.MEMBER_ATTRIBUTES, since='2014.2'),
        'outputs_list': list_attribute(
            "List of the members' values of an attribute.", since='2014.2'
        ),
        'current_size': integer_attribute(
            'Number of members that have not failed.', since='2015.1'
        ),
        'refs': list_attribute(common_properties.MEMBER_REFS, since='7.0.0'),
        'refs_map': map_attribute(common_properties.MEMBER_REFS_MAP, since='7.0.0'),
    }

    def definition_factory(self):
        # unknown keys of the definition are ignored, as in Heat
        definition = {
            key: value for key, value in self.properties['resource'].items() if key in PARTS
        }
        charge = members.charge_of(definition)

        def define(name):
            charge()
            return definition

        return define

    def rolling_policy(self):
        policy = self.properties['rolling_updates']
        return RollingPolicy(
            policy['max_batch_size'], policy['min_in_service'], policy['pause_time']
        )

    # ------------------------------------------------------------ references and attributes

    def outputs_for(self, path, names):
        member = members.member_path(path)
        rest = member[1] if member else path[1:] if path[0] in self.by_member else ()
        return (
            {members.output_name((OUTPUTS, *rest)): members.attribute_map(names, rest)}
            if rest
            else {}
        )

    def member_attribute(self, path, name, rest):
        """Return an attribute of a member by its index; the oldest member is the first."""
        working = self._healthy_members()
        if not name.isdecimal() or int(name) >= len(working):
            raise exception.GroupMemberNotFound(member=name, group=self.name)
        found = (
            self.member_attribute_map((OUTPUTS, *rest), rest) if rest else self.member_references()
        )
        return found.get(working[int(name)])

    def group_attribute(self, first):
        return self.size() if first == SIZE else super().group_attribute(first)

    def values_by_member(self, first, rest):
        found = super().values_by_member(OUTPUTS, rest)
        return found if first == OUTPUTS else list(found.values())
