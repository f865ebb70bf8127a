"""The files of a stack, read and named as the stock client sends them.

``files`` of a request has the content of each file by its URL. A reference in a template or an
environment is replaced by the URL of its file.
"""

import base64
import collections
import functools
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator

import yaml

from heat_lite.authoring import file_references, located_errors
from heat_lite.cli import api_client
from heat_lite.cli.errors import FileError
from heat_lite.common.value_types import Value
from heat_lite.template import reader

LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
TEMPLATE_SUFFIXES = ('.yaml', '.template')
#: keys of a resource_registry whose values name no file
NO_FILES = ('base_url', 'hooks', 'restricted_actions')
#: seconds to wait for a URL
FETCH_SECONDS = 30


def fetch(url: str) -> bytes:
    """Return the content of an ``http`` or ``https`` URL. Raises ValueError with the reason."""
    if urllib.parse.urlsplit(url).scheme not in ('http', 'https'):
        raise ValueError('Only file, http and https URLs are read')
    try:
        with api_client.build_opener(url).open(url, timeout=FETCH_SECONDS) as response:
            content = response.read(file_references.MAX_BYTES + 1)
    except OSError as error:
        reason = getattr(error, 'reason', error)
        reason = getattr(reason, 'strerror', None) or reason
        raise ValueError(f'The URL cannot be read: {reason}') from None
    if len(content) > file_references.MAX_BYTES:
        raise ValueError(f'The file is longer than {file_references.MAX_BYTES} bytes')
    return content


def read(name: str) -> bytes:
    """Return the content of a file, a URL, or of standard input for ``-``."""
    if name == file_references.STDIN:
        return file_references.read_stdin()
    if name.startswith('file://'):
        name = file_references.path_of(name)
    return fetch(name) if file_references.is_url(name) else file_references.read_bytes(name)


def _template_error(name: str, source: str, key: str, mark: yaml.Mark, text: str) -> FileError:
    """Return the error of a reference at a place of a template."""
    return located_errors.located(name, mark.line + 1, mark.column + 1, f'{key}: {text}', source)


def _registry_error(name: str, key: str, text: str) -> FileError:
    """Return the error of a reference in an environment."""
    return FileError(f'{name}: resource_registry {key}: {text}')


