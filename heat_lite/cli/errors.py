"""The errors of commands, their exit statuses, and suggestions for misspelt names."""

import argparse
import difflib
import re
import sys
from collections.abc import Iterable

from heat_lite.cli import api_client
from heat_lite.common import printable

DONE, FAILED, USAGE, CHANGED, INTERRUPTED = 0, 1, 2, 3, 130
#: of the verb ``drift``
DRIFTED, NOT_COMPARED = 2, 3
PREFIX = 'heat-lite: '
#: stacks, types or resources that are compared with a misspelt name
MAX_NAMES = 1000
#: (pattern of an error of the service, what to do)
ADVICE = (
    (r'^Cancelling update .*CREATE.*IN_PROGRESS', '`heat-lite cancel --no-rollback {}` stops it.'),
    (r'^Updating a stack when it is suspended', '`heat-lite resume {}` resumes it.'),
    (r'protected from being deleted', '`heat-lite protect --off {}` does so.'),
    (
        r'already has an action .* in progress',
        '`heat-lite follow {0}` shows it; after a cancel `heat-lite resource list {0}` shows what'
        ' is still at work.',
    ),
    # a Heat without this action
    (r'^Invalid action retry', '`heat-lite update --existing {}` continues.'),
    (r'^The Stack .* already exists', '`heat-lite apply` updates it.'),
)


class CommandError(Exception):
    """A command has failed. The text says why, on one line or several."""

    exit_status = FAILED


class FileError(CommandError):
    """A file cannot be used. The text names the file and the place that refers to it."""


class LocatedError(FileError):
    """An error at a place of a file. The text begins with the place, as those of compilers do."""


class StackFailed(CommandError):
    """The action of a stack failed or took too long."""


class UsageError(CommandError):
    """The command cannot be run as it was written. The text says what to do."""

    exit_status = USAGE


class Interrupted(CommandError):
    """The user stopped following; the action goes on."""

    exit_status = INTERRUPTED


def complain(text: str, prefix: str = PREFIX) -> None:
    """Write an error to the standard error output, harmless for a terminal."""
    print(prefix + printable.escape(text, keep=chr(10)), file=sys.stderr)


def complain_of(error: CommandError) -> None:
    """Write an error; one at a place begins with the place."""
    complain(str(error), '' if isinstance(error, LocatedError) else PREFIX)


def advice(error: api_client.RequestFailed, args: argparse.Namespace) -> str:
    """Return the command that removes the cause of an error, as the end of its text."""
    stack = getattr(args, 'stack', None)
    name = ' '.join(stack) if isinstance(stack, list) else stack
    for pattern, text in ADVICE:
        if name and re.search(pattern, error.text):
            return ' ' + text.format(name)
    return ''


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the name that is most similar to a misspelt one, None if none is."""
    candidates = [each for each in list(known)[:MAX_NAMES] if each != name]
    found = difflib.get_close_matches(name, candidates, n=1, cutoff=0.6)
    return found[0] if found else None


def suggest(name: str, known: Iterable[str]) -> str:
    """Return the question for the most similar name, as the end of an error; '' without one."""
    found = closest(name, known)
    return f' Did you mean {found}?' if found else ''


def suggestion(
    api: api_client.ApiClient, error: api_client.RequestFailed, args: argparse.Namespace
) -> str:
    """Return the name that the user may have meant, for an object that does not exist.

    The service suggests names by itself in some errors.
    """
    if error.status != 404 or 'Did you mean' in str(error):
        return ''
    try:
        wanted, names = _candidates(api, error, args)
    except (api_client.RequestFailed, KeyError, TypeError, AttributeError):
        return ''
    return suggest(wanted, names)


def _candidates(
    api: api_client.ApiClient, error: Exception, args: argparse.Namespace
) -> tuple[str, list[str]]:
    """Return (wanted name, existing names) of what an error says is missing."""
    type_name, resource = getattr(args, 'type', None), getattr(args, 'resource', None)
    if type_name and not hasattr(args, 'stack'):
        return type_name, api.get('/resource_types')['resource_types']
    if resource and f'({resource})' in str(error):
        rows = api.resources(api.find(args.stack))
        return resource, [each['resource_name'] for each in rows]
    if hasattr(args, 'version'):
        rows = api.get('/template_versions')['template_versions']
        return args.version, [each['version'] for each in rows]
    given = [args.stack] if isinstance(args.stack, str) else args.stack
    missing = next((name for name in given if f'({name})' in str(error)), None)
    if missing is None:  # it is something else that does not exist
        return '', []
    rows = api.get('/stacks', limit=MAX_NAMES)['stacks']
    return missing, [each['stack_name'] for each in rows]
