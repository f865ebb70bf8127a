"""Verbs that change a stack to a template: ``apply``, ``create``, ``update``, ``preview``."""

import argparse
import json
import pathlib
import pkgutil
import re
import shlex
import urllib.parse

from heat_lite.cli import api_client, arguments, errors, stack_body
from heat_lite.cli.display import outcome, planned_changes, progress, terminal
from heat_lite.cli.option_parser import argument, flag, repeatable
from heat_lite.common.value_types import Value, Values

#: these import the linter and the template library, which start slowly
SHOW_WARNINGS = 'heat_lite.authoring.offline:show_warnings'
SCHEMATA = 'heat_lite.authoring.parameter_values:schemata'
NAME = argument('stack', metavar='NAME', help='name of the stack')
NAME_OR_ID = argument('stack', metavar='STACK', help='name or id of the stack')
REPLACE = repeatable(
    '--replace',
    metavar='RESOURCE|never',
    help='recreate this resource; may be repeated. never: refuse an update that replaces resources',
)
PART = (
    repeatable(
        '--target',
        metavar='RESOURCE',
        help='change only this resource and what it requires; may be repeated',
    ),
    repeatable('--exclude', metavar='RESOURCE', help='leave this resource; may be repeated'),
    REPLACE,
)
UPDATE_ONLY = (
    arguments.EXISTING,
    repeatable(
        '--clear-parameter',
        metavar='NAME',
        help='return a parameter to its default with --existing; may be repeated',
    ),
    flag('--converge', help='compare each resource with the live object, and repair it'),
)
APPLY = (
    argument(
        'stack',
        metavar='NAME',
        nargs='?',
        help='name of the stack (default: that of the file, without its ending)',
    ),
    arguments.TEMPLATE,
    arguments.REVISION,
    argument('--plan', metavar='FILE', help='do what `heat-lite preview --out FILE` has shown'),
    *arguments.FILES,
    *arguments.OPTIONS,
    arguments.MESSAGE,
    *PART,
    arguments.YES,
    arguments.NO_WAIT,
)
CREATE = (
    NAME,
    arguments.REQUIRED_TEMPLATE,
    *arguments.FILES,
    *arguments.OPTIONS,
    arguments.MESSAGE,
    arguments.NO_WAIT,
)
UPDATE = (
    NAME_OR_ID,
    arguments.TEMPLATE,
    arguments.REVISION,
    *arguments.FILES,
    *arguments.OPTIONS,
    *UPDATE_ONLY,
    arguments.MESSAGE,
    *PART,
    arguments.NO_WAIT,
)
PREVIEW = (
    NAME_OR_ID,
    arguments.TEMPLATE,
    arguments.REVISION,
    *arguments.FILES,
    *arguments.OPTIONS,
    *UPDATE_ONLY,
    flag('--live', help='compare with the objects in the cloud, too'),
    argument(
        '--out',
        metavar='FILE',
        help='keep it as a plan, and write its id and its changes to a file',
    ),
    *PART,
    arguments.DETAILED_EXITCODE,
)
#: the path of a stack in the file of a plan; one that the plan creates has no id
PLANNED_STACK = re.compile(r'/stacks/[^/?#]+(/[^/?#]+)?')
APPROVE = (
    argument('plan', metavar='FILE', help='file of `heat-lite preview --out FILE`'),
    arguments.YES,
)


