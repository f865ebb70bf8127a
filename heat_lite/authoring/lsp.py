"""The requests that ``heat-lite lsp`` answers, and its command line."""

import argparse
import asyncio
import os
import sys

from lsprotocol import types
from pygls import uris

from heat_lite.authoring import language_server, lint_settings
from heat_lite.authoring.language_server import TemplateServer
from heat_lite.cli import option_parser
from heat_lite.template.editing import completion, cursor, lookup


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
    return server


async def _check_later(server: TemplateServer, params) -> None:
    _schedule(server, params.text_document.uri)


async def _check_all(server: TemplateServer, params) -> None:
    """Check all open documents: they may use the saved one."""
    for uri in list(server.workspace.text_documents):
        _schedule(server, uri)


def _schedule(server, uri):
    """Check a document after a pause. A later change ends the check of an earlier text."""
    running = server.checks.pop(uri, None)
    if running is not None:
        running.cancel()
    task = asyncio.ensure_future(language_server.check(server, uri))
    server.checks[uri] = task
    task.add_done_callback(lambda done: _end(server, uri, done))


def _end(server, uri, task):
    if server.checks.get(uri) is task:
        del server.checks[uri]


async def _forget(server: TemplateServer, params) -> None:
    uri = params.text_document.uri
    running = server.checks.pop(uri, None)
    if running is not None:
        running.cancel()
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(uri=uri, diagnostics=[])
    )


def _position(document, position):
    """Return the line and the column of a client's position, counted from one."""
    lines = document.source.split('\n')  # the last one may be empty, and the cursor in it
    found = document.position_codec.position_from_client_units(lines, position)
    return found.line + 1, found.character + 1


def _open_document(server, params):
    """Return the document of a request, None for one that the client has not opened."""
    return server.workspace.text_documents.get(params.text_document.uri)


def complete(server: TemplateServer, params: types.CompletionParams) -> types.CompletionList:
    """Return the completions at a position. They replace the word around it."""
    document = _open_document(server, params)
    draft = document and cursor.draft(document.source, *_position(document, params.position))
    if document is None or draft is None:
        return types.CompletionList(is_incomplete=False, items=[])
    word = draft.word
    end = params.position
    start = types.Position(end.line, max(0, end.character - len(word)))
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
    template, place = _at(server, params)
    text = None if template is None else lookup.describe(template, place)
    if text is None:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))


def find_definition(
    server: TemplateServer, params: types.DefinitionParams
) -> types.Location | None:
    """Return where the thing that is named at a position is defined."""
    template, place = _at(server, params)
    target = None if template is None else lookup.definition(template, place)
    if target is None:
        return None
    uri = uris.from_fs_path(os.path.abspath(target.file))
    start = types.Position(target.position.line - 1, target.position.column - 1)
    return types.Location(uri or target.file, types.Range(start, start))


def _at(server, params):
    """Return the template of a request and the place in it, or two times None."""
    document = _open_document(server, params)
    if document is None:
        return None, None
    place = cursor.place_at(document.source, *_position(document, params.position))
    template = None if place is None else server.template(document.path, document.source)
    return (None, None) if template is None else (template, place)


def parser() -> argparse.ArgumentParser:
    top = option_parser.Parser(
        'lsp',
        'serve editors: the Language Server Protocol over standard input and output',
        'heat-lite lsp --config heat-lint.yaml',
    )
    top.add_argument(
        '--config',
        metavar='FILE',
        help='read the settings of the linter from this file (default: .heat-lint.yaml in the'
        ' working directory)',
    )
    option_parser.PLUGIN_DIR.add_to(top)
    option_parser.timeout(language_server.TIMEOUT, 'end a check').add_to(top)
    top.add_argument('--stdio', action='store_true', help='accepted, as editors pass it')
    return top


def main(argv=None) -> int:
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


if __name__ == '__main__':
    sys.exit(main())
