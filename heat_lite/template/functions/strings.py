"""String functions: str_replace, list_join, str_split, digest, make_url and their CFN forms."""

import hashlib
import json
import math
from collections.abc import Mapping
from urllib import parse as urls

from heat_lite.common.value_texts import as_json, kind_of, quoted
from heat_lite.common.value_types import Value
from heat_lite.template.function import Function, Scope, resolve, resolve_each
from heat_lite.template.functions import budget, replacement
from heat_lite.template.unknown import ANY, LIST, STRING, Unknown, is_known, merge, require_known

#: characters of a URL that are quoted in a step: each by itself
CHARACTERS_A_QUOTING_STEP = 8


class Replace(Function):
    """{str_replace: {template: string, params: {key: value}}} replaces keys in a string.

    Longer keys are replaced first, keys of one length in alphabetical order. Inserted values are
    not searched again.
    """

    gives = STRING
    allows_json = False  # whether lists and maps are inserted as JSON
    usage = (
        '"{}" syntax should be {}: '
        '{{template: This is var1 template var2, params: {{var1: a, var2: string}}}}'
    )

    def check(self) -> None:
        self.require_keys(('template', 'params'), self.usage.format(self.name, self.name))
        if not isinstance(self.parts()[1], dict | Function):
            raise TypeError(f'"{self.name}" parameters must be a mapping')

    def parts(self) -> tuple:
        """Return the template and the params, unresolved."""
        return self.args['template'], self.args['params']

    def result(self, scope: Scope) -> Value:
        template, params = resolve_each(self.parts(), scope)
        if not isinstance(template, str | Unknown):
            raise TypeError(f'"{self.name}" template must be a string')
        if not isinstance(params, dict | Unknown):
            raise TypeError(f'"{self.name}" params must be a map')
        if isinstance(params, Unknown):
            return merge(STRING, template, params)
        keys = sorted(params, key=lambda key: (-len(key), key))
        unknown = {key: params[key] for key in keys if not is_known(params[key])}
        pairs = [(key, '' if key in unknown else self.to_text(key, params[key])) for key in keys]
        if isinstance(template, Unknown):
            return merge(STRING, template, list(unknown.values()))
        text, unused = replacement.replace(template, pairs, self.name)
        self.check_unused(unused)
        require_known([value for key, value in unknown.items() if key not in unused])
        return text

    def to_text(self, key: str, value: Value) -> str:
        """Return the string that replaces a key."""
        if value is None:
            return ''
        if isinstance(value, str | int | float):
            return str(value)
        if not self.allows_json:
            raise TypeError(
                f'"{self.name}" params must be strings or numbers, param {key} is not valid'
            )
        text = json_text(value)
        budget.check_text(self.name, len(text))
        return text

    def check_unused(self, unused: list[str]) -> None:
        """Accept or refuse keys that do not occur in the template."""


class ReplaceJson(Replace):
    """{str_replace: {template: string, params: {key: value}}} replaces keys in a string.

    Since 2015-10-15 values may be lists and maps; they are inserted as JSON.
    """

    allows_json = True


class ReplaceStrict(ReplaceJson):
    """{str_replace_strict: {template: string, params: {key: value}}} requires each key to occur."""

    def check_unused(self, unused: list[str]) -> None:
        if unused:
            raise ValueError(
                f'The following params were not found in the template: {",".join(unused)}'
            )


class ReplaceVeryStrict(ReplaceStrict):
    """{str_replace_vstrict: {template: string, params: {key: value}}} also refuses empty values."""

    def to_text(self, key: str, value: Value) -> str:
        text = super().to_text(key, value)
        if not text or value in ([], {}):
            raise ValueError(
                f'{self.name} has an undefined or empty value for param {key}, '
                'must be a defined non-empty value'
            )
        return text


class CfnReplace(Replace):
    """{Fn::Replace: [{key: value}, string]} replaces keys in a string."""

    def check(self) -> None:
        self.require_arguments(
            2,
            f'Incorrect arguments to "{self.name}" should be: '
            f'{{"{self.name}": [ {{"$var1": "foo", "%var2%": "bar"}}, "$var1 is %var2%"]}}',
        )
        if not isinstance(self.args[0], dict | Function):
            raise TypeError(f'"{self.name}" parameters must be a mapping')

    def parts(self) -> tuple:
        return self.args[1], self.args[0]


