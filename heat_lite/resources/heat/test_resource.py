"""OS::Heat::TestResource."""

import time

from heat_lite.engine.resource.resource import Resource
from heat_lite.template.schema import CACHE_NONE, any_attribute, map_, number, string, switch


class TestResource(Resource):
    """A resource whose properties make it wait, fail and change, for tests of the service.

    It calls no other service.
    """

    resource_type = 'OS::Heat::TestResource'
    since = '5.0.0'
    local = True
    __test__ = False  # not a test case of pytest

    properties_schema = {
        'constraint_prop_secs': number(
            'Seconds that the validation of this property takes.',
            default=0,
            update_allowed=True,
            custom='test_constr',
            since='6.0.0',
        ),
        'attr_wait_secs': number(
            'Seconds that reading the attribute takes.',
            default=0,
            update_allowed=True,
            since='6.0.0',
        ),
        'value': string(
            'Text that is stored and returned by the attribute "output".',
            default='test_string',
            update_allowed=True,
        ),
        'update_replace_value': string(
            'Value whose change always replaces the resource.', since='7.0.0'
        ),
        'fail': switch('Whether a create, or an update of the value, fails.', default=False),
        'update_replace': switch(
            'Whether a change of the value replaces the resource.', default=False
        ),
        'wait_secs': number(
            'Seconds that each action takes; -1 is without end.', default=0, update_allowed=True
        ),
        'action_wait_secs': map_(
            'Seconds that single actions take, instead of wait_secs.',
            {
                'create': number('Seconds that a create takes.', update_allowed=True),
                'update': number('Seconds that an update takes.', update_allowed=True),
                'delete': number('Seconds that a delete takes.', update_allowed=True),
            },
            update_allowed=True,
        ),
        'client_name': string(
            'Name of a client that is called during the wait; its errors are ignored.',
            default='',
            update_allowed=True,
        ),
        'entity_name': string(
            'Name of the entity that the client is asked for.', default='', update_allowed=True
        ),
    }
    attributes_schema = {
        'output': any_attribute('Value stored by the last create or update.', cache_mode=CACHE_NONE)
    }

    def handle_create(self):
        fail = self.properties['fail']
        if not fail:  # the object exists at once, and becomes ready later
            self.resource_id_set(self.physical_resource_name())
            self.data_set('value', self.properties['value'])
        yield from self._wait('create')
        if fail:
            raise ValueError(f'Test Resource failed {self.name}')

    def needs_replace_with_prop_diff(self, changed, after_properties, before_properties):
        """Return whether the value changed and the template asks for a replacement."""
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

    def answers_slowly(self):
        return self.properties['attr_wait_secs'] > 0

    def resolve_attribute(self, name):
        if seconds := self.properties['attr_wait_secs']:
            time.sleep(seconds)
        return self.record.data.get('value')

    def _wait(self, verb):
        """Generator: wait for the seconds in the properties of this action; a negative number is
        without end.
        """
        seconds = (self.properties['action_wait_secs'] or {}).get(verb)
        if seconds is None:
            seconds = self.properties['wait_secs']
        until = time.monotonic() + seconds
        while seconds < 0 or time.monotonic() < until:
            yield 60 if seconds < 0 else max(0, until - time.monotonic())
