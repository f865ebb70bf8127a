"""The names that plug-ins written for Heat import and override, each used by a resource type."""

import concurrent.futures

import pytest

from heat_lite.plugin import (
    attributes,
    constraints,
    exception,
    properties,
    resource,
    signal_responder,
    stack_resource,
    support,
    translation,
)
from tests import databases, engines

STRING, LIST, MAP = properties.Schema.STRING, properties.Schema.LIST, properties.Schema.MAP
WORLD = {}


class Thing(resource.Resource):
    """A type whose create, update, check and delete have two steps each."""

    resource_type = 'Third::Thing'
    support_status = support.SupportStatus(
        status=support.DEPRECATED,
        version='2.0',
        previous_status=support.SupportStatus(version='1.0'),
    )
    PROPERTIES = (NAME, SIZE, OLD_NAME, PARTS, KIND) = ('name', 'size', 'old_name', 'parts', 'kind')

    properties_schema = {
        NAME: properties.Schema(STRING, 'Its name.', update_allowed=True),
        OLD_NAME: properties.Schema(
            STRING, 'The same.', support_status=support.SupportStatus(status=support.HIDDEN)
        ),
        SIZE: properties.Schema(
            properties.Schema.INTEGER,
            'How large.',
            default=1,
            update_allowed=True,
            constraints=[constraints.Range(min=0, max=9)],
        ),
        KIND: properties.Schema(STRING, 'Its kind, by its name.', update_allowed=True),
        PARTS: properties.Schema(
            LIST,
            'What it is made of.',
            schema=properties.Schema(
                MAP, schema={'part': properties.Schema(STRING, 'A part.', required=True)}
            ),
            update_allowed=True,
        ),
    }
    attributes_schema = {
        'size': attributes.Schema('How large.', cache_mode=attributes.Schema.CACHE_NONE)
    }
    update_policy_schema = {
        'pace': properties.Schema(properties.Schema.NUMBER, 'How fast.', default=1)
    }

    def translation_rules(self, props):
        rule = translation.TranslationRule
        return [
            rule(props, rule.REPLACE, [self.NAME], value_path=[self.OLD_NAME]),
            rule(props, rule.RESOLVE, [self.KIND], client_plugin=self, finder='find_kind'),
        ]

    def find_kind(self, name):
        return f'kind-{name}'

    def validate(self):
        super().validate()
        if self.properties[self.NAME] == 'nobody':
            raise exception.StackValidationFailed(message='Nobody is no name')
        if self.properties[self.NAME] == 'number':
            self.properties[self.NAME] + 1

    def handle_create(self):
        self.resource_id_set(self.physical_resource_name())
        values = {name: self.properties[name] for name in (self.NAME, self.SIZE, self.KIND)}
        WORLD[self.resource_id] = {
            **values,
            'parts': len(self.properties[self.PARTS] or ()),
            'asked': 0,
        }
        return self.resource_id

    def check_create_complete(self, made):
        WORLD[made]['asked'] += 1
        return WORLD[made]['asked'] > 1

    def needs_replace_with_prop_diff(self, changed_properties_set, after_props, before_props):
        return (
            self.SIZE in changed_properties_set and after_props[self.SIZE] < before_props[self.SIZE]
        )

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        if prop_diff.get(self.NAME) == 'another':
            raise resource.UpdateReplace(self.name)
        WORLD[self.resource_id].update(prop_diff)
        return prop_diff

    def check_update_complete(self, prop_diff):
        WORLD[self.resource_id]['told'] = dict(prop_diff)
        return True

    def handle_check(self):
        current = WORLD[self.resource_id]['size']
        self._verify_check_conditions(
            [{'attribute': 'size', 'expected': self.properties[self.SIZE], 'current': current}]
        )

    def handle_delete(self):
        return WORLD.pop(self.resource_id, None)

    def check_delete_complete(self, gone):
        return self.resource_id not in WORLD

    def _resolve_attribute(self, name):
        return WORLD[self.resource_id][name]

    def get_reference_id(self):
        return f'thing:{self.FnGetAtt("size")}' if self.resource_id else self.name


