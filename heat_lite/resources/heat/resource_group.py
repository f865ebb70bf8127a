"""OS::Heat::ResourceGroup and OS::Heat::ResourceChain."""

import contextlib

from heat_lite.common import exception
from heat_lite.common.value_types import without_none
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.group import GroupResource, draft_with_one_member
from heat_lite.template import members
from heat_lite.template.members import RollingPolicy
from heat_lite.template.schema import (
    boolean,
    integer,
    list_,
    list_attribute,
    map_,
    map_attribute,
    number,
    string,
)
from heat_lite.template.unknown import Unknown, ValueUnknown, is_known, require_known

REMOVED = 'removed_rsrc_list'
#: the key of the resource's data that stores removed names, comma-separated
REMOVED_DATA = 'name_blacklist'

BATCH = {
    'max_batch_size': integer(common_properties.MAX_BATCH_SIZE, default=1, min=1),
    'pause_time': number(common_properties.PAUSE_TIME, default=0, min=0),
}
IN_SERVICE = integer(common_properties.MIN_IN_SERVICE, default=0, min=0)


class ResourceGroup(GroupResource):
    """A group of numbered members that share one definition."""

    resource_type = 'OS::Heat::ResourceGroup'
    since = '2014.1'
    member_property = 'resource_def'

    properties_schema = {
        'count': integer('Number of members.', default=1, update_allowed=True, min=0),
        'index_var': string(
            'Placeholder for the index of the member in its properties.',
            default='%index%',
            since='2014.2',
            min=3,
        ),
        'resource_def': map_(
            'Definition of the members.',
            {
                'type': string('Resource type of the members.', required=True),
                'properties': map_('Properties of the members.'),
                'metadata': map_('Metadata of the members.', since='5.0.0'),
            },
            required=True,
            update_allowed=True,
        ),
        'removal_policies': list_(
            'Policies for the choice of members to remove when the group shrinks.',
            {
                'resource_list': list_(
                    'Names or reference IDs of members to remove. Their names are not used again.',
                    default=[],
                )
            },
            default=[],
            update_allowed=True,
            since='2015.1',
        ),
        'removal_policies_mode': string(
            'Mode of the removal policies: "append" adds to the names removed '
            'before, "update" replaces them.',
            default='append',
            update_allowed=True,
            since='10.0.0',
            allowed=['append', 'update'],
        ),
    }
    update_policy_schema = {
        'rolling_update': map_(
            common_properties.ROLLING_UPDATE, {'min_in_service': IN_SERVICE, **BATCH}, since='5.0.0'
        ),
        'batch_create': map_(
            'Policy of the create, which creates the members in batches.', BATCH, since='5.0.0'
        ),
    }
    attributes_schema = {
        'refs': list_attribute(common_properties.MEMBER_REFS),
        'refs_map': map_attribute(common_properties.MEMBER_REFS_MAP, since='7.0.0'),
        'attributes': map_attribute(common_properties.MEMBER_ATTRIBUTES, since='2014.2'),
        'removed_rsrc_list': list_attribute(
            'List of the removed names, which are not used again.', since='7.0.0'
        ),
    }

    # ------------------------------------------------------------ members

    def properties_of(self, definition):
        found = super().properties_of(definition)
        with contextlib.suppress(exception.StackValidationFailed):  # the validation refuses it
            placeholder = found['index_var']
            if is_known(placeholder):
                found.data = members.index_calls(found.data, placeholder)
        return found

    def member_names(self):
        count = self.properties['count']
        require_known(count)
        return members.first_names(count, self._removed())

    def describe_nested(self):
        return draft_with_one_member(self, self.validated_names()[:1] or ['0'])

    def definition_factory(self):
        definition = self.properties['resource_def']
        placeholder = self.properties['index_var']
        require_known(placeholder)
        given = without_none(definition['properties'] or {})

        def define(name):
            made = {'type': definition['type']}
            if given:
                made['properties'] = members.render_member(given, placeholder, name)
            if isinstance(definition['metadata'], Unknown) or definition['metadata']:
                made['metadata'] = definition['metadata']
            return made

        return define

    def template_outputs(self, names):
        return {**super().template_outputs(names), members.REFS_MAP: members.reference_map(names)}

    def _removed(self):
        """Return the names that are not used (again): the stored ones and those of the removal
        policies.
        """
        wanted = [
            each
            for policy in self.properties['removal_policies'] or ()
            for each in policy['resource_list'] or ()
        ]
        append = self.properties['removal_policies_mode'] == 'append'
        return members.removed_names(
            self._stored_removed(),
            wanted,
            None if self.nested() is None else self.member_references(),
            append,
        )

    def _stored_removed(self):
        return [name for name in (self.data().get(REMOVED_DATA) or '').split(',') if name]

    def _store_removed(self, removed):
        if removed != self._stored_removed():
            self.data_set(REMOVED_DATA, ','.join(removed))

    def release_member(self, name):
        self._store_removed([*self._stored_removed(), name])

    def validate_content(self, run):
        with contextlib.suppress(ValueUnknown):
            self.check_size(self.properties['count'])
        if self.validated_names():
            self.check_type(self.properties['resource_def']['type'])
        super().validate_content(run)

    # ------------------------------------------------------------ actions

    def handle_create(self):
        removed = self._removed()
        self._store_removed(removed)
        count, policy = self.properties['count'], self.update_policy()['batch_create']
        if not policy or not count:
            yield from super().handle_create()
            return
        rolling = RollingPolicy(policy['max_batch_size'])
        yield from self.create_with_template(members.template({}, {}))
        yield from self.apply_batches(
            members.index_batches([], count, rolling, removed), policy['pause_time']
        )

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.settle()
        removed = self._removed()
        self._store_removed(removed)
        policy = self.update_policy()['rolling_update'] if 'resource_def' in prop_diff else None
        if not policy:
            yield from super().handle_update(definition, tmpl_diff, prop_diff)
            return
        rolling = RollingPolicy(policy['max_batch_size'], policy['min_in_service'])
        present = sorted((each.name for each in self.members()), key=int)
        batches = members.index_batches(
            present, self.properties['count'], rolling, removed, self.up_to_date_members()
        )
        yield from self.apply_batches(batches, policy['pause_time'])

    # ------------------------------------------------------------ references and attributes

    def group_attribute(self, first):
        return self._stored_removed() if first == REMOVED else super().group_attribute(first)


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
