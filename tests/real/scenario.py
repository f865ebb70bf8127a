"""The scenario of one case: actions on its stack, and the service's responses after each step."""

import copy
import json
import re
import time

from tests.real.cloud import SERVICES, Refused

PAUSE, WAIT_SECONDS = 0.2, 180
SETTLING = 20
#: steps that are updates: one that must fail, and one with ``converge``
ACTIONS = {'failing': 'UPDATE', 'converge': 'UPDATE'}
MAY_FAIL = ('check', 'failing')
UUID = re.compile(r'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b')
SHORT = re.compile(r'(?<=-)[a-z0-9]{12}\b')
#: what differs in each run: times, physical names, MAC and IP addresses, ports
FLEETING = (
    (re.compile(r'\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?'), '<time>'),
    (re.compile(r'(real-[\w-]+?)-[a-z0-9]{12}\b'), r'\1-<short>'),
    (re.compile(r'\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b'), '<mac>'),
    (re.compile(r'\b172\.24\.\d+\.\d+\b'), '<outside>'),
    (re.compile(r'\btx[0-9a-f]{21}-[0-9a-f]{10}\b'), '<id>'),
    (re.compile(r'127\.0\.0\.1:\d+'), '<host>'),
)
#: headers of the object storage that differ in each run
VOLATILE = (
    'connection',
    'date',
    'last-modified',
    'x-openstack-request-id',
    'x-timestamp',
    'x-trans-id',
    'etag',
    'revision_number',
)


