"""The verbs of the command: one row each."""

from typing import NamedTuple


class Verb(NamedTuple):
    """A verb.

    ``target``: module and function, ``module.function``. The constant of the module with the name
    of the function in capitals has its arguments. ``group`` is the heading in the list of verbs.
    With the option ``offline``, the verb needs no service.
    """

    group: str
    target: str
    summary: str
    example: str
    offline: str = ''


CHANGE, LOOK, ACT, KEEP, KNOW = (
    'Change stacks',
    'Look at stacks',
    'Act on stacks',
    'Keep and move stacks',
    'Know the language and the service',
)

VERBS = {
    'apply': Verb(
        CHANGE,
        'deploy.apply',
        'create or update a stack: show the changes, ask, follow them',
        'heat-lite apply -t app.yaml -e production.yaml app',
    ),
    'create': Verb(
        CHANGE,
        'deploy.create',
        'create a stack and follow its progress',
        'heat-lite create -t app.yaml -P size=3 app',
    ),
    'update': Verb(
        CHANGE,
        'deploy.update',
        'update a stack and follow its progress',
        'heat-lite update --existing -P size=4 app',
    ),
    'preview': Verb(
        CHANGE,
        'deploy.preview',
        'show the changes that a create or an update would make',
        'heat-lite preview --detailed-exitcode -t app.yaml app',
    ),
    'plan list': Verb(
        LOOK,
        'revisions.plans',
        'list the plans of a stack, or those of creates, that have not expired',
        'heat-lite plan list app',
    ),
    'plan approve': Verb(
        CHANGE,
        'deploy.approve',
        'approve the plan that another user has made with preview --out',
        'heat-lite plan approve plan.json',
    ),
    'delete': Verb(CHANGE, 'lifecycle.delete', 'delete a stack', 'heat-lite delete app'),
    'list': Verb(
        LOOK,
        'stacks.list_stacks',
        'list the stacks of the project',
        'heat-lite list --status failed --tags production',
    ),
    'show': Verb(LOOK, 'stacks.show', 'show a stack', 'heat-lite show app'),
    'follow': Verb(
        LOOK,
        'lifecycle.follow',
        'follow the running action of a stack until it ends',
        'heat-lite follow app',
    ),
    'why': Verb(LOOK, 'why.why', 'tell what a stack waits for', 'heat-lite why app'),
    'failures': Verb(
        LOOK,
        'stacks.failures',
        'list the failures of a stack, even after a rollback or a delete',
        'heat-lite failures app',
    ),
    'outputs': Verb(
        LOOK, 'stacks.outputs', 'show the outputs of a stack', 'heat-lite outputs app url'
    ),
    'events': Verb(
        LOOK,
        'events.events',
        'list the events of a stack',
        'heat-lite events --follow --nested 5 app',
    ),
    'event show': Verb(
        LOOK, 'resources.event', 'show an event', 'heat-lite event show app server EVENT'
    ),
    'timeline': Verb(
        LOOK,
        'events.timeline',
        'show when each resource waited and worked in an action',
        'heat-lite timeline app',
    ),
    'resource list': Verb(
        LOOK,
        'resources.list_resources',
        'list the resources of a stack',
        'heat-lite resource list --nested 5 app',
    ),
    'resource show': Verb(
        LOOK, 'resources.show', 'show a resource of a stack', 'heat-lite resource show app server'
    ),
    'resource metadata': Verb(
        LOOK,
        'resources.metadata',
        'print the metadata of a resource',
        'heat-lite resource metadata app server',
    ),
    'graph': Verb(
        LOOK,
        'graphs.graph',
        'draw the dependencies of a stack, or of a template',
        'heat-lite graph app\nheat-lite graph -t app.yaml --format mermaid',
        offline='template',
    ),
    'template': Verb(
        LOOK, 'stacks.template', 'print the template of a stack', 'heat-lite template app'
    ),
    'environment': Verb(
        LOOK, 'stacks.environment', 'print the environment of a stack', 'heat-lite environment app'
    ),
    'file list': Verb(
        LOOK, 'stacks.files', 'print the files of a stack', 'heat-lite file list app'
    ),
    'history': Verb(
        LOOK,
        'revisions.history',
        'list who has changed the definition of a stack, when and why',
        'heat-lite history app',
    ),
    'diff': Verb(
        LOOK,
        'revisions.diff',
        'show what differs between two definitions that a stack has had',
        'heat-lite diff app 3 5',
    ),
    'retry': Verb(
        ACT,
        'lifecycle.retry',
        'continue a failed action where it stopped',
        'heat-lite retry app',
    ),
    'cancel': Verb(
        ACT,
        'lifecycle.cancel',
        'cancel the running create or update of a stack',
        'heat-lite cancel --no-rollback app',
    ),
    'suspend': Verb(ACT, 'lifecycle.suspend', 'suspend a stack', 'heat-lite suspend app'),
    'resume': Verb(ACT, 'lifecycle.resume', 'resume a suspended stack', 'heat-lite resume app'),
    'check': Verb(
        ACT,
        'lifecycle.check',
        'compare the resources of a stack with the live objects',
        'heat-lite check app',
    ),
    'drift': Verb(
        ACT,
        'lifecycle.drift',
        'list the objects that others have changed, without a change of the stack',
        'heat-lite drift app',
    ),
    'protect': Verb(
        ACT,
        'lifecycle.protect',
        'protect a stack against deletion',
        'heat-lite protect --off app',
    ),
    'signal': Verb(
        ACT,
        'resources.signal',
        'send a signal to a resource',
        'heat-lite signal --data \'{"reason": "ready"}\' app server',
    ),
    'resource mark': Verb(
        ACT,
        'resources.mark',
        'mark a resource unhealthy, so that the next update replaces it',
        'heat-lite resource mark --reason "disk is dying" app server',
    ),
    'hook list': Verb(
        ACT,
        'resources.hooks',
        'list the resources that wait at a hook',
        'heat-lite hook list app',
    ),
    'hook clear': Verb(
        ACT,
        'resources.clear_hook',
        'let a resource that waits at a hook continue',
        'heat-lite hook clear app server pre-update',
    ),
    'snapshot create': Verb(
        KEEP,
        'snapshots.create',
        'take a snapshot of a stack',
        'heat-lite snapshot create --name before app',
    ),
    'snapshot list': Verb(
        KEEP,
        'snapshots.list_snapshots',
        'list the snapshots of a stack',
        'heat-lite snapshot list app',
    ),
    'snapshot show': Verb(
        KEEP, 'snapshots.show', 'show a snapshot', 'heat-lite snapshot show app before'
    ),
    'snapshot restore': Verb(
        KEEP,
        'snapshots.restore',
        'return a stack to a snapshot',
        'heat-lite snapshot restore app before',
    ),
    'snapshot delete': Verb(
        KEEP, 'snapshots.delete', 'delete a snapshot', 'heat-lite snapshot delete app before'
    ),
    'export': Verb(
        KEEP, 'adoption.export', 'print a stack as a document', 'heat-lite export app -o app.json'
    ),
    'abandon': Verb(
        KEEP,
        'adoption.abandon',
        'print a stack as a document, and delete it without its objects',
        'heat-lite abandon app -o app.json',
    ),
    'adopt': Verb(
        KEEP,
        'adoption.adopt',
        'create a stack of existing objects, from such a document',
        'heat-lite adopt --adopt-file app.json app',
    ),
    'import': Verb(
        KEEP,
        'imports.import_object',
        'describe an existing object as a part of a template, and adopt it into a stack',
        'heat-lite import OS::Neutron::Net 0b2c5e11-2f7c-4a8c-8f57-5f0c0f6e3a11 app',
    ),
    'move': Verb(
        KEEP,
        'moves.move',
        'move resources to another stack or name; no object changes',
        'heat-lite move app/database data/',
    ),
    'rename': Verb(KEEP, 'moves.rename', 'give a stack another name', 'heat-lite rename app shop'),
    'refactor plan': Verb(
        KEEP,
        'moves.plan',
        'find the moves that lead from stacks to the templates of a folder',
        'heat-lite refactor plan stacks/',
    ),
    'refactor apply': Verb(
        KEEP,
        'moves.apply',
        'make these moves, after a question; no object changes',
        'heat-lite refactor apply stacks/',
    ),
    'service list': Verb(
        KNOW, 'catalog.engines', 'list the engines of the service', 'heat-lite service list'
    ),
    'credentials': Verb(
        KNOW,
        'credentials.credentials',
        'print the access key for the AWS APIs, and their URLs',
        'heat-lite credentials --env',
    ),
    'build info': Verb(
        KNOW, 'catalog.build', 'show the version of the service', 'heat-lite build info'
    ),
    'types': Verb(
        KNOW, 'catalog.types', 'list resource types, or show one', 'heat-lite types OS::Heat::Value'
    ),
    'functions': Verb(
        KNOW,
        'catalog.functions',
        'list template versions, or the functions of one',
        'heat-lite functions heat_template_version.2021-04-16',
    ),
    'validate': Verb(
        KNOW,
        'catalog.validate',
        'let the service validate a template',
        'heat-lite validate -t app.yaml',
    ),
}