def create(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    _create(api, out, args, stack_body.build(args))


def _create(
    api: api_client.ApiClient,
    out: terminal.Terminal,
    args: argparse.Namespace,
    body: Value,
) -> None:
    # The stock client sends no rollback unless it is asked for; servers differ in their default.
    rollback = {} if 'plan' in body else {'disable_rollback': True}
    path = api.create_stack(args.stack, {**rollback, **body})
    _finish(api, out, args, body, path, 'CREATE', progress.NO_STACK)


def update(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    _require_template(args)
    body = stack_body.build(args)
    _require_declared(api, args, body)
    _update(api, out, args, body, args.existing, 'never' in args.replace)


def _require_declared(api: api_client.ApiClient, args: argparse.Namespace, body: dict) -> None:
    """Raise CommandError for a parameter that no template declares.

    The service accepts and drops it, as Heat does when it keeps the present values.
    """
    given = [*body['parameters'], *args.clear_parameter]
    if not given or not args.existing:
        return
    if args.template:
        declared = pkgutil.resolve_name(SCHEMATA)(body['template'])
    else:
        declared = api.stack(args.stack)['parameters']
    for name in given:
        if name not in declared:
            hint = errors.suggest(name, declared)
            raise errors.CommandError(f'the template declares no parameter {name}.{hint}')


def _require_template(args: argparse.Namespace) -> None:
    if not args.template and not args.existing and args.revision is None:
        raise errors.UsageError(
            'give a template with -t, or keep the present one with --existing, or take a former'
            ' one with --revision'
        )
    if args.clear_parameter and not args.existing:
        raise errors.UsageError('--clear-parameter needs --existing')


def _update(
    api: api_client.ApiClient,
    out: terminal.Terminal,
    args: argparse.Namespace,
    body: Value,
    existing: bool,
    without_replacement: bool,
    digest: str = '',
) -> None:
    """Update the stack, if the digest of its definition is this one."""
    path = api.find(args.stack)
    before = progress.state_before(api, path)
    if without_replacement:
        body['on_replace'] = 'fail'
    api.call('PATCH' if existing else 'PUT', path, body, digest)
    _finish(api, out, args, body, path, 'UPDATE', before)


def _finish(
    api: api_client.ApiClient,
    out: terminal.Terminal,
    args: argparse.Namespace,
    body: Values,
    path: str,
    action: str,
    before: progress.Before,
) -> None:
    """Follow the action and show the outputs, unless the user does not want to wait."""
    if args.no_wait:
        stack = api.stack_at(path) if out.is_json else None
        out.write_json({'stack': stack}, None) if stack else out.write_line(path.split('/')[3])
        return
    outcome.follow(api, path, out, action, before, correct=_correction(args, body))
    if not out.is_json:
        outcome.show_outputs(api.get(path)['stack'], out)


def _correction(args: argparse.Namespace, body: Values) -> str:
    """Return the verb that applies the corrected template, with the files and the parameters.

    Values of hidden parameters are left out: it asks for them.
    """
    declared = pkgutil.resolve_name(SCHEMATA)(body.get('template', ''))
    hidden = {name for name, schema in declared.items() if schema.hidden}
    shown = ['='.join(pair) for pair in args.parameter if pair[0] not in hidden]
    files = map('='.join, args.parameter_file)
    given = (('-e', args.environment), ('-P', shown), ('--parameter-file', files))
    words = [word for option, values in given for value in values for word in (option, value)]
    return f'apply {shlex.join(["-t", args.template or "FILE", *words])}'


def preview(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> int:
    """Show the preview. Return 3 for changes with ``--detailed-exitcode``, else 0."""
    _require_template(args)
    body = stack_body.build(args)
    _require_declared(api, args, body)
    query = {'store': args.out, 'live': args.live}
    query = {name: 'true' for name, is_given in query.items() if is_given}
    found = planned_changes.request(api, args.stack, body, args.existing, **query)
    if args.out:
        # a stack that a plan creates has no id yet
        quoted = api_client.quote(args.stack)
        path = f'/stacks/{quoted}' if found.is_create else api.find(args.stack)
        kept = {'stack': path, **planned_changes.summary(found.response)}
        pathlib.Path(args.out).write_text(json.dumps(kept, indent=2) + '\n')
    if out.is_json:
        out.write_json(found.response)
    else:
        planned_changes.show(found.response, out)
    has_changes = planned_changes.has_changes(found.response)
    return errors.CHANGED if args.detailed_exitcode and has_changes else errors.DONE


def apply(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> int:
    """Create or update a stack after a preview that the user accepts. Return the exit status.

    Warnings of the linter, and questions for missing parameters, come first.
    """
    if args.template == '-':
        arguments.require_answer(args)  # the answer cannot come from the same input
        if not args.stack:
            raise errors.UsageError('a template from standard input has no name: give NAME')
    body = stack_body.build(args)
    if args.plan:
        given = {key: value for key, value in body.items() if value != {}}
        if args.stack or given.keys() - {'message'}:
            raise errors.UsageError(
                'a plan has the stack, the template and all options: give only --message and -y'
                ' with --plan'
            )
        path, plan_id = _read_plan(args.plan)
        args.stack, body = urllib.parse.unquote(path.split('/')[2]), {**given, 'plan': plan_id}
        found = _preview_plan(api, path, plan_id)
    elif not args.template and (args.revision is None or not args.stack):
        raise errors.UsageError('give a template with -t, or NAME and --revision, or --plan')
    args.stack = args.stack or pathlib.PurePath(urllib.parse.urlsplit(args.template).path).stem
    arguments.require_answer(args)
    if args.template:
        texts = {name: content.decode(errors='replace') for name, content in args.sources.items()}
        pkgutil.resolve_name(SHOW_WARNINGS)([args.template, *args.environment], texts)
        if not args.yes:
            _ask_parameters(body)
    if not args.plan:
        found = planned_changes.request(api, args.stack, body, existing=False)
    response = found.response
    _show_plan(found, out, args)
    replaced = planned_changes.replacements(response)
    if 'never' in args.replace and replaced.all():
        verb = 'would' if replaced.certain else 'may'
        raise errors.StackFailed(
            f'nothing is changed: {", ".join(replaced.all())} {verb} be replaced,'
            ' and --replace is never'
        )
    if args.plan and response['refused']:
        raise errors.StackFailed(response['refused'])
    if not planned_changes.has_changes(response):
        return errors.DONE
    arguments.confirm(args, _question(replaced), 'nothing is changed')
    if found.is_create:
        _create(api, out, args, body)
    else:
        # A replacement that the user has not seen must not happen. The service looks after a plan.
        digest = '' if args.plan else response.get('present_digest', '')
        _update(api, out, args, body, False, not (args.plan or replaced.all()), digest)
    return errors.DONE


def _read_plan(name: str) -> tuple[str, str]:
    """Return the path of the stack, and the id of its plan, from a file of ``preview --out``."""
    reason = ''
    try:
        kept = json.loads(pathlib.Path(name).read_text())
        path, plan_id = kept['stack'], kept['plan']['id']
        if PLANNED_STACK.fullmatch(path) and isinstance(plan_id, str):
            return path, plan_id
    except OSError as error:
        reason = f': {error.strerror}'
    except (ValueError, KeyError, TypeError):  # no JSON, or another form
        pass
    raise errors.FileError(f'{name} has no plan of `heat-lite preview --out`{reason}')


def _preview_plan(api: api_client.ApiClient, path: str, plan_id: str) -> planned_changes.Preview:
    """Return what a plan would do now."""
    body = {'plan': plan_id}
    if path.count('/') == 2:  # without an id: it creates the stack
        return planned_changes.request_create(api, body)
    return planned_changes.Preview(api.call('PUT', f'{path}/preview', body), False)


def approve(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    """Approve a plan of another user, after a look at what it would do now."""
    path, plan_id = _read_plan(args.plan)
    found = _preview_plan(api, path, plan_id)
    if not out.is_json:
        planned_changes.show(found.response, out)
    arguments.confirm(args, 'Approve this plan?', 'the plan is not approved')
    owner = '' if found.is_create else path
    plan = api.call('POST', f'{owner}/plans/{plan_id}/approve')['plan']
    if out.is_json:
        out.write_json(plan)
    else:
        out.write_line(f'the plan is approved; it expires at {plan["expiry_time"]}')


def _ask_parameters(body: Values) -> None:
    """Ask for the parameters without a value, hidden ones without an echo.

    Environments in a container of the object store are not known here.
    """
    if 'files_container' in body and 'environment_files' in body:
        return
    given = [
        body['parameters'],
        *map(body['environment'].get, ('parameters', 'parameter_defaults')),
    ]
    known = {name for each in given if isinstance(each, dict) for name in each}
    for name, schema in pkgutil.resolve_name(SCHEMATA)(body['template']).items():
        if name in known or not schema.required:
            continue
        more = ', '.join(filter(None, (schema.type, schema.description)))
        try:
            body['parameters'][name] = terminal.ask_value(f'{name} ({more}): ', schema.hidden)
        except EOFError:
            raise errors.CommandError(f'\nparameter {name} has no value') from None


def _show_plan(found: Value, out: terminal.Terminal, args: argparse.Namespace) -> None:
    if out.is_json:
        out.write_json({'preview': found.response}, indent=None)
        return
    out.write_line(f'{"create" if found.is_create else "update"} of stack {args.stack}:')
    planned_changes.show(found.response, out)


def _question(replaced: planned_changes.Replacements) -> str:
    warning = ''
    if replaced.certain:
        verb = 'resource is' if len(replaced.certain) == 1 else 'resources are'
        warning = f' {len(replaced.certain)} {verb} replaced.'
    if replaced.possible:
        warning += f' {", ".join(replaced.possible)} may be replaced.'
    return f'\nApply these changes?{warning}'