class Scenario:
    """A case: ``given`` (objects created beforehand), ``resources``, ``steps``, ``wrong``.

    A step is the name of an action or ``{update: {'resource.property': value}}``; null removes a
    property. ``wrong`` are updates that must be refused.

    ``{given KEY}`` stands for the id of a given object, ``{image NAME}`` and the like for ids of
    the cloud.
    """

    def __init__(self, cloud, name, case, only_refusals=False):
        self.only_refusals = only_refusals
        self.cloud, self.case = cloud, case
        self.name = f'real-{name}'
        kinds = {each['type'].split('::')[1] for each in case['resources'].values()}
        self.services = sorted(
            {SERVICES[each] for each in kinds}
            | {each['service'] for each in (case.get('given') or {}).values()}
        )
        self.failed = 0
        self.seconds = 0.0
        self.id = None
        self.names = {}
        self.events = set()
        self.refusals = 0

    def play(self):
        """Run all steps; return the observations by step."""
        began, before, given, seen = (
            time.monotonic(),
            self.cloud.holdings(self.services),
            dict(self.cloud.known()),
            {},
        )
        try:
            for key, each in (self.case.get('given') or {}).items():
                given[key] = self.cloud.make(_filled(each, given))
                self.names[given[key]] = f'<given {key}>'
            self.template = _filled(
                {'heat_template_version': '2021-04-16', 'resources': self.case['resources']}, given
            )
            seen = self._run_steps(given)
        finally:
            for key in reversed([key for key in self.case.get('given') or () if key in given]):
                self.cloud.take(_filled(self.case['given'][key], given), given[key])
        seen['left'] = self._leftovers(before)
        self.failed += bool(seen['left'])
        self.seconds = time.monotonic() - began
        return seen

    def _run_steps(self, given):
        seen, steps = {}, self.case.get('steps') or ('check', 'suspend', 'resume')
        if self.case['resources'] and not self.only_refusals:
            seen['0 create'] = self._step('create', lambda: self._create(self.template))
            for number, step in enumerate(
                steps if seen['0 create'].get('status') == 'CREATE_COMPLETE' else (), 1
            ):
                label, act = self._act(_filled(step, given))
                seen[f'{number} {label}'] = self._step(label.split(' ')[0], act)
            seen['wrong'] = {}
        for wrong in self.case.get('wrong') or ():
            seen.setdefault('wrong', {})[json.dumps(wrong)] = self._refusal(_filled(wrong, given))
        if self.id:
            seen['delete'] = self._step('delete', lambda: self._ask('', 'DELETE'))
        return seen

    # ------------------------------------------------------------ steps

    def _create(self, template):
        body = {'stack_name': self.name, 'template': _with_outputs(template), 'timeout_mins': 10}
        self.id = self.cloud.ask('orchestration', '/stacks', 'POST', body)['stack']['id']
        self.names[self.id] = '<stack>'

    def _act(self, step):
        if isinstance(step, str):
            return step, lambda: self._ask('/actions', 'POST', {step: None})
        ((verb, changes),) = step.items()
        if verb == 'gone':  # deleted without the service's knowledge
            return f'gone {changes}', lambda: self._delete_object(changes)
        self.template = _changed(self.template, changes)
        body = {
            'template': _with_outputs(self.template),
            **({'converge': True} if verb == 'converge' else {}),
        }
        return verb, lambda: self._ask('', 'PUT', body)

    def _delete_object(self, where):
        """Delete an object of the cloud without the service's knowledge.

        ``where`` is ``service path``, with ``{resource}`` for the physical id of a resource.
        """
        service, path = where.split(' ', 1)
        ids = {
            each['resource_name']: each['physical_resource_id']
            for each in self._ask('/resources')['resources']
        }
        self.cloud.ask(service, path.format(**ids), 'DELETE')

    def _step(self, verb, act):
        try:
            act()
        except Refused as error:
            self.failed += 1
            print(f'  {self.name} {verb}: {error}', flush=True)
            return {'refused': self._normalized(error.body.get('error', error.body))}
        if verb == 'gone':
            return {}
        stack = self._ended(ACTIONS.get(verb, verb.upper()))
        if not stack['stack_status'].endswith('_COMPLETE'):
            print(
                f'  {self.name} {verb}: {stack["stack_status"]} {stack["stack_status_reason"]}',
                flush=True,
            )
        self.failed += stack['stack_status'].endswith('_FAILED') and verb not in MAY_FAIL
        seen = {
            'status': stack['stack_status'],
            'reason': self._normalized(stack['stack_status_reason']),
        }
        if verb != 'delete':
            seen['resources'] = self._resources()
            seen['outputs'] = {
                each['output_key']: self._normalized(each['output_value'])
                for each in stack['outputs']
            }
            for each in stack['outputs']:
                if 'output_error' in each:
                    seen['outputs'][each['output_key']] = self._normalized(
                        {'error': each['output_error']}
                    )
        seen['events'] = self._events()
        return seen

    def _ended(self, action):
        """Wait for the end of an action; return the stack."""
        until = time.monotonic() + WAIT_SECONDS
        while True:
            stack = self._ask()['stack']
            if stack['stack_status'].startswith(action) and not stack['stack_status'].endswith(
                'IN_PROGRESS'
            ):
                return stack
            if time.monotonic() > until:
                return {**stack, 'stack_status': f'{stack["stack_status"]} for too long_FAILED'}
            time.sleep(PAUSE)

    def _refusal(self, changes):
        """Return the error of a new stack with these values: the response, or its status reason."""
        self.refusals += 1
        stack = Scenario(
            self.cloud, f'{self.name.removeprefix("real-")}-wrong{self.refusals}', self.case
        )
        stack.names = {
            key: value for key, value in self.names.items() if value.startswith('<given')
        }
        wanted = _only(_changed(self.template, changes), {key.partition('.')[0] for key in changes})
        try:
            stack._create(wanted)
        except Refused as error:
            return {
                'code': error.code,
                'said': stack._normalized(error.body.get('error', {}).get('message')),
            }
        ended = stack._ended('CREATE')
        told = {
            'status': ended['stack_status'],
            'reason': stack._normalized(ended['stack_status_reason']),
        }
        stack._ask('', 'DELETE')
        stack._ended('DELETE')
        return told

    # ------------------------------------------------------------ observations

    def _ask(self, path='', method='GET', body=None):
        return self.cloud.ask('orchestration', f'/stacks/{self.name}/{self.id}{path}', method, body)

    def _resources(self):
        found = self._ask('/resources')['resources']
        for each in sorted(found, key=lambda each: each['resource_name']):
            if each['physical_resource_id']:
                self._name(each['physical_resource_id'], each['resource_name'])
        return {each['resource_name']: self._resource(each['resource_name']) for each in found}

    def _name(self, physical_id, name):
        """Return a placeholder of a physical id; a replacement gets another one."""
        if physical_id not in self.names:
            number = sum(each.startswith(f'<{name}') for each in self.names.values())
            self.names[physical_id] = f'<{name}{number or ""}>'

    def _resource(self, name):
        told = self._ask(f'/resources/{name}')['resource']
        keys = (
            'resource_status',
            'resource_status_reason',
            'physical_resource_id',
            'attributes',
            'required_by',
        )
        plain = {
            key: self._normalized(sorted(told[key]) if key == 'required_by' else told[key])
            for key in keys
        }
        return {**plain, 'form': _form(told['physical_resource_id'])}

    def _events(self):
        """Return new events of resources as a set, because their order is not guaranteed."""
        try:
            events = self._ask('/events')['events']
        except Refused:
            return []
        new = [each for each in events if each['id'] not in self.events]
        self.events |= {each['id'] for each in new}
        keys = (
            'resource_name',
            'resource_status',
            'resource_status_reason',
            'physical_resource_id',
        )
        return sorted(json.dumps([self._normalized(each[key]) for key in keys]) for each in new)

    def _normalized(self, value):
        """Return the value without what differs in each run."""
        if isinstance(value, dict):
            return {
                key: self._normalized(each) for key, each in value.items() if key not in VOLATILE
            }
        if isinstance(value, list):
            return [self._normalized(each) for each in value]
        if not isinstance(value, str):
            return value
        for physical_id in sorted(self.names, key=len, reverse=True):
            value = re.sub(
                rf'(?<![\w-]){re.escape(physical_id)}(?![\w-])', self.names[physical_id], value
            )
        value = UUID.sub('<id>', value)
        for pattern, instead in FLEETING:
            value = pattern.sub(instead, value)
        return value

    def _leftovers(self, before):
        """Return the objects that were not there ``before``; wait while services delete."""
        for _ in range(SETTLING):
            after = self.cloud.holdings(self.services)
            left = {
                key: sorted(set(ids) ^ set(before[key]))
                for key, ids in after.items()
                if ids != before[key]
            }
            if not left:
                return {}
            time.sleep(PAUSE * 3)
        print(f'  {self.name} left {left}', flush=True)
        return {key: len(ids) for key, ids in left.items()}