#: other names of verbs, also those of `openstack stack`
ALIASES = {
    'environment show': 'environment',
    'event list': 'events',
    'failures list': 'failures',
    'output list': 'outputs',
    'output show': 'outputs',
    'resource signal': 'signal',
    'resource type list': 'types',
    'resource type show': 'types',
    'resources': 'resource list',
    'template function list': 'functions',
    'template show': 'template',
    'template validate': 'validate',
    'template version list': 'functions',
    'hooks': 'hook list',
    'hook poll': 'hook list',
    'snapshot': 'snapshot create',
    'restore': 'snapshot restore',
}
#: {word of other tools: command}, for suggestions
OTHER_WORDS = {
    'continue': 'retry',
    'deploy': 'apply',
    'describe': 'show',
    'destroy': 'delete',
    'errors': 'failures',
    'explain': 'docs',
    'generate': 'init',
    'get': 'show',
    'info': 'show',
    'inspect': 'show',
    'kill': 'delete',
    'log': 'events',
    'logs': 'events',
    'ls': 'list',
    'mv': 'move',
    'new': 'create',
    'output': 'outputs',
    'plan': 'preview',
    'ps': 'list',
    'refresh': 'drift',
    'remove': 'delete',
    'rm': 'delete',
    'rollback': 'cancel',
    'run': 'apply',
    'serve': 'up',
    'server': 'up',
    'status': 'show',
    'stop': 'cancel',
    'start': 'create',
    'tail': 'events --follow',
    'taint': 'resource mark',
    'tree': 'graph',
    'unlock': 'protect --off',
    'unprotect': 'protect --off',
    'upgrade': 'update',
    'version': '--version',
    'wait': 'follow',
    'watch': 'follow',
}


def find(words: list[str]) -> tuple[str, int]:
    """Return the verb that a command line begins with, and its number of words.

    Returns an empty name and 0 for no known verb.
    """
    for length in (3, 2, 1):
        given = ' '.join(words[:length])
        name = ALIASES.get(given, given)
        if len(words) >= length and name in VERBS and not _is_argument(given, words[length:]):
            return name, length
    return '', 0


def _is_argument(name: str, rest: list[str]) -> bool:
    """Whether the last word of an alias is an argument: ``template show`` of the stack "show"."""
    first, _, more = name.partition(' ')
    return bool(more) and name in ALIASES and first in VERBS and rest[:1] in ([], ['--json'])
