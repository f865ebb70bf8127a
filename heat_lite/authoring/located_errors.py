"""Errors at a place of a file, in the form of compilers: file:line:col, text, line with a mark."""

import argparse
import contextlib
import os
import re
from collections.abc import Iterator, Sequence

from heat_lite.authoring import file_references
from heat_lite.cli import api_client, runner
from heat_lite.cli.errors import FileError, LocatedError
from heat_lite.common.exception import HeatException, InvalidTemplateSection, append_hint
from heat_lite.common.value_types import Value
from heat_lite.template import reader, source_positions, versions
from heat_lite.template.environment import RESOURCE_REGISTRY
from heat_lite.template.lint import excerpt, syntax_errors
from heat_lite.template.resource_registry import PER_RESOURCE
from heat_lite.template.suggest import suggest

#: the error of an unknown section
_UNKNOWN_SECTION = re.escape(InvalidTemplateSection.msg_fmt % {'section': ''}) + '(.*)'


def located(name: str, line: int, column: int, text: str, source: str | None) -> LocatedError:
    """Return an error at a place of a file, whose text is ``source`` if it may be shown."""
    shown = [] if source is None else excerpt.excerpt(source, line, column)
    return LocatedError('\n'.join([f'{name}:{line}:{column}: error: {text}', *shown]))


def syntax_error(name: str, error: Exception, source: str) -> LocatedError:
    """Return the error of the YAML parser as one at its place."""
    position = syntax_errors.position_of(str(error))
    return located(name, *position, syntax_errors.summary(error), source)


def format_error(name: str, error: Exception, source: str) -> FileError:
    """Return the error of a file that cannot be read as a map, at its place if it has one."""
    if syntax_errors.is_syntax_error(str(error)):
        return syntax_error(name, error, source)
    path = getattr(error, 'path', ())
    return at_path(name, path, str(error), source) if path else FileError(f'{name}: {error}')


def at_path(
    name: str, path: Sequence[str], text: str, source: str, subject: str = ''
) -> LocatedError:
    """Return an error at a path of a file: at the key or the text ``subject`` there, if any."""
    positions = source_positions.Positions(source)
    position, parts = positions.match((*path, subject))
    if subject and parts == len(path):
        position = positions.find_text(path, subject) or position
    return located(name, *position, text, source)


def quoted_in(text: str) -> str:
    """Return the first text in quotes; '' without one."""
    found = re.search('"(.+?)"', text)
    return found[1] if found else ''


def locate_response(
    error: api_client.RequestFailed, args: argparse.Namespace
) -> LocatedError | None:
    """Return the error of the service at its place in a file of the user; None without a place.

    The service names the template ``template``, and other files by their URL.
    """
    if error.position is None:
        return _locate_whole_template(error, args) or _locate_section(error, args)
    file = str(error.position['file'])
    name = getattr(args, 'template', None) if file == source_positions.TEMPLATE else _name_of(file)
    if not name:
        return None
    source = _source(name, args)
    text = error.text + (_advice(error) or _suggestion(error, source))
    shown = located(name, error.position['line'], error.position['column'], text, source)
    if error.kind == 'CircularDependencyException' and source is not None:
        shown = LocatedError(
            '\n'.join([str(shown), *excerpt.cycle_lines(name, error.text, source)])
        )
    return shown


def _advice(error: api_client.RequestFailed) -> str:
    """Return how to give a value to a parameter that has none, '' for other errors."""
    is_missing = error.kind == 'UserParameterMissing' and error.text.endswith(' was not provided.')
    return ' Give it a value with -P NAME=VALUE or in an environment (-e FILE).' * is_missing


def _suggestion(error: api_client.RequestFailed, source: str | None) -> str:
    """Return the section or version that the template may mean, '' for other errors.

    Clients look for the texts of the service, which are Heat's and suggest nothing.
    """
    section = re.fullmatch(_UNKNOWN_SECTION, error.text, re.DOTALL)
    if source is None or not (section or error.kind == 'InvalidTemplateVersion'):
        return ''
    try:
        data = reader.parse(source)
        if section is None:
            return append_hint('', versions.suggest_version(data))
        return append_hint('', suggest(section[1], versions.template_version(data).sections))
    except (ValueError, HeatException):
        return ''


def _locate_whole_template(
    error: api_client.RequestFailed, args: argparse.Namespace
) -> LocatedError | None:
    """Return an error that is about the template as a whole at its beginning; None for others."""
    name = getattr(args, 'template', None)
    if not name or not error.text.startswith(runner.NO_TEMPLATE):
        return None
    position = syntax_errors.position_of(error.text)
    return located(name, *position, syntax_errors.summary(error.text), _source(name, args) or None)


def _locate_section(
    error: api_client.RequestFailed, args: argparse.Namespace
) -> LocatedError | None:
    """Return an error about a section of a wrong form, or an entry in it; None for others."""
    subject = quoted_in(error.text)
    names = [*(getattr(args, 'environment', None) or ()), getattr(args, 'template', None)]
    # the texts are Heat's: "Condition definitions", "parameters of an environment"
    text = error.text.lower().replace(' ', '_')
    for name in names if re.search('must_be_a_|event_sink|hook_type', text) else ():
        source = (name and _source(name, args)) or ''
        for path, value in _sections(source):
            is_wrong = not isinstance(value, dict) or (subject and subject in str(value))
            if path[-1][:9].lower() in text and is_wrong:
                return at_path(name, path, error.text, source, subject)
    return None


def _sections(source: str) -> Iterator[tuple[tuple[str, ...], Value]]:
    """Yield the path and the value of each section; nothing of a text that is no map."""
    with contextlib.suppress(ValueError, HeatException):
        for name, value in reader.parse(source).items():
            yield (str(name),), value
            if name == RESOURCE_REGISTRY and isinstance(value, dict):
                yield (name, PER_RESOURCE), value.get(PER_RESOURCE, {})


def _name_of(url: str) -> str:
    """Return the name of a file as a user would write it."""
    if not url.startswith('file://'):
        return url
    path = file_references.path_of(url)
    relative = os.path.relpath(path)
    return path if relative.startswith('../..') else relative


def _source(name: str, args: argparse.Namespace) -> str | None:
    """Return the text of a file; ``args.sources`` has the content of those that were sent."""
    sources = getattr(args, 'sources', {})
    if name in sources:
        return sources[name].decode('utf-8', 'replace')
    if name == file_references.STDIN or file_references.is_url(name):
        return None
    try:
        return file_references.read_bytes(name).decode('utf-8', 'replace')
    except ValueError:
        return None