class StackFiles:
    """The files that templates and environments refer to.

    ``contents``: {URL: text}. ``read`` returns the bytes of a name and raises ValueError.
    ``sources``: {name: content} of what was read, as it was before references were replaced.
    ``with_references``: whether the files of references are read; if not, references stay as they
    are, for files in a container of the object store.
    """

    def __init__(self, read: Callable[[str], bytes] = read, with_references: bool = True) -> None:
        self.contents: dict[str, str] = {}
        self.sources: dict[str, bytes] = {}
        self._reader = read
        self._with_references = with_references

    def _read(self, name: str) -> bytes:
        self.sources[name] = self._reader(name)
        return self.sources[name]

    def template(self, name: str) -> str:
        """Return the text of a template with the URLs of the files that it refers to."""
        return self._resolve(name, self.text(name))

    def environment(self, name: str) -> dict:
        """Return an environment with the URLs of the files that it refers to."""
        text = self.text(name)
        try:
            environment = reader.parse_environment(text)
        except reader.FormatError as error:
            raise located_errors.format_error(name, error, text) from None
        for path, problem in reader.unwanted_sections(environment):
            raise located_errors.at_path(name, path, problem, text)
        registry = environment.get('resource_registry')
        if self._with_references and isinstance(registry, dict):
            self._resolve_registry(name, name, registry)
        return environment

    def text(self, name: str) -> str:
        """Return the text of a file that the user named."""
        try:
            return self._read(name).decode('utf-8')
        except UnicodeDecodeError as error:
            raise FileError(f'{name}: not UTF-8 text from byte {error.start} on') from None
        except ValueError as error:
            raise FileError(f'{name}: {error}') from None

    def _resolve_registry(self, name: str, base: str, registry: dict) -> None:
        """Replace the files of a registry by their URLs; those of resources in it as well."""
        given = registry.get('base_url')
        if isinstance(given, str):
            base = file_references.join(base, given.rstrip('/') + '/x')
        for key, value in registry.items():
            if isinstance(value, dict):
                self._resolve_registry(name, base, value)
            elif key not in NO_FILES and isinstance(value, str) and _is_file(value):
                refuse = functools.partial(_registry_error, name, key)
                registry[key] = self._add(base, value, refuse)

    def _add(self, name: str, reference: str, refuse: Callable[[str], FileError]) -> str:
        """Read the file of a reference and return its URL.

        ``refuse(text)`` is the error of a file that cannot be used.
        """
        target = file_references.join(name, reference)
        url = file_references.url_of(target)
        if url in self.contents:
            return url
        if _is_remote(name) and not _is_remote(target):
            raise refuse(f'a remote file must not refer to the local file {target}')
        try:
            content = self._read(target)
        except ValueError as error:
            raise refuse(f'{target}: {error}') from None
        # A template that contains itself finds its own entry.
        self.contents[url] = ''
        self.contents[url] = self._content(target, content)
        return url

    def _content(self, name: str, content: bytes) -> str:
        """Return the text of a file; binary content in base64, as the stock client sends it."""
        try:
            text = content.decode('utf-8')
        except UnicodeDecodeError:
            return base64.encodebytes(content).decode()
        return self._resolve(name, text) if _is_template(text) else text

    def _resolve(self, name: str, text: str) -> str:
        """Return the text of a template with URLs in place of its references.

        The rest of the text stays, so that lines in errors of the service are those of the file.
        """
        if not self._with_references:
            return text
        parts, end = [], 0
        for key, node in _references(name, text):
            refuse = functools.partial(_template_error, name, text, key, node.start_mark)
            url = self._add(name, node.value, refuse)
            ending = '\n' if text[node.end_mark.index - 1] == '\n' else ''
            parts += [text[end : node.start_mark.index], json.dumps(url), ending]
            end = node.end_mark.index
        return ''.join(parts) + text[end:]


def _is_remote(name: str) -> bool:
    return file_references.is_url(name) and not name.startswith('file://')


def _is_file(value: str) -> bool:
    return value.endswith(TEMPLATE_SUFFIXES) or file_references.is_url(value)


def _is_template(text: str) -> bool:
    try:
        reader.parse_file(text, 'file')
    except (reader.FormatError, RecursionError):
        return False
    return True


def _references(name: str, text: str) -> list[tuple[str, yaml.ScalarNode]]:
    """Return (key, node) of each reference to a file, in the order of the text."""
    try:
        root = yaml.compose(text, Loader=LOADER)
        found = {node.start_mark.index: (key, node) for key, node in _scalars(root)}
    except (yaml.YAMLError, RecursionError) as error:
        raise located_errors.syntax_error(name, _explained(text) or error, text) from None
    return [found[index] for index in sorted(found)]


def _explained(text: str) -> Exception | None:
    """Return the error of the reader of templates, whose text is better than that of libyaml."""
    try:
        reader.parse(text)
    except reader.FormatError as error:
        return error
    return None


def _scalars(root: yaml.Node | None) -> Iterator[tuple[str, yaml.ScalarNode]]:
    """Yield (key, node) of each ``get_file`` and each ``type`` that is a file name."""
    waiting, seen = collections.deque([root]), set()
    while waiting:
        node = waiting.popleft()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)
        for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
            waiting.append(value)
            if isinstance(value, yaml.ScalarNode) and _names_file(key.value, value.value):
                yield key.value, value


def _names_file(key: Value, value: str) -> bool:
    return key == 'get_file' or (key == 'type' and value.endswith(TEMPLATE_SUFFIXES))


def merge(older: Value, newer: Value) -> Value:
    """Return two environments as one. Maps are merged; other values of the newer one win."""
    if not isinstance(older, dict) or not isinstance(newer, dict):
        return older if newer is None else newer
    return {**older, **{key: merge(older.get(key), value) for key, value in newer.items()}}
