"""``heat-lite lsp``: a server of the Language Server Protocol for templates and environments.

The client talks to it through standard input and output. Each check runs in a child process with a
time limit, because a regular expression of a template may hold the interpreter.
"""

import asyncio
import contextlib
import functools
import multiprocessing
import os
import re
import signal
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import NoReturn

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from heat_lite.authoring import lint
from heat_lite.template.editing import completion
from heat_lite.template.lint.document import TemplateDocument
from heat_lite.template.lint.finding import ERROR, NOTE, WARNING, Finding
from heat_lite.template.lint.linter import Linter
from heat_lite.template.lint.settings import Settings

#: seconds without a change before a document is checked
DELAY = 0.2
#: default of --timeout, in seconds
TIMEOUT = 20.0
#: characters of a document that is completed and described
MAX_LENGTH = 1024 * 1024
#: number of completions in one answer
MAX_ITEMS = 2000
#: number of findings in a document that are published
MAX_FINDINGS = 1000
_SEVERITIES = {
    ERROR: types.DiagnosticSeverity.Error,
    WARNING: types.DiagnosticSeverity.Warning,
    NOTE: types.DiagnosticSeverity.Information,
}
_KINDS = {
    completion.TYPE: types.CompletionItemKind.Class,
    completion.PROPERTY: types.CompletionItemKind.Property,
    completion.VALUE: types.CompletionItemKind.EnumMember,
    completion.FUNCTION: types.CompletionItemKind.Function,
    completion.REFERENCE: types.CompletionItemKind.Reference,
    completion.KEYWORD: types.CompletionItemKind.Keyword,
}
#: the key of an entry, its indentation first; the type of an entry
_ENTRY = re.compile(r'( *)["\']?([^\s"\'#\[\]{},:-][^"\'#:]*)["\']?:(?:\s|$)')
_TYPE = re.compile(r'\b[tT]ype["\']?: *["\']?([\w:./-]+)')
#: the misspelt word and the suggestion in a finding
_SUGGESTION = re.compile(r'"([^"]+)"[^"]*Did you mean "([^"]+)"')
_WORD = re.compile(r'[^\s,\[\]{}#]+')


class TemplateServer(LanguageServer):
    """A server with the resource types and the settings of the linter."""

    def __init__(self, settings: Settings, plugin_dirs: list[str], timeout: float) -> None:
        super().__init__('heat-lite', lint.version())
        self.settings = settings
        self.timeout = timeout
        self.types = lint.types_of(settings, plugin_dirs)
        #: {uri: the task that checks the document}
        self.checks: dict[str, asyncio.Task] = {}

    def linter(self, path: str, text: str | None = None) -> Linter:
        """Return a linter that sees the open documents; ``text`` replaces that of ``path``."""
        texts = {
            document.path: document.source for document in self.workspace.text_documents.values()
        }
        if text is not None:
            texts[path] = text
        roots = [os.path.dirname(path) or '.', *map(os.path.dirname, self.environments())]
        roots += [uris.to_fs_path(folder) or '.' for folder in self.workspace.folders]
        return lint.build_linter(self.types, lint.Files(roots, texts), self.settings)

    def environments(self) -> list[str]:
        """Return the paths of the environments that the settings apply to all templates."""
        return [os.path.abspath(name) for name in self.settings.environments]

    def find(self, path: str) -> list[Finding]:
        """Return the findings in one document."""
        found = self.linter(path).lint([path, *self.environments()])
        return [finding for finding in found if finding.file == path]

    def template(self, path: str, text: str) -> TemplateDocument | None:
        """Return a template with this text, None for an environment or a longer text."""
        if len(text) > MAX_LENGTH:
            return None
        return self.linter(path, text).template(path, self.environments())


def _path(uri: str) -> str:
    return uris.to_fs_path(uri) or uri


async def check(server: TemplateServer, uri: str, delay: float = DELAY) -> None:
    """Publish the findings in a document once it has not changed for a while."""
    await asyncio.sleep(delay)
    document = server.workspace.get_text_document(uri)
    version = document.version
    work = functools.partial(server.find, document.path)
    found = await in_child(work, server.timeout)
    too_slow = f'The check has not ended after {server.timeout:g} seconds (--timeout)'
    diagnostics = [_note(too_slow)] if found is None else _diagnostics(document, found)
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics, version=version)
    )