class SignalRecorder(signal_responder.SignalResponder):
    """A type that records its signals."""

    resource_type = 'Third::Told'
    attributes_schema = {'said': attributes.Schema('What was said.', type=attributes.Schema.STRING)}

    def handle_signal(self, details=None):
        self.data_set('said', details['word'])

    def _resolve_attribute(self, name):
        return self.data().get(name)


class SignalCounter(signal_responder.SignalResponder):
    """A type that reads its data at a signal and stores them after a turn of the loop."""

    resource_type = 'Third::Count'
    attributes_schema = {'count': attributes.Schema('Number of signals.')}

    def handle_signal(self, details=None):
        count = int(self.data().get('count', 0)) + 1
        yield
        if details == 'bad':
            raise exception.Error('a bad signal')
        self.data_set('count', str(count))

    def _resolve_attribute(self, name):
        return self.data().get(name)


class NestingResource(stack_resource.StackResource):
    """A type with a nested stack."""

    resource_type = 'Third::Nest'
    properties_schema = {'word': properties.Schema(STRING, 'A word.', update_allowed=True)}
    attributes_schema = {'echo': attributes.Schema('The word.')}

    def child_template(self):
        return {
            'heat_template_version': '2018-08-31',
            'parameters': {'word': {'type': 'string'}},
            'resources': {
                'value': {'type': 'OS::Heat::Value', 'properties': {'value': {'get_param': 'word'}}}
            },
            'outputs': {'value': {'value': {'get_attr': ['value', 'value']}}},
        }

    def child_params(self):
        return {'word': self.properties['word']}

    def handle_create(self):
        return self.create_with_template(self.child_template(), self.child_params())

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        return self.update_with_template(self.child_template(), self.child_params())

    def _resolve_attribute(self, name):
        return self.get_output('value') if self.has_nested() else None


@pytest.fixture(scope='module')
def driver(tmp_path_factory):
    folder = tmp_path_factory.mktemp('engine')
    with (
        databases.migrated('sqlite', folder) as url,
        engines.running(
            url,
            types=[Thing, SignalRecorder, SignalCounter, NestingResource],
            action_retry_limit=0,
        ) as found,
    ):
        yield found


def thing(**values):
    outputs = {
        'size': {'value': {'get_attr': ['it', 'size']}},
        'reference': {'value': {'get_resource': 'it'}},
    }
    return {
        'resources': {
            'it': {'type': 'Third::Thing', 'properties': values, 'update_policy': {'pace': 2}}
        },
        'outputs': outputs,
    }


def held(driver, stack):
    return WORLD[driver.physical_id(stack, 'it')]


def test_actions_call_the_handlers_in_order(driver):
    stack = driver.create(thing(old_name='one', kind='round', parts=[{'part': 'a'}]), name='life')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert held(driver, stack) == {
        'name': 'one',
        'size': 1,
        'kind': 'kind-round',
        'parts': 1,
        'asked': 2,
    }
    assert driver.outputs(stack) == {'size': 1, 'reference': 'thing:1'}
    first = driver.physical_id(stack, 'it')

    driver.update(stack, thing(name='one', kind='flat', size=3))
    assert (
        driver.physical_id(stack, 'it') == first
        and held(driver, stack)['told']['kind'] == 'kind-flat'
    )
    driver.update(stack, thing(name='one', kind='flat', size=2))
    second = driver.physical_id(stack, 'it')
    assert second != first and first not in WORLD
    driver.update(stack, thing(name='another', kind='flat', size=2))
    assert (
        driver.physical_id(stack, 'it') not in (first, second)
        and driver.state(stack) == 'UPDATE_COMPLETE'
    )

    held(driver, stack)['size'] = 5
    driver.client.stack_check(driver.context, stack_identity=stack)
    driver.wait(stack)
    assert driver.state(stack) == 'CHECK_FAILED'
    assert "'size': expected '2', got '5'" in driver.resource(stack, 'it')['resource_status_reason']
    driver.delete(stack)
    assert not WORLD


