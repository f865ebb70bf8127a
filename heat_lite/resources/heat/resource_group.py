"""OS::Heat::ResourceGroup."""

from heat_lite.resources.group import GroupResource, of_one_member
from heat_lite.template import members, support
from heat_lite.template.constraints import AllowedValues, Length, Range
from heat_lite.template.members import Pace
from heat_lite.template.schema import integer, list_, list_attribute, map_, map_attribute, number, string

REMOVED = 'removed_rsrc_list'
#: where the names that are not used again are kept: a text with commas
REMOVED_DATA = 'name_blacklist'

BATCH = {
    'max_batch_size': integer('How many members are changed at once.', default=1, constraints=[Range(min=1)]),
    'pause_time': number('Seconds to wait between two batches.', default=0, constraints=[Range(min=0)]),
}
IN_SERVICE = integer('How many members stay as they are meanwhile.', default=0, constraints=[Range(min=0)])


class ResourceGroup(GroupResource):
    """Members with numbers, all made from one definition."""

    resource_type = 'OS::Heat::ResourceGroup'
    support_status = support.since('2014.1')

    properties_schema = {
        'count': integer('How many members there are.', default=1, update_allowed=True, constraints=[Range(min=0)]),
        'index_var': string(
            'A text that stands for the number of the member in the texts of its properties.',
            default='%index%',
            support=support.since('2014.2'),
            constraints=[Length(min=3)],
        ),
        'resource_def': map_(
            'What each member is.',
            {
                'type': string('The type of the members.', required=True),
                'properties': map_('The properties of the members.'),
                'metadata': map_('The metadata of the members.', support=support.since('5.0.0')),
            },
            required=True,
            update_allowed=True,
        ),
        'removal_policies': list_(
            'Which members go first when there are to be fewer.',
            map_(None, {'resource_list': list_('Names or references of members; these are not used again.', default=[])}),
            default=[],
            update_allowed=True,
            support=support.since('2015.1'),
        ),
        'removal_policies_mode': string(
            'Whether what was removed before stays removed (append), or the list is all there is (update).',
            default='append',
            update_allowed=True,
            support=support.since('10.0.0'),
            constraints=[AllowedValues(['append', 'update'])],
        ),
    }
    update_policy_schema = {
        'rolling_update': map_(
            'How members are changed when the definition changes: in batches.',
            {'min_in_service': IN_SERVICE, **BATCH},
            support=support.since('5.0.0'),
        ),
        'batch_create': map_('How members are made at first: in batches.', BATCH, support=support.since('5.0.0')),
    }
    attributes_schema = {
        'refs': list_attribute('The references of the members.'),
        'refs_map': map_attribute('The references of the members, by their names.', support=support.since('7.0.0')),
        'attributes': map_attribute('An attribute of all members, by their names.', support=support.since('2014.2')),
        'removed_rsrc_list': list_attribute('The names that are not used again.', support=support.since('7.0.0')),
    }

    # ------------------------------------------------------------ who and what the members are

    def member_names(self):
        return members.first_names(self.properties['count'], self._removed())

    def described_inside(self):
        return of_one_member(self)

    def definer(self):
        definition = self.properties['resource_def']
        placeholder = self.properties['index_var']
        given = {name: value for name, value in (definition['properties'] or {}).items() if value is not None}

        def define(name):
            made = {'type': definition['type']}
            if given:
                made['properties'] = members.numbered(given, placeholder, name)
            if definition['metadata']:
                made['metadata'] = definition['metadata']
            return made

        return define

    def _outputs(self, names):
        return {**super()._outputs(names), members.REFS_MAP: members.references_map(names)}

    def _removed(self):
        """The names that are not used (again), by what is stored and by what the properties say."""
        wanted = [each for policy in self.properties['removal_policies'] or () for each in policy['resource_list'] or ()]
        append = self.properties['removal_policies_mode'] == 'append'
        return members.removed_names(self._kept(), wanted, None if self.nested() is None else self.references(), append)

    def _kept(self):
        return [name for name in (self.data().get(REMOVED_DATA) or '').split(',') if name]

    def _keep(self, removed):
        if removed != self._kept():
            self.data_set(REMOVED_DATA, ','.join(removed))

    def validate_nested(self):
        self.refuse_size(self.properties['count'])
        if self.properties['count']:
            self.check_type(self.properties['resource_def']['type'])
        super().validate_nested()

    # ------------------------------------------------------------ work

    def handle_create(self):
        removed = self._removed()
        self._keep(removed)
        count, policy = self.properties['count'], self.update_policy()['batch_create']
        if not policy or not count:
            yield from super().handle_create()
            return
        pace = Pace(policy['max_batch_size'])
        yield from self.create_with_template(members.template({}, {}))
        yield from self.converge(members.counted([], count, pace, removed), policy['pause_time'])

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self.at_rest()
        removed = self._removed()
        self._keep(removed)
        policy = self.update_policy()['rolling_update'] if 'resource_def' in prop_diff else None
        if not policy:
            yield from super().handle_update(definition, tmpl_diff, prop_diff)
            return
        pace = Pace(policy['max_batch_size'], policy['min_in_service'])
        present = sorted((each.name for each in self.members()), key=int)
        stages = members.counted(present, self.properties['count'], pace, removed, self.as_wanted())
        yield from self.converge(stages, policy['pause_time'])

    # ------------------------------------------------------------ what others read

    def own_attribute(self, first, rest):
        if first == REMOVED:
            return self._kept()
        return super().own_attribute(first, rest)