class Join(Function):
    """{list_join: [delimiter, [string, ...]]} joins strings with a delimiter.

    A null item counts as an empty string, a null list as an empty list.
    """

    gives = STRING
    example = '[ "str1", "str2"]]'
    most_arguments: float = 2

    def check(self) -> None:
        if not isinstance(self.args, list) or not 2 <= len(self.args) <= self.most_arguments:
            raise ValueError(
                f'Incorrect arguments to "{self.name}" should be: '
                f'"{self.name}" : [ " ", {self.example}'
            )

    def result(self, scope: Scope) -> Value:
        delimiter, *lists = resolve_each(self.args, scope)
        items: list[Value] = []
        unknown = [part for part in lists if isinstance(part, Unknown)]
        for part in lists:
            items += part.known if isinstance(part, Unknown) else self.items_of(part)
        if not isinstance(delimiter, str | Unknown):
            raise TypeError(f'"{self.name}" delimiter must be a string')
        texts = [self.to_text(item) for item in items if is_known(item)]
        if unknown or len(texts) < len(items) or isinstance(delimiter, Unknown):
            return merge(STRING, unknown, items, delimiter)
        budget.check_text(self.name, len(delimiter) * len(texts) + sum(map(len, texts)))
        return delimiter.join(texts)

    def items_of(self, part: Value) -> list[Value]:
        if part is not None and not isinstance(part, list):
            raise TypeError(f'"{self.name}" must operate on a list')
        return part or []

    def to_text(self, item: Value) -> str:
        if item is None:
            return ''
        if isinstance(item, str):
            return item
        raise TypeError(f'Items to join must be strings not {as_json(item)}')


class JoinLists(Join):
    """{list_join: [delimiter, [item, ...], ...]} joins the items of lists with a delimiter.

    Since 2015-10-15 there may be several lists, and maps and lists in them become JSON.
    """

    example = '[ "str1", "str2"] ...]'
    most_arguments = math.inf

    def items_of(self, part: Value) -> list[Value]:
        return super().items_of(part or None)

    def to_text(self, item: Value) -> str:
        if isinstance(item, dict | list):
            text = json_text(item)
            budget.check_text(self.name, len(text))
            return text
        if item is None or isinstance(item, str):
            return item or ''
        raise TypeError(f'Items to join must be string, map or list not {as_json(item)}')


class StrSplit(Function):
    """{str_split: [delimiter, string, index]} splits a string; the index is optional.

    With an index the result is one part, without it the list of parts. A null string gives null.
    """

    gives = STRING

    def check(self) -> None:
        if isinstance(self.args, str | dict):
            raise TypeError(self._usage('arguments'))

    def _usage(self, subject: str) -> str:
        return (
            f'Incorrect {subject} to "{self.name}" should be: '
            f'"{self.name}" : [ ",", "apples,pears", <index>]'
        )

    def result(self, scope: Scope) -> Value:
        args = resolve(self.args, scope)
        if isinstance(args, Unknown):
            return merge(ANY, args)
        if not isinstance(args, list) or len(args) < 2:
            raise ValueError(self._usage('arguments'))
        delimiter, text, *index = args
        if text is None:
            return None
        self._check_types(delimiter, text)
        if not is_known(args):
            return self._partly_known(delimiter, text, *index)
        budget.check_split(self.name, text, delimiter)
        parts = text.split(delimiter)
        return self._one(parts, index[0]) if index else parts

    def _check_types(self, delimiter: Value, text: Value) -> None:
        if not isinstance(text, str | Unknown):
            raise TypeError(f'"{self.name}" splits a string, not {as_json(text)}')
        if not isinstance(delimiter, str | Unknown | None):
            shown = as_json(delimiter)
            raise TypeError(f'The delimiter of "{self.name}" must be a string, not {shown}')

    def _partly_known(self, delimiter: Value, text: Value, index: Value = None) -> Unknown:
        if not isinstance(delimiter, Unknown):
            ''.split(delimiter)  # raises for what cannot delimit
        if index is not None and not isinstance(index, Unknown):
            self._number(index)
        return merge(LIST if index is None else STRING, delimiter, text, index)

    def _number(self, index: Value) -> int:
        try:
            return int(index)
        except (ValueError, TypeError):
            raise ValueError(self._usage('index')) from None

    def _one(self, parts: list[str], index: Value) -> str:
        number = self._number(index)
        try:
            return parts[number]
        except IndexError:
            raise ValueError(
                f'Incorrect index to "{self.name}" should be between 0 and {len(parts) - 1}'
            ) from None


class CfnSplit(Function):
    """{Fn::Split: [delimiter, string]} splits a string into a list."""

    gives = LIST

    def check(self) -> None:
        self.require_arguments(
            2,
            f'Incorrect arguments to "{self.name}" should be: "{self.name}" : [ ",", "str1,str2"]]',
        )

    def result(self, scope: Scope) -> Value:
        delimiter, text = resolve_each(self.args, scope)
        if not isinstance(delimiter, str | Unknown):
            raise TypeError(f'Delimiter for {self.name} must be string')
        if not isinstance(text, str | Unknown):
            raise TypeError(f'String to split must be string; got {kind_of(text)}')
        if isinstance(delimiter, Unknown) or isinstance(text, Unknown):
            return merge(LIST, delimiter, text)
        budget.check_split(self.name, text, delimiter)
        return text.split(delimiter)