def _diagnostics(document: TextDocument, findings: Sequence[Finding]) -> list[types.Diagnostic]:
    """Return the first findings, and how many more there are."""
    lines = document.source.splitlines(keepends=True)
    shown = [_diagnostic(document, lines, each) for each in findings[:MAX_FINDINGS]]
    more = len(findings) - len(shown)
    text = f'{more} more findings are not shown; `heat-lite lint` lists all'
    return [*shown, _note(text)] if more else shown


def _diagnostic(document: TextDocument, lines: Sequence[str], finding: Finding) -> types.Diagnostic:
    line = lines[finding.line - 1] if finding.line <= len(lines) else ''
    word = _WORD.match(line, finding.column - 1)
    end = word.end() if word else finding.column - 1
    span = types.Range(
        types.Position(finding.line - 1, finding.column - 1), types.Position(finding.line - 1, end)
    )
    return types.Diagnostic(
        range=document.position_codec.range_to_client_units(lines, span),
        message=finding.text,
        severity=_SEVERITIES[finding.level],
        code=finding.rule,
        source='heat-lite lint',
    )


def completion_item(item: completion.Item, span: types.Range) -> types.CompletionItem:
    """Return a completion that replaces a range. A colon follows a key."""
    text = f'{item.text}: ' if item.is_key else item.text
    return types.CompletionItem(
        label=item.text,
        kind=_KINDS[item.kind],
        detail=item.detail or None,
        documentation=types.MarkupContent(types.MarkupKind.Markdown, item.description)
        if item.description
        else None,
        text_edit=types.TextEdit(span, text),
        filter_text=item.text,
    )


def symbols(text: str) -> list[types.DocumentSymbol]:
    """Return the sections of a document and their entries.

    They are found line by line, since a document that is being written cannot be parsed.
    """
    found: list[types.DocumentSymbol] = []
    entries: list[types.DocumentSymbol] = []
    for number, line in enumerate(text.split('\n')):
        key = _ENTRY.match(line)
        indent = len(key[1]) if key else 0
        span = types.Range(types.Position(number, indent), types.Position(number, len(line)))
        if key and not indent:
            entries = []
            kind = types.SymbolKind.Namespace
            found.append(types.DocumentSymbol(key[2], kind, span, span, children=entries))
        elif key and (not entries or indent == entries[0].selection_range.start.character):
            entries.append(types.DocumentSymbol(key[2], types.SymbolKind.Field, span, span))
        for each in (*found[-1:], *entries[-1:]) if line.strip() else ():
            each.range = types.Range(each.range.start, span.end)
        type_name = _TYPE.search(line)
        if type_name and entries:
            entries[-1].detail = entries[-1].detail or type_name[1]
    return found


def fix(document: TextDocument, diagnostic: types.Diagnostic) -> types.CodeAction | None:
    """Return the correction that a finding suggests; None without one."""
    found = _SUGGESTION.search(diagnostic.message)
    lines = document.source.splitlines(keepends=True)
    start = document.position_codec.position_from_client_units(lines, diagnostic.range.start)
    if found is None or start.line >= len(lines):
        return None
    column = lines[start.line].find(found[1], start.character)
    if column < 0:
        return None
    span = types.Range(
        types.Position(start.line, column), types.Position(start.line, column + len(found[1]))
    )
    edit = types.TextEdit(document.position_codec.range_to_client_units(lines, span), found[2])
    return types.CodeAction(
        title=f'Replace by {found[2]}',
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        is_preferred=True,
        edit=types.WorkspaceEdit(changes={document.uri: [edit]}),
    )


def _note(text: str) -> types.Diagnostic:
    start = types.Position(0, 0)
    return types.Diagnostic(
        range=types.Range(start, start),
        message=text,
        severity=types.DiagnosticSeverity.Warning,
        source='heat-lite lint',
    )


async def in_child(work: Callable[[], list[Finding]], seconds: float) -> list[Finding] | None:
    """Return the list that ``work()`` returns in a child process, None after a time limit."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    # multiprocessing would close the standard input, which waits for the thread that reads it.
    child = os.fork()
    if child == 0:
        _answer(work, sender)
    sender.close()
    try:
        return await asyncio.to_thread(_receive, receiver, seconds)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        receiver.close()


def _answer(work: Callable[[], list[Finding]], sender: Connection) -> NoReturn:
    """Write the result of ``work()`` to a pipe and end this process."""
    try:
        sender.send(work())
    finally:
        os._exit(0)


def _receive(receiver: Connection, seconds: float) -> list[Finding] | None:
    """Return what comes through a pipe; None after a time limit, or if the child has failed."""
    with contextlib.suppress(EOFError):
        if receiver.poll(seconds):
            return receiver.recv()
    return None
