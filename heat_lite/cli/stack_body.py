"""The body of a request that creates or updates a stack, as the stock client sends it."""

import argparse
import json
from collections.abc import Mapping, Sequence

from heat_lite.authoring import file_references
from heat_lite.cli import errors, stack_files
from heat_lite.common.value_types import Values


def build(args: argparse.Namespace) -> Values:
    """Return the body that the options of the command describe.

    ``args.sources`` has the content of each file afterwards, for errors at a place of it.
    Raises FileError for a file that cannot be used.
    """
    container = getattr(args, 'files_container', None)
    files = stack_files.StackFiles(with_references=not container)
    args.sources = files.sources
    body: Values = {'parameters': parameters(args, files)}
    if args.template:
        body['template'] = files.template(args.template)
    body.update(environments(args.environment, files, body['parameters'], not container))
    body['files'] = files.contents
    if container:
        body['files_container'] = container
    body.update(_options(args))
    return body


def parameters(args: argparse.Namespace, files: stack_files.StackFiles) -> dict[str, str]:
    """Return the parameters of ``--parameter`` and ``--parameter-file``."""
    return {
        **dict(args.parameter),
        **{name: files.text(file) for name, file in args.parameter_file},
    }


def environments(
    names: Sequence[str],
    files: stack_files.StackFiles,
    given: Mapping[str, str],
    fetched: bool = True,
) -> Values:
    """Return the keys of the body for environments, in their order: later ones win.

    The service prefers the parameters of environments to those of the request, as Heat does. So
    the environments are sent without the parameters that options have ``given``.
    """
    if not names:
        return {'environment': {}}
    if not fetched:
        return {'environment': {}, 'environment_files': list(names)}
    merged: Values = {}
    urls = []
    for name in names:
        if name == file_references.STDIN:
            raise errors.FileError('only the template can be read from standard input')
        environment = _without_parameters(files.environment(name), given)
        merged = stack_files.merge(merged, environment)
        urls.append(file_references.url_of(name))
        files.contents[urls[-1]] = json.dumps(environment)
    return {'environment': merged, 'environment_files': urls}


def _without_parameters(environment: dict, names: Mapping[str, str]) -> dict:
    values = environment.get('parameters')
    if not isinstance(values, dict) or names.keys().isdisjoint(values):
        return environment
    kept = {name: value for name, value in values.items() if name not in names}
    return {**environment, 'parameters': kept}


def _options(args: argparse.Namespace) -> Values:
    """Return the keys of the body for the options that were given."""
    given = {
        'tags': args.tags,
        'timeout_mins': args.timeout,
        'disable_rollback': args.disable_rollback,
        'clear_parameters': getattr(args, 'clear_parameter', None) or None,
        'converge': getattr(args, 'converge', None) or None,
        'message': getattr(args, 'message', None),
        'revision': getattr(args, 'revision', None),
    }
    for name in ('target', 'exclude', 'replace'):
        names = [each for each in getattr(args, name, ()) if each not in ('ask', 'never')]
        given[name] = names or None
    return {key: value for key, value in given.items() if value is not None}
