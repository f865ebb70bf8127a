"""What the types of the alarming service share: who is told of a change of state, and when an alarm sleeps."""

import urllib.parse

from heat_lite.resources.cloud import CloudResource, Rest, wired_map
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint, Range
from heat_lite.template.schema import boolean, integer, list_, map_, number, string

#: each state of an alarm -> the properties of those who are told: addresses, and queues
STATES = {
    'alarm_actions': 'alarm_queues',
    'ok_actions': 'ok_queues',
    'insufficient_data_actions': 'insufficient_data_queues',
}
COMPARISONS = ['le', 'ge', 'eq', 'lt', 'gt', 'ne']
#: the attributes of those who can be told by a signed URL
SIGNED_URLS = ('alarm_url', 'AlarmUrl')


def _queues(state):
    item = string('A queue.', ref='zaqar.queue')
    return list_(
        f'The queues that are told when {state}.', item, default=[], update_allowed=True, support=support.since('8.0.0'), sent=False
    )


def common_properties():
    """What all alarms have."""
    return {
        'alarm_actions': list_('The URLs, or resources of the stack, that are told when it goes off.', update_allowed=True, sent=False),
        'alarm_queues': _queues('it goes off'),
        'description': string('A text that says what it is for.', update_allowed=True),
        'enabled': boolean('Whether it is looked at at all.', default='true', update_allowed=True),
        'insufficient_data_actions': list_(
            'The URLs, or resources of the stack, that are told when nobody can tell.', update_allowed=True, sent=False
        ),
        'insufficient_data_queues': _queues('nobody can tell'),
        'ok_actions': list_('The URLs, or resources of the stack, that are told when all is well.', update_allowed=True, sent=False),
        'ok_queues': _queues('all is well'),
        'repeat_actions': boolean('Whether they are told again and again.', default='true', update_allowed=True),
        'severity': string(
            'How bad it is.',
            default='low',
            update_allowed=True,
            constraints=[AllowedValues(['low', 'moderate', 'critical'])],
            support=support.since('5.0.0'),
        ),
        'time_constraints': list_(
            'The times at which it is looked at; without any, always.',
            map_(
                None,
                {
                    'description': string('A text that says what they are for.'),
                    'duration': integer('How many seconds they last.', required=True, constraints=[Range(min=0)]),
                    'name': string('Their name.', required=True),
                    'start': string('When they begin, as cron says it.', required=True, constraints=[CustomConstraint('cron_expression')]),
                    'timezone': string('The time zone of their beginning.', constraints=[CustomConstraint('timezone')]),
                },
            ),
            default=[],
            support=support.since('5.0.0'),
        ),
    }


def comparison():
    return string('How what is measured is compared with the threshold.', update_allowed=True, constraints=[AllowedValues(COMPARISONS)])


def threshold():
    return number('What it is compared with.', required=True, update_allowed=True)


def query(**options):
    """A property with conditions that are compared one by one. ``options`` say more of it, ``type_since`` of the types of values."""
    since = options.pop('type_since', None)
    kinds = [AllowedValues(['integer', 'float', 'string', 'boolean', 'datetime'])]
    keys = {
        'field': string('The field that is compared.'),
        'op': string('How it is.', constraints=[AllowedValues(COMPARISONS)]),
        'type': string('The type of the value.', default='string', constraints=kinds, support=since and support.since(since)),
        'value': string('What it is compared with.'),
    }
    return list_('What it looks at: all of these.', map_(None, keys), update_allowed=True, **options)


class Alarm(CloudResource):
    """``kind`` is what the service calls such alarms; a rule says when they go off: all that is not common to them."""

    rest = Rest('aodh', '/alarms', None, id='alarm_id')
    entity = 'alarm'
    kind: str

    def rule(self, values):
        """When it goes off, as the service wants it; ``values`` are the properties that are not common, under their names on the wire."""
        return values

    def rule_key(self):
        return f'{self.kind}_rule'

    def body(self, values):
        common = common_properties()
        own = {name: schema for name, schema in self.properties_schema.items() if name not in common}
        return {
            **{name: value for name, value in values.items() if name in common},
            **{actions: self._told(actions, queues) for actions, queues in STATES.items()},
            'name': self.physical_resource_name(),
            'type': self.kind,
            self.rule_key(): self.rule(wired_map(own, self.properties)),
        }

    def rule_told(self, rule):
        """The properties that a rule tells of, under their names on the wire."""
        return rule

    def as_told(self, found):
        return {**found, **self.rule_told(found.get(self.rule_key()) or {})}

    # ------------------------------------------------------------ who is told

    def _told(self, actions, queues):
        """The URLs of those who are told. A name of a resource stands for the signed URL of that; what is no URL at all stays as it is."""
        known = self.stack.definitions
        urls = [self._url_of(each) if each in known else each for each in self.properties[actions] or () if each]
        return [*urls, *(f'trust+zaqar://?{urllib.parse.urlencode({"queue_name": each})}' for each in self.properties[queues] or ())]

    def _url_of(self, name):
        target = self.stack.resource_for(name)
        return target.attribute(next((each for each in SIGNED_URLS if target.has_attribute(each)), SIGNED_URLS[0]))

    def implied_dependencies(self, others):
        """Resources that are named, and not referred to."""
        given = self.definition.properties or {}
        lists = [given.get(name) for name in STATES]
        return {each for actions in lists if isinstance(actions, list) for each in actions if isinstance(each, str) and each in others}

    # ------------------------------------------------------------ life

    def change(self, values):
        """The service takes nothing but the whole."""
        present = yield from self.ask(self.look)
        yield from self.ask(self.client().update, self.object_path(), None, {**present, **values})

    def changes(self, changed, diff):
        return self.body(self._given()) if diff else {}

    def handle_suspend(self):
        yield from self.change({'enabled': False})

    def handle_resume(self):
        yield from self.change({'enabled': self.properties['enabled']})

    def find_existing(self):
        """The service's own way of asking."""
        name = self.physical_resource_name()
        found = self.client().ask('GET', self.collection(), params={'q.field': 'name', 'q.op': 'eq', 'q.value': name})
        return next((each[self.rest.id] for each in found if each['name'] == name), None)
