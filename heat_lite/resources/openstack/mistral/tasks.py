"""The tasks of workflows: as templates say them, and as the language of the service does."""

from heat_lite.common import exception
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint
from heat_lite.template.schema import boolean, integer, list_, map_, string

NAME, POLICIES, REVERSE = 'name', 'policies', 'reverse'
#: what older templates say under policies
_POLICIES = ('retry', 'wait_before', 'wait_after', 'pause_before', 'timeout', 'concurrency')


def defaults():
    """What all tasks may have in common."""
    return {
        'concurrency': integer('How many times at once it does its work.', support=support.since('8.0.0')),
        'on_complete': list_('The tasks that follow, however it ends.'),
        'on_error': list_('The tasks that follow when it fails.'),
        'on_success': list_('The tasks that follow when it succeeds.'),
        'pause_before': boolean('Whether it waits for somebody to let it go on.'),
        'requires': list_('The tasks that must come before it.'),
        'retry': map_('How it is tried again when it fails.'),
        'timeout': integer('How many seconds it may take.'),
        'wait_after': integer('How many seconds to wait after it.'),
        'wait_before': integer('How many seconds to wait before it.'),
    }


def task():
    """What a task says."""
    since5 = {name: support.since('5.0.0') for name in ('pause_before', 'retry', 'timeout', 'wait_after', 'wait_before')}
    common = defaults()
    for name, status in since5.items():
        common[name].support = status
    return {
        **common,
        'action': string('The action that it is.'),
        'description': string('A text that says what it is for.'),
        'input': map_('The input of the action or workflow.'),
        'join': string(
            'How many of the tasks before it must have come to their end: all, one, or a number.', support=support.since('6.0.0')
        ),
        'keep_result': boolean('Whether its result is kept.', support=support.since('5.0.0')),
        'name': string('Its name.', required=True),
        'policies': map_(
            'An older place of what stands beside it now.',
            support=support.hidden('8.0.0', previous=support.deprecated('5.0.0', previous='2015.1')),
        ),
        'publish': map_('What it tells other tasks.'),
        'target': string('Who does it.', support=support.since('5.0.0')),
        'with_items': string('The list for each of whose items it is done.', support=support.since('5.0.0')),
        'workflow': string('The workflow that it is.', constraints=[CustomConstraint('mistral.workflow')]),
    }


def check(resource_name, properties):
    """Raise what is wrong with tasks that the service would refuse later."""
    kind, params = properties['type'], properties['params'] or {}
    if kind == REVERSE and not params.get('task_name'):
        raise _wrong(resource_name, ('params',), "'task_name' is not assigned in 'params' in case of reverse type workflow.")
    for each in properties['tasks'] or ():
        name = each[NAME]
        if each['action'] and each['workflow']:
            raise exception.ResourcePropertyConflict('workflow', 'action')
        if not each['action'] and not each['workflow']:
            raise exception.PropertyUnspecifiedError('workflow', 'action')
        if each['requires'] and kind != REVERSE:
            text = f"task {name} contains property 'requires' in case of direct workflow. Only reverse workflows can contain property {{}}."
            raise _wrong(resource_name, ('tasks', name, 'requires'), text.format("'requires'"))
        twice = [policy for policy in _POLICIES if each.get(policy) is not None and _older(each, policy) is not None]
        if twice:
            raise exception.ResourcePropertyConflict(f'tasks.{twice[0]}', f'tasks.policies.{twice[0]}')
        if (each['concurrency'] or _older(each, 'concurrency')) and not each['with_items']:
            raise exception.ResourcePropertyDependency(prop1='concurrency', prop2='with_items')


def _wrong(resource_name, path, text):
    return exception.StackValidationFailed(text, error='Mistral resource validation error', path=(resource_name, 'properties', *path))


def _older(task, name):
    """The value of a policy at its older place, where it may be written as in the language of the service."""
    given = task[POLICIES] or {}
    return given.get(name, given.get(name.replace('_', '-')))


def workflow(properties):
    """A whole workflow in the language of the service."""
    made = {'type': properties['type'], 'tasks': {each[NAME]: _task(each) for each in properties['tasks']}}
    for name in ('description', 'output', 'tags'):
        if properties[name]:
            made[name] = properties[name]
    if properties['input']:
        made['input'] = list(properties['input'])
    common = _dashed(properties['task_defaults'] or {})
    if common:
        made['task-defaults'] = common
    return made


def _task(given):
    older = {name: _older(given, name) for name in _POLICIES}
    own = {name: value for name, value in given.items() if name not in (NAME, POLICIES) and value is not None}
    return _dashed({**older, **own})


def _dashed(given):
    return {name.replace('_', '-'): value for name, value in given.items() if value is not None}
