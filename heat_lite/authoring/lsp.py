"""The requests that ``heat-lite lsp`` answers, and its command line."""

import asyncio
import os
import sys

from lsprotocol import types
from pygls import uris
from pygls.workspace import TextDocument

from heat_lite.authoring import language_server, lint_settings
from heat_lite.authoring.language_server import TemplateServer
from heat_lite.cli.option_parser import PLUGIN_DIR, Parser, argument, flag, timeout
from heat_lite.common.value_types import Value
from heat_lite.template import reader
from heat_lite.template.editing import completion, cursor, formatting, lookup
from heat_lite.template.lint.document import TemplateDocument

LSP = (
    argument(
        '--config',
        metavar='FILE',
        help='read the settings of the linter from this file (default: .heat-lint.yaml in the'
        ' working directory)',
    ),
    PLUGIN_DIR,
    timeout(language_server.TIMEOUT, 'end a check'),
    flag('--stdio', help='accepted, as editors pass it'),
)


def build(server: TemplateServer) -> TemplateServer:
    """Register the requests and notifications of the protocol."""
    for method in (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE):
        server.feature(method)(_check_later)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(_check_all)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(_forget)
    options = types.CompletionOptions(trigger_characters=[':', ' ', '[', '{', ','])
    server.feature(types.TEXT_DOCUMENT_COMPLETION, options)(complete)
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(find_definition)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(list_symbols)
    server.feature(types.TEXT_DOCUMENT_FORMATTING)(format_document)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION)(list_fixes)
    return server


async def _check_later(
    server: TemplateServer,
    params: types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams,
) -> None:
    _schedule(server, params.text_document.uri)


async def _check_all(server: TemplateServer, params: types.DidSaveTextDocumentParams) -> None:
    """Check all open documents: they may use the saved one."""
    for uri in list(server.workspace.text_documents):
        _schedule(server, uri)


def _schedule(server: TemplateServer, uri: str) -> None:
    """Check a document after a pause. A later change ends the check of an earlier text."""
    _cancel(server, uri)
    task = asyncio.ensure_future(language_server.check(server, uri))
    server.checks[uri] = task
    task.add_done_callback(lambda done: _end(server, uri, done))


def _cancel(server: TemplateServer, uri: str) -> None:
    running = server.checks.pop(uri, None)
    if running is not None:
        running.cancel()


def _end(server: TemplateServer, uri: str, task: asyncio.Task) -> None:
    if server.checks.get(uri) is task:
        del server.checks[uri]


async def _forget(server: TemplateServer, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    _cancel(server, uri)
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(uri=uri, diagnostics=[])
    )


def _position(document: TextDocument, position: types.Position) -> tuple[int, int]:
    """Return the line and the column of a client's position, counted from one."""
    lines = document.source.split('\n')  # the last one may be empty, and the cursor in it
    found = document.position_codec.position_from_client_units(lines, position)
    return found.line + 1, found.character + 1


def _open_document(server: TemplateServer, params: Value) -> TextDocument | None:
    """Return the document of a request, None for one that the client has not opened."""
    return server.workspace.text_documents.get(params.text_document.uri)


def complete(server: TemplateServer, params: types.CompletionParams) -> types.CompletionList:
    """Return the completions at a position. They replace the word around it."""
    document = _open_document(server, params)
    end = params.position
    draft = None
    if document is not None:
        draft = cursor.draft(document.source, *_position(document, end))
    if document is None or draft is None:
        return types.CompletionList(is_incomplete=False, items=[])
    start = types.Position(end.line, max(0, end.character - len(draft.word)))
    matching = completion.complete_draft(server.template(document.path, draft.text), draft)
    return types.CompletionList(
        is_incomplete=len(matching) > language_server.MAX_ITEMS,
        items=[
            language_server.completion_item(item, types.Range(start, end))
            for item in matching[: language_server.MAX_ITEMS]
        ],
    )


def hover(server: TemplateServer, params: types.HoverParams) -> types.Hover | None:
    """Return the description of the word at a position."""
    found = _find_place(server, params)
    text = lookup.describe(*found) if found else None
    if text is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))


def find_definition(
    server: TemplateServer, params: types.DefinitionParams
) -> types.Location | None:
    """Return where the thing that is named at a position is defined."""
    found = _find_place(server, params)
    target = lookup.definition(*found) if found else None
    if found is None or target is None:
        return None
    uri = uris.from_fs_path(os.path.abspath(target.file))
    line = target.position.line - 1
    if target.file == found[0].name:
        # a text that is being written has lines which were not read
        source = server.workspace.text_documents[params.text_document.uri].source.split('\n')
        text = found[0].text.split('\n')[line]
        line = source.index(text) if text in source else line
    start = types.Position(line, target.position.column - 1)
    return types.Location(uri or target.file, types.Range(start, start))


def _find_place(
    server: TemplateServer, params: types.HoverParams | types.DefinitionParams
) -> tuple[TemplateDocument, cursor.Place] | None:
    """Return the template of a request and the place in it."""
    document = _open_document(server, params)
    if document is None:
        return None
    found = cursor.read_place(document.source, *_position(document, params.position))
    template = found and server.template(document.path, found[0])
    return (template, found[1]) if found and template else None


def list_symbols(
    server: TemplateServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol]:
    """Return the sections of a document, with their entries."""
    document = _open_document(server, params)
    return language_server.symbols(document.source) if document else []


def format_document(
    server: TemplateServer, params: types.DocumentFormattingParams
) -> list[types.TextEdit]:
    """Return the change to the usual form; none for a text that cannot be formatted."""
    document = _open_document(server, params)
    if document is None:
        return []
    try:
        done = formatting.formatted(document.source)
    except (reader.FormatError, formatting.NotFormattable):
        return []
    whole = types.Range(types.Position(0, 0), types.Position(len(document.lines), 0))
    return [] if done == document.source else [types.TextEdit(whole, done)]


def list_fixes(server: TemplateServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the corrections of misspelt words that findings suggest."""
    document = _open_document(server, params)
    if document is None:
        return []
    fixes = (language_server.fix(document, each) for each in params.context.diagnostics)
    return [each for each in fixes if each]


def parser() -> Parser:
    return Parser(
        'lsp',
        'serve editors: the Language Server Protocol over standard input and output',
        'heat-lite lsp --config heat-lint.yaml',
        LSP,
    )


def main(argv: list[str] | None = None) -> int:
    """Run the server until the client ends it. Return the exit status."""
    args = parser().parse_args(argv)
    if sys.stdin is None or sys.stdout is None:
        print('heat-lite lsp: standard input or output is closed', file=sys.stderr)
        return 2
    try:
        settings = lint_settings.load(args.config)
    except ValueError as error:
        print(f'heat-lite lsp: {error}', file=sys.stderr)
        return 2
    build(TemplateServer(settings, args.plugin_dir, args.timeout)).start_io()
    return 0