class Digest(Function):
    """{digest: [algorithm, string]} returns a digest of the UTF-8 string in hexadecimal digits."""

    gives = STRING

    def result(self, scope: Scope) -> Value:
        args = resolve(self.args, scope)
        require_known(args if isinstance(args, Unknown) else ())
        if not isinstance(args, list) or not all(isinstance(arg, str | Unknown) for arg in args):
            raise TypeError(f'Argument to function "{self.name}" must be a list of strings')
        if len(args) != 2:
            raise ValueError(f'Function "{self.name}" usage: ["<algorithm>", "<value>"]')
        algorithm, text = args
        require_known(algorithm)
        if algorithm.lower() not in hashlib.algorithms_available:
            known = ', '.join(sorted(hashlib.algorithms_available))
            raise ValueError(f'Algorithm must be one of {{{known}}}')
        require_known(text)
        budget.charge_text(self.name, len(text))
        return hashlib.new(algorithm.lower(), text.encode()).hexdigest()


class MakeUrl(Function):
    """{make_url: {scheme, username, password, host, port, path, query, fragment}} builds a URL.

    All parts are optional; ``query`` is a map.
    """

    gives = STRING
    keys = ('scheme', 'username', 'password', 'host', 'port', 'path', 'query', 'fragment')
    string_parts = ('scheme', 'username', 'password', 'host', 'path', 'fragment')

    def check(self) -> None:
        if not isinstance(self.args, dict):
            raise TypeError(f'The arguments to "{self.name}" must be a map')
        unknown = [str(key) for key in self.args if key not in self.keys]
        if unknown:
            raise ValueError(f'Invalid arguments to "{self.name}": {", ".join(unknown)}')
        self.check_parts(
            {key: value for key, value in self.args.items() if not isinstance(value, Function)}
        )

    def check_parts(self, parts: Mapping[str, Value]) -> None:
        """Raise TypeError or ValueError for a part of the wrong type or an invalid port."""
        for key in self.string_parts:
            if key in parts and not isinstance(parts[key], str):
                raise TypeError(f'The "{key}" argument to "{self.name}" must be a string')
        if 'query' in parts and not isinstance(parts['query'], dict):
            raise TypeError(f'The "query" argument to "{self.name}" must be a map')
        if 'port' in parts:
            self._check_port(parts)

    def _check_port(self, parts: Mapping[str, Value]) -> None:
        port = parts['port']
        try:
            number = int(port)
        except (ValueError, TypeError):
            raise ValueError(
                f'Invalid URL port {quoted(port)} for {self.name} called with {as_json(parts)}'
            ) from None
        if not 0 < number < 65536:
            raise ValueError(f'Invalid URL port {number}, must be in range 1-65535')

    def result(self, scope: Scope) -> Value:
        parts = resolve(self.args, scope)
        known = {key: part for key, part in parts.items() if is_known(part)}
        self.check_parts(known)
        if ':' in known.get('scheme', ''):
            raise ValueError('URL "scheme" should not contain \':\'')
        require_known(parts)
        characters = budget.count_characters(parts)
        budget.check_text(self.name, characters)
        budget.charge_steps(self.name, characters // CHARACTERS_A_QUOTING_STEP)
        path = urls.quote(parts.get('path', ''))
        # the first of uses_netloc is no scheme; Python 3.14 itself adds no slash
        has_place = self._net_location(parts) or parts.get('scheme') in urls.uses_netloc[1:]
        if path and has_place and not path.startswith('/'):
            path = '/' + path
        query = urls.urlencode(parts.get('query', {}), safe='/')
        return urls.urlunsplit(
            (
                parts.get('scheme', ''),
                self._net_location(parts),
                path,
                query,
                urls.quote(parts.get('fragment', '')),
            )
        )

    def _net_location(self, parts: Mapping[str, Value]) -> str:
        user, password, host = (parts.get(key, '') for key in ('username', 'password', 'host'))
        text = urls.quote(user, safe='') + (':' + urls.quote(password, safe='') if password else '')
        if text:
            text += '@'
        bare = host[1:-1] if host.startswith('[') and host.endswith(']') else host
        quoted = urls.quote(bare, safe=':')
        text += f'[{quoted}]' if ':' in quoted else quoted
        return f'{text}:{parts["port"]}' if 'port' in parts else text


class CfnBase64(Function):
    """{Fn::Base64: string} returns the string unchanged; the compute service encodes it."""

    gives = STRING

    def result(self, scope: Scope) -> Value:
        text = resolve(self.args, scope)
        require_known(text)
        if not isinstance(text, str):
            raise TypeError(f'"{self.name}" argument must be a string')
        return text


def json_text(value: Value) -> str:
    return json.dumps(value, sort_keys=True)
