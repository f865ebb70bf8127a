"""Play one recorded case against a service, compare, and delete the case's stacks."""

import copy
import json
import time

from tests.conformance.comparison import MISSING, Comparison, expand

CASE_SECONDS = 60
SETTLE_SECONDS = 0.1  # before the first poll after a step
NO_WAIT_SECONDS = 0.5  # after a step that leaves the stack in progress
GRACE_SECONDS = (
    4  # a stack that differs after a step is looked at again for so long: it may start late
)
POLL_SECONDS = 0.03
# keys of a stack that the expectation of a preview or a create may contain
STACK_KEYS = ('stack_status', 'stack_status_reason', 'timeout_mins', 'disable_rollback', 'tags')
VALIDATE_KEYS = (
    'template',
    'template_url',
    'files',
    'environment',
    'environment_files',
    'parameters',
)

# operation of a step -> method and end of the path
OPERATIONS = {
    'update': ('PUT', ''),
    'patch': ('PATCH', ''),
    'preview_update': ('PUT', '/preview'),
    'action': ('POST', '/actions'),
    'signal': ('POST', '/resources/{}/signal'),
    'mark_unhealthy': ('PATCH', '/resources/{}'),
    'delete': ('DELETE', ''),
}


def request_of(case):
    """Return the request of a validation case with large templates expanded."""
    body = expand(copy.deepcopy(case['request']))
    template = body.get('template')
    version = '2018-08-31'
    if not isinstance(template, dict):
        return body
    if '$pad_text' in template:
        body['template'] = f'heat_template_version: {version}\n# ' + 'x' * template['$pad_text']
    elif '$pad_object' in template:
        body['template'] = {
            'heat_template_version': version,
            'description': 'x' * template['$pad_object'],
        }
    elif '$resources' in template:
        resources = {
            f'r{number}': {'type': 'OS::Heat::None'} for number in range(template['$resources'])
        }
        body['template'] = {'heat_template_version': version, 'resources': resources}
    return body