@pytest.mark.parametrize(
    'values, text',
    [
        ({'name': 'nobody'}, 'Nobody is no name'),
        ({'size': 10}, 'out of range'),
        ({'name': 'number'}, 'A value does not fit .*: TypeError: can only concatenate str'),
        ({'parts': [{}]}, 'part'),
    ],
)
def test_invalid_properties_are_refused(driver, values, text):
    with pytest.raises(exception.StackValidationFailed, match=text):
        driver.create(thing(**values), name='refused')


def test_signals_reach_the_resource(driver):
    template = {
        'resources': {'it': {'type': 'Third::Told'}},
        'outputs': {'said': {'value': {'get_attr': ['it', 'said']}}},
    }
    stack = driver.create(template, name='told')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    driver.client.resource_signal(
        driver.context,
        stack_identity=stack,
        resource_name='it',
        details={'word': 'hello'},
        sync_call=True,
    )
    driver.update(stack, {**template, 'description': 'anew'})
    assert driver.outputs(stack) == {'said': 'hello'}
    driver.delete(stack)


def test_concurrent_signals_are_handled_one_after_another(driver):
    template = {
        'resources': {'it': {'type': 'Third::Count'}},
        'outputs': {'count': {'value': {'get_attr': ['it', 'count']}}},
    }
    stack = driver.create(template, name='counted')

    def signal(details):
        driver.client.resource_signal(
            driver.context,
            stack_identity=stack,
            resource_name='it',
            details=details,
            sync_call=True,
        )

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        sent = [threads.submit(signal, 'bad' if number == 3 else None) for number in range(8)]
    failed = [number for number, each in enumerate(sent) if each.exception() is not None]
    assert failed == [3] and 'a bad signal' in str(sent[3].exception())
    assert driver.outputs(stack) == {'count': '7'}
    driver.delete(stack)


def test_signals_in_two_engines_are_handled_one_after_another(driver):
    template = {
        'resources': {'it': {'type': 'Third::Count'}},
        'outputs': {'count': {'value': {'get_attr': ['it', 'count']}}},
    }
    stack = driver.create(template, name='counted-twice')
    with engines.another(driver) as second:

        def signal(number):
            [driver.service, second][number % 2].runtime.local_calls.call(
                driver.context,
                'resource_signal',
                stack_identity=stack,
                resource_name='it',
                details=None,
                sync_call=True,
            )

        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            list(threads.map(signal, range(16)))
    assert driver.outputs(stack) == {'count': '16'}
    driver.delete(stack)


def test_stack_resource_manages_its_nested_stack(driver):
    def nest(word):
        echo = {'value': {'get_attr': ['it', 'echo']}}
        return {
            'resources': {'it': {'type': 'Third::Nest', 'properties': {'word': word}}},
            'outputs': {'echo': echo},
        }

    stack = driver.create(nest('hello'), name='nest')
    assert driver.state(stack) == 'CREATE_COMPLETE', driver.stack(stack)['stack_status_reason']
    assert driver.outputs(stack) == {'echo': 'hello'}
    driver.update(stack, nest('again'))
    assert driver.outputs(stack) == {'echo': 'again'} and driver.state(stack) == 'UPDATE_COMPLETE'
    driver.delete(stack)
    assert driver.state(stack) == 'DELETE_COMPLETE'


def test_type_is_described_by_its_schemas(driver):
    schema = driver.client.resource_schema(
        driver.context, type_name='Third::Thing', with_description=True
    )
    assert (
        schema['support_status']['status'] == 'DEPRECATED'
        and schema['support_status']['previous_status']['version'] == '1.0'
    )
    assert (
        'old_name' not in schema['properties']
        and schema['properties']['parts']['schema']['*']['schema']['part']['required']
    )
    assert schema['description'].startswith('A type whose create')
