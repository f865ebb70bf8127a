"""The tasks of workflows: conversion from templates to the workflow language of Mistral."""

from heat_lite.common import exception
from heat_lite.template.schema import boolean, description_property, integer, list_, map_, string

NAME, POLICIES, REVERSE = 'name', 'policies', 'reverse'
#: keys that older templates have under ``policies``
_POLICIES = ('retry', 'wait_before', 'wait_after', 'pause_before', 'timeout', 'concurrency')


def defaults(**options):
    """Return the schemas of the keys that all tasks and the task defaults have.

    ``options`` are those of the keys that a task once had under ``policies``.
    """
    return {
        'concurrency': integer('Number of actions of the task that run at once.', since='8.0.0'),
        'on_complete': list_('Tasks that follow the task, whether it succeeds or fails.'),
        'on_error': list_('Tasks that follow the task if it fails.'),
        'on_success': list_('Tasks that follow the task if it succeeds.'),
        'pause_before': boolean('Whether the workflow pauses before the task.', **options),
        'requires': list_('Tasks that must complete before the task.'),
        'retry': map_('Retry policy of the task.', **options),
        'timeout': integer('Timeout of the task in seconds.', **options),
        'wait_after': integer('Delay after the task in seconds.', **options),
        'wait_before': integer('Delay before the task in seconds.', **options),
    }


#: the schemas of the keys of a task
TASK = {
    **defaults(since='5.0.0'),
    'action': string('Action that the task executes.'),
    'description': description_property(update_allowed=False),
    'input': map_('Input of the action or the workflow.'),
    'join': string(
        'Number of preceding tasks that must complete: "all", "one" or a number.', since='6.0.0'
    ),
    'keep_result': boolean('Whether Mistral stores the result of the task.', since='5.0.0'),
    'name': string('Name of the task.', required=True),
    'policies': map_(
        'Policies of the task, as older templates write them.',
        history='hidden 8.0.0, deprecated 5.0.0, supported 2015.1',
    ),
    'publish': map_('Variables that the task publishes.'),
    'target': string('Name of the executor that runs the task.', since='5.0.0'),
    'with_items': string('Lists over whose items the task iterates.', since='5.0.0'),
    'workflow': string('Workflow that the task executes.', custom='mistral.workflow'),
}


def check(properties):
    """Validate rules that Mistral would check only later.

    Raises StackValidationFailed.
    """
    kind, params = properties['type'], properties['params'] or {}
    if kind == REVERSE and not params.get('task_name'):
        raise _error(
            ('params',),
            "'task_name' is not assigned in 'params' in case of reverse type workflow.",
        )
    for each in properties['tasks'] or ():
        name = each[NAME]
        if each['action'] and each['workflow']:
            raise exception.ResourcePropertyConflict('workflow', 'action')
        if not each['action'] and not each['workflow']:
            raise exception.PropertyUnspecifiedError('workflow', 'action')
        if each['requires'] is not None and kind != REVERSE:
            text = (
                f"task {name} contains property 'requires' in case of direct workflow. Only "
                f'reverse workflows can contain property {{}}.'
            )
            raise _error(('tasks', name, 'requires'), text.format("'requires'"))
        twice = [
            policy
            for policy in _POLICIES
            if each.get(policy) is not None and (each[POLICIES] or {}).get(policy) is not None
        ]
        if twice:
            raise exception.ResourcePropertyConflict(
                f'tasks.{twice[0]}', f'tasks.policies.{twice[0]}'
            )
        if each['with_items'] is None and (
            each['concurrency'] is not None or _older_policy(each, 'concurrency') is not None
        ):
            raise exception.ResourcePropertyDependency(prop1='concurrency', prop2='with_items')


def _error(path, text):
    return exception.StackValidationFailed(
        text, error='Mistral resource validation error', path=('properties', *path)
    )


def _older_policy(task, name):
    """Return a policy from ``policies``, where it may have the form of the workflow language."""
    given = task[POLICIES] or {}
    return given.get(name, given.get(name.replace('_', '-')))


def workflow(properties):
    """Return a workflow in the workflow language of Mistral."""
    definition = {
        'type': properties['type'],
        'tasks': {each[NAME]: _task(each) for each in properties['tasks']},
    }
    for name in ('description', 'output', 'tags'):
        if properties[name]:
            definition[name] = properties[name]
    if properties['input']:
        definition['input'] = list(properties['input'])
    common = _with_dashes(properties['task_defaults'] or {})
    if common:
        definition['task-defaults'] = common
    return definition


def described(definition):
    """Return the properties of a workflow in the workflow language of Mistral."""
    found = {name.replace('-', '_'): value for name, value in definition.items()}
    found['tasks'] = [
        {NAME: name, **_without_dashes(task)} for name, task in definition['tasks'].items()
    ]
    if 'input' in found:
        parts = [each if isinstance(each, dict) else {each: None} for each in found['input']]
        found['input'] = {name: value for each in parts for name, value in each.items()}
    if 'task_defaults' in found:
        found['task_defaults'] = _without_dashes(found['task_defaults'])
    return found


def _without_dashes(given):
    return {name.replace('-', '_'): value for name, value in given.items()}


def _task(given):
    older = {name: _older_policy(given, name) for name in _POLICIES}
    own = {
        name: value
        for name, value in given.items()
        if name not in (NAME, POLICIES) and value is not None
    }
    return _with_dashes({**older, **own})


def _with_dashes(given):
    return {name.replace('_', '-'): value for name, value in given.items() if value is not None}