class Player:
    """Plays one case.

    ``http(method, path, data=None, params=None)`` returns (status, decoded body) for a path below
    the project's URL.
    """

    def __init__(self, http, case, name, project, grace=GRACE_SECONDS):
        self.http = http
        self.case = case
        self.name = name
        self.grace = grace
        self.end = time.monotonic() + CASE_SECONDS
        self.names = {'{stack_name}': name, '{project_id}': project}
        self.physical = {}
        self.stacks = []
        self.differences = []

    # -- requests

    def call(self, method, path, body=None, **params):
        assert time.monotonic() < self.end, (
            f'not done within {CASE_SECONDS} seconds: {method} {path}'
        )
        data = None if method in ('GET', 'DELETE') else json.dumps(body)
        if data is not None:
            self.names['{body_bytes}'] = str(len(data.encode()))
        return self.http(method, path, data, params)

    def compare(self, path, expected, got):
        comparison = Comparison(self.names)
        comparison.answer(path, expected, got)
        self.differences += comparison.differences

    def post_stack(self, body):
        """Create a stack; return the response and the path of the stack, if any."""
        status, answer = self.call('POST', '/stacks', body)
        if status != 201:
            return status, answer, None
        ident = answer['stack']['id']
        self.names['{stack_id}'] = ident
        self.stacks.append(f'/stacks/{body["stack_name"]}/{ident}')
        return status, answer, self.stacks[-1]

    def wait(self, path):
        """Wait until the stack is not in progress; return whether it was."""
        busy = False
        while True:
            status, answer = self.call('GET', path, resolve_outputs='false')
            if status != 200 or not answer['stack']['stack_status'].endswith('IN_PROGRESS'):
                return busy
            busy = True
            time.sleep(POLL_SECONDS)

    # -- observations in the format of cases

    def named(self, stack, expect):
        return {key: stack.get(key, MISSING) for key in STACK_KEYS if key in expect}

    def created(self, body, expect):
        status, answer, path = self.post_stack(body)
        seen = observed(status, answer)
        if path is None:
            return seen
        self.wait(path)
        stack = self.call('GET', path)[1]['stack']
        return seen | self.named(stack, expect) | outputs(stack)

    def resources(self, path, physical):
        """Return the resources of a stack; add their ids to ``physical``."""
        status, answer = self.call('GET', path + '/resources')
        seen = {}
        for found in (
            sorted(answer['resources'], key=lambda each: each['resource_name'])
            if status == 200
            else ()
        ):
            name, ident = found['resource_name'], found['physical_resource_id']
            if ident and (name, ident) not in physical:
                physical[name, ident] = f'{name}#{1 + sum(other == name for other, _ in physical)}'
            seen[name] = {
                'status': found['resource_status'],
                'type': found['resource_type'],
                'physical': physical.get((name, ident)),
            }
            if found['resource_status'].endswith('FAILED'):
                seen[name]['reason'] = found['resource_status_reason']
        return seen

    def state(self, path, physical):
        status, answer = self.call('GET', path)
        if status != 200:
            return {'http_status': status}
        stack = answer['stack']
        seen = {key: stack[key] for key in ('stack_status', 'stack_status_reason')}
        seen |= {'parameters': parameters(stack), 'tags': stack.get('tags') or []}
        return seen | {'resources': self.resources(path, physical)} | outputs(stack)

    # -- kinds of cases

    def function_case(self):
        body = expand(self.case['request']) | {'stack_name': self.name}
        self.compare('', self.case['expect'], self.created(body, self.case['expect']))

    def validation_case(self):
        expect, body = self.case['expect'], request_of(self.case)
        if 'validate' in expect:
            status, answer = self.call(
                'POST', '/validate', {key: body[key] for key in VALIDATE_KEYS if key in body}
            )
            seen = observed(status, answer)
            if status == 200:
                seen |= {
                    key: answer.get(key, MISSING)
                    for key in ('Parameters', 'ParameterGroups', 'Environment')
                }
            self.compare('validate.', expect['validate'], seen)
        body.setdefault('stack_name', self.name)
        if 'preview' in expect:
            status, answer = self.call('POST', '/stacks/preview', body)
            seen = observed(status, answer)
            if status == 200:
                seen |= {'parameters': parameters(answer['stack'])} | self.named(
                    answer['stack'], expect['preview']
                )
            self.compare('preview.', expect['preview'], seen)
        if 'create' in expect:
            self.compare('create.', expect['create'], self.created(body, expect['create']))

    def sequence_case(self):
        path = None
        steps = self.case['steps']
        for number, step in enumerate(steps, 1):
            where = f'step {number}/{len(steps)} {step["op"]} '
            status, answer, path = self.take(step, path)
            seen = observed(status, answer)
            if step['op'] == 'preview_update' and status == 200:
                seen['changes'] = {
                    kind: sorted(each['resource_name'] for each in found)
                    for kind, found in answer['resource_changes'].items()
                }
            if path is None or step['expect']['http_status'] != status:
                self.compare(where, without_stack(step['expect']), seen)
                return  # later steps depend on this one
            event = self.wait_after_step(step, path)
            if event:
                seen['hook_event'] = event
            self.compare(where, without_stack(step['expect']), seen)
            self.compare_state(where, step, path)
            if self.differences:
                return

    def take(self, step, path):
        """Send the request of a step; return status, body and path of the stack."""
        body = expand(copy.deepcopy(step.get('body')))
        if step['op'] == 'create':
            return self.post_stack(body | {'stack_name': self.name})
        method, suffix = OPERATIONS[step['op']]
        return *self.call(method, path + suffix.format(step.get('resource')), body), path

    def wait_after_step(self, step, path):
        """Wait as the step describes; return the hook event that the step waits for, if any."""
        if 'wait_for_resource' in step:
            where = f'{path}/resources/{step["wait_for_resource"]}'
            while (
                self.call('GET', where)[1].get('resource', {}).get('resource_status')
                != 'CREATE_COMPLETE'
            ):
                time.sleep(POLL_SECONDS)
            time.sleep(NO_WAIT_SECONDS)
        elif 'wait_for_event' in step:
            return self.wait_for_event(path, step['wait_for_event'])
        elif step.get('do_not_wait'):
            time.sleep(NO_WAIT_SECONDS)
        else:
            time.sleep(SETTLE_SECONDS)
            self.wait(path)
        return None

    def wait_for_event(self, path, text):
        while True:
            for event in self.call('GET', path + '/events')[1]['events']:
                if text in (event['resource_status_reason'] or ''):
                    return {
                        key: event[key]
                        for key in ('resource_name', 'resource_status', 'resource_status_reason')
                    }
            time.sleep(POLL_SECONDS)

    def ignores_signals(self, step, path):
        """Return whether the step's resource ignores signals now (a scaling in progress)."""
        if 'wait_while_metadata' not in step:
            return False
        told = step['wait_while_metadata']
        status, answer = self.call('GET', f'{path}/resources/{told["resource"]}/metadata')
        return status == 200 and answer['metadata'].get(told['key']) is True

    def compare_state(self, where, step, path):
        """Compare a step; poll for the grace time while the stack differs, as it may be late."""
        seconds = max(self.grace, 3 * step.get('settle_seconds', 0))
        grace = time.monotonic() + seconds
        while True:
            physical = dict(self.physical)
            comparison = Comparison(self.names)
            comparison.described(where, step['expect']['stack'], self.state(path, physical))
            ignored = self.ignores_signals(step, path)
            if not ignored and (not comparison.differences or time.monotonic() > grace):
                break
            time.sleep(POLL_SECONDS)
            if ignored or (not step['expect'].get('left_in_progress') and self.wait(path)):
                grace = time.monotonic() + seconds
        self.physical = physical
        self.differences += comparison.differences

    # -- play

    def play(self):
        """Play the case; return the differences."""
        kind = self.sequence_case if 'steps' in self.case else self.validation_case
        if 'steps' not in self.case and 'http_status' in self.case['expect']:
            kind = self.function_case
        try:
            kind()
        finally:
            for path in self.stacks:
                self.http('DELETE', path, None, {})
        return self.differences


def observed(status, answer):
    """Return the status and, of an error, its type and message, as in a case."""
    seen = {'http_status': status}
    if status < 400:
        return seen
    error = answer.get('error') if isinstance(answer, dict) else None
    if not isinstance(error, dict):
        return seen | {'body': answer}
    seen['error_type'] = error.get('type')
    if 'message' in error:
        seen['message'] = error['message']
    return seen


def outputs(stack):
    seen = {'outputs': {}, 'output_errors': {}}
    for output in stack.get('outputs') or []:
        seen['outputs'][output['output_key']] = output.get('output_value')
        if 'output_error' in output:
            seen['output_errors'][output['output_key']] = output['output_error']
    return seen


def parameters(stack):
    """Return the stack's own parameters, without pseudo parameters."""
    return {
        key: value
        for key, value in (stack.get('parameters') or {}).items()
        if not key.startswith(('OS::', 'AWS::'))
    }


def without_stack(expect):
    """Return the part of the expectation about the response itself."""
    return {key: item for key, item in expect.items() if key != 'stack'}
