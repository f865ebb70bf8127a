"""OS::Heat::TestResource."""

import time

from heat_lite.engine.resource import Resource
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import CACHE_NONE, any_attribute, boolean, map_, number, string


class TestResource(Resource):
    """Waits, fails and changes as it is told: what the tests of an orchestration service need. It touches nothing outside."""

    resource_type = 'OS::Heat::TestResource'
    support_status = support.since('5.0.0')
    local = True
    __test__ = False  # it is no test case

    properties_schema = {
        'constraint_prop_secs': number(
            'Seconds that checking this property takes.',
            default=0,
            update_allowed=True,
            constraints=[CustomConstraint('test_constr')],
            support=support.since('6.0.0'),
        ),
        'attr_wait_secs': number(
            'Seconds that reading the attribute takes.', default=0, update_allowed=True, support=support.since('6.0.0')
        ),
        'value': string('Text to keep; it comes out as the attribute "output".', default='test_string', update_allowed=True),
        'update_replace_value': string('A value whose change always replaces the resource.', support=support.since('7.0.0')),
        'fail': boolean('Whether creating, and updating the value, shall fail.', default=False, update_allowed=True),
        'update_replace': boolean('Whether a change of the value shall replace the resource.', default=False, update_allowed=True),
        'wait_secs': number('How long each action takes, in seconds; -1 for ever.', default=0, update_allowed=True),
        'action_wait_secs': map_(
            'How long single actions take, where they differ from wait_secs.',
            {
                'create': number('Seconds that a create takes.', update_allowed=True),
                'update': number('Seconds that an update takes.', update_allowed=True),
                'delete': number('Seconds that a delete takes.', update_allowed=True),
            },
            update_allowed=True,
        ),
        'client_name': string('A client to ask while waiting; its errors do not matter.', default='', update_allowed=True),
        'entity_name': string('What to ask the client for.', default='', update_allowed=True),
    }
    attributes_schema = {
        'output': any_attribute('The value as it was kept by the last create or update.', cache_mode=CACHE_NONE),
    }

    def handle_create(self):
        fail = self.properties['fail']
        if not fail:  # it is there at once, and then takes its time to be ready
            self.resource_id_set(self.physical_resource_name())
            self.data_set('value', self.properties['value'])
        yield from self._wait('create')
        if fail:
            raise ValueError(f'Test Resource failed {self.name}')

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        """Only a change of the value replaces, and only if the template asks for that."""
        return 'value' in changed and after_properties['update_replace']

    def handle_update(self, definition, tmpl_diff, prop_diff):
        properties = self.properties
        if 'value' in prop_diff:
            if not properties['fail']:
                self.data_set('value', properties['value'])
            yield from self._wait('update')
        if properties['fail']:
            raise ValueError(f'Test Resource failed {self.name}')

    def handle_delete(self):
        yield from self._wait('delete')

    def handle_check(self):
        if self.resource_id is None:
            raise Exception('Resource not created')  # Heat shows it as a plain Exception

    def resolve_attribute(self, name):
        time.sleep(self.properties['attr_wait_secs'])
        return self.record.data.get('value')

    def _wait(self, verb):
        """As long as the template says for this verb; a negative number means for ever."""
        seconds = (self.properties['action_wait_secs'] or {}).get(verb)
        if seconds is None:
            seconds = self.properties['wait_secs']
        until = time.monotonic() + seconds
        while seconds < 0 or time.monotonic() < until:
            yield 60 if seconds < 0 else max(0, until - time.monotonic())
