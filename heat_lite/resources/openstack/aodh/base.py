"""The base of the alarm types: actions on a change of state, and time constraints."""

import re
import urllib.parse

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.live_state import map_to_wire
from heat_lite.template import checks
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import (
    boolean,
    description_property,
    integer,
    list_,
    number,
    string,
)

#: alarm states -> the properties with their actions: URLs and queues
STATES = {
    'alarm_actions': 'alarm_queues',
    'ok_actions': 'ok_queues',
    'insufficient_data_actions': 'insufficient_data_queues',
}
COMPARISONS = ['le', 'ge', 'eq', 'lt', 'gt', 'ne']
#: the attributes of resources that hold a signed URL
SIGNED_URLS = ('alarm_url', 'AlarmUrl')
#: the URL of a queue as Aodh shows it, with or without the id of a trust
QUEUE_URL = re.compile(r'trust\+zaqar:(?://[^/?]*)?\?queue_name=([^&]*)')


def _queues(state):
    item = string('Name of a Zaqar queue.', ref='zaqar.queue')
    return list_(
        f'Zaqar queues that receive a message when the state of the alarm becomes "{state}".',
        item,
        default=[],
        update_allowed=True,
        since='8.0.0',
        sent=False,
    )


def _actions(state):
    return list_(
        'URLs to call, or names of resources to signal, when the state of the alarm becomes '
        f'"{state}".',
        update_allowed=True,
        sent=False,
    )


_TIME_CONSTRAINTS = list_(
    'Times at which Aodh evaluates the alarm. If omitted, Aodh always evaluates it.',
    {
        'description': string('Human-readable description of the time constraint.'),
        'duration': integer('Duration of the time constraint in seconds.', required=True, min=0),
        'name': string('Name of the time constraint.', required=True),
        'start': string(
            'Start of the time constraint, as a cron expression.',
            required=True,
            custom='cron_expression',
        ),
        'timezone': string('Time zone of the start.', custom='timezone'),
    },
    default=[],
    since='5.0.0',
)


#: the schemas of the properties that all alarms have
COMMON_PROPERTIES = {
    'alarm_actions': _actions('alarm'),
    'alarm_queues': _queues('alarm'),
    'description': description_property(),
    'enabled': boolean('Whether Aodh evaluates the alarm.', default='true', update_allowed=True),
    'insufficient_data_actions': _actions('insufficient data'),
    'insufficient_data_queues': _queues('insufficient data'),
    'ok_actions': _actions('ok'),
    'ok_queues': _queues('ok'),
    'repeat_actions': boolean(
        'Whether the actions are repeated while the state stays the same.',
        default='true',
        update_allowed=True,
    ),
    'severity': string(
        'Severity of the alarm: low, moderate or critical.',
        default='low',
        update_allowed=True,
        allowed=['low', 'moderate', 'critical'],
        since='5.0.0',
    ),
    'time_constraints': _TIME_CONSTRAINTS,
}


COMPARISON = string(
    'Operator that compares the measured value with the threshold.',
    update_allowed=True,
    allowed=COMPARISONS,
)


THRESHOLD = number('Threshold of the alarm.', required=True, update_allowed=True)


def query(**options):
    """Return the schema of a property with a list of comparisons.

    ``options`` are those of the property, ``type_since`` the support status of ``type``.
    """
    since = options.pop('type_since', None)
    kinds = [AllowedValues(['integer', 'float', 'string', 'boolean', 'datetime'])]
    keys = {
        'field': string('Name of the field to compare.'),
        'op': string('Comparison operator.', allowed=COMPARISONS),
        'type': string('Data type of the value.', default='string', constraints=kinds, since=since),
        'value': string('Value to compare with.'),
    }
    return list_(
        'Conditions that select the data. All of them must be met.',
        keys,
        update_allowed=True,
        **options,
    )


def described_actions(found):
    """Return the actions of an alarm as properties: URLs, and the queues of Zaqar in them."""
    described = {}
    for actions, queues in STATES.items():
        urls = found.get(actions) or []
        names = {each: QUEUE_URL.fullmatch(each) for each in urls}
        described[actions] = [each for each in urls if not names[each]]
        described[queues] = [urllib.parse.unquote_plus(name[1]) for name in names.values() if name]
    return {name: values for name, values in described.items() if values}


class Alarm(CloudResource):
    """An alarm type. ``kind`` is its name in Aodh.

    A rule holds the condition of the alarm: all properties that are not common to alarms.
    """

    rest = Rest('aodh', '/alarms', None, id='alarm_id')
    entity = 'alarm'
    kind: str

    def rule(self, values):
        """Return the rule; ``values`` are its properties, by their names on the wire."""
        return values

    def rule_key(self):
        return f'{self.kind}_rule'

    def validate(self):
        super().validate()
        checks.require_scalars(self.properties_schema, self.properties, STATES)

    def body(self, values):
        common = COMMON_PROPERTIES
        own = {
            name: schema for name, schema in self.properties_schema.items() if name not in common
        }
        return {
            **{name: value for name, value in values.items() if name in common},
            **{actions: self._action_urls(actions, queues) for actions, queues in STATES.items()},
            'name': self.physical_resource_name(),
            'type': self.kind,
            self.rule_key(): self.rule(map_to_wire(own, self.properties)),
        }

    def rule_properties(self, rule):
        """Return the properties of the rule, by their names on the wire."""
        return rule

    def objects(self):
        found = self.client().request_json('GET', self.rest.path)
        return {each[self.rest.id]: each for each in found if each['type'] == self.kind}

    def normalize(self, found):
        return {**found, **self.rule_properties(found.get(self.rule_key()) or {})}

    def described(self, found):
        return {**super().described(found), **described_actions(found)}

    # ------------------------------------------------------------ actions

    def _action_urls(self, actions, queues):
        """Return the URLs of the actions.

        The name of a resource becomes the signed URL of the resource. A text that is neither a URL
        nor such a name is kept.
        """
        known = self.stack.definitions
        urls = [
            self._signed_url(each) if each in known else each
            for each in self.properties[actions] or ()
            if each
        ]
        return [
            *urls,
            *(
                f'trust+zaqar://?{urllib.parse.urlencode({"queue_name": each})}'
                for each in self.properties[queues] or ()
            ),
        ]

    def _signed_url(self, name):
        target = self.stack.resource_for(name)
        return target.attribute(
            next((each for each in SIGNED_URLS if target.has_attribute(each)), SIGNED_URLS[0])
        )

    def implied_dependencies(self, others):
        """Return the resources that actions name as plain text, not by a function."""
        given = self.definition.properties or {}
        lists = [given.get(name) for name in STATES]
        return {
            each
            for actions in lists
            if isinstance(actions, list)
            for each in actions
            if isinstance(each, str) and each in others
        }

    # ------------------------------------------------------------ create, update and delete

    def update_object(self, values):
        """Return the whole alarm: Aodh has no partial updates."""
        present = yield from self.call_with_retry(self.fetch)
        yield from self.call_with_retry(
            self.client().update, self.object_path(), None, {**present, **values}
        )

    def changes(self, changed, diff):
        return self.body(self.request_values()) if diff else {}

    def handle_suspend(self):
        yield from self.update_object({'enabled': False})

    def handle_resume(self):
        yield from self.update_object({'enabled': self.properties['enabled']})

    def find_existing(self):
        """Query ``show`` in the form of Aodh."""
        name = self.physical_resource_name()
        found = self.client().request_json(
            'GET', self.collection(), params={'q.field': 'name', 'q.op': 'eq', 'q.value': name}
        )
        return next((each[self.rest.id] for each in found if each['name'] == name), None)