def _form(physical_id):
    """Return the format of an id."""
    return physical_id and SHORT.sub('<short>', UUID.sub('<id>', physical_id))


def _with_outputs(template):
    """Return the template with outputs for all attributes."""
    return {
        **template,
        'outputs': {name: {'value': {'get_resource': name}} for name in template['resources']},
    }


def _changed(template, changes):
    """Return the template with changed properties.

    ``{'net.admin_state_up': false}`` names a property; a key without dot names a whole resource.
    """
    template = copy.deepcopy(template)
    for where, value in changes.items():
        name, _, key = where.partition('.')
        place = (
            template['resources']
            if not key
            else template['resources'][name].setdefault('properties', {})
        )
        if value is None:
            place.pop(key or name, None)
        else:
            place[key or name] = value
    return template


def _only(template, names):
    """Return the template with these resources and those they refer to."""
    wanted, more = set(), set(names)
    while more:
        wanted |= more
        text = json.dumps([template['resources'][name] for name in more])
        more = {name for name in template['resources'] if f'"{name}"' in text} - wanted
    return {
        **template,
        'resources': {name: each for name, each in template['resources'].items() if name in wanted},
    }


def _filled(value, given):
    """Return the value with ``{given KEY}`` replaced by ids."""
    if isinstance(value, dict):
        return {_filled(key, given): _filled(each, given) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, given) for each in value]
    if isinstance(value, str) and '{' in value:
        for key, made in given.items():
            value = value.replace(key if key.startswith('{') else f'{{given {key}}}', made)
    return value
