"""Functions about texts: str_replace, list_join, str_split, digest, make_url and their CFN relatives."""

import hashlib
import json
from urllib import parse as urls

from heat_lite.template.function import Function, resolve, resolve_each
from heat_lite.template.functions import quotas


class Replace(Function):
    """{str_replace: {template: text, params: {what: by what}}}

    One pass: the longest key first, then by the alphabet; what has been put in is not looked at again.
    """

    __slots__ = ()

    structures = False  # whether lists and maps are put in as JSON
    usage = '"{}" syntax should be {}: {{template: This is var1 template var2, params: {{var1: a, var2: string}}}}'

    def check(self):
        if not isinstance(self.args, dict):
            raise TypeError(f'Arguments to "{self.name}" must be a map')
        if 'template' not in self.args or 'params' not in self.args:
            raise ValueError(self.usage.format(self.name, self.name))
        if not isinstance(self.parts()[1], dict | Function):
            raise TypeError(f'"{self.name}" parameters must be a mapping')

    def parts(self):
        """The text and what to replace in it, not yet resolved."""
        return self.args['template'], self.args['params']

    def result(self, scope):
        template, params = resolve_each(self.parts(), scope)
        if not isinstance(template, str):
            raise TypeError(f'"{self.name}" template must be a string')
        if not isinstance(params, dict):
            raise TypeError(f'"{self.name}" params must be a map')
        keys = sorted(params, key=lambda key: (-len(key), key))
        pairs = [(key, self.text_of(key, params[key])) for key in keys]
        quotas.check_text(self.name, len(template) + sum(template.count(key) * len(value) for key, value in pairs if key))
        text, unused = replace(template, pairs)
        self.finish(unused)
        return text

    def text_of(self, key, value):
        """What is put in for a key."""
        if value is None:
            return ''
        if isinstance(value, str | int | float):
            return str(value)
        if not self.structures:
            raise TypeError(f'"{self.name}" params must be strings or numbers, param {key} is not valid')
        return json_text(value)

    def finish(self, unused):
        """Told which keys did not occur."""


def replace(text, pairs):
    """``(text with all pairs replaced in their order, keys that did not occur)``."""
    raw, done = [text], []  # done[i] stands between raw[i] and raw[i + 1] and is not looked at again
    unused = []
    for key, value in pairs:
        if not any(key in part for part in raw):
            unused.append(key)
            continue
        next_raw, next_done = [], []
        for index, part in enumerate(raw):
            pieces = part.split(key)
            next_raw += pieces
            next_done += [value] * (len(pieces) - 1) + done[index : index + 1]
        raw, done = next_raw, next_done
    return ''.join(part + value for part, value in zip(raw, [*done, ''], strict=True)), unused


class ReplaceJson(Replace):
    """str_replace since 2015-10-15: lists and maps go in as JSON."""

    __slots__ = ()

    structures = True


class ReplaceStrict(ReplaceJson):
    """{str_replace_strict: ...}: each key has to occur."""

    __slots__ = ()

    def finish(self, unused):
        if unused:
            raise ValueError(f'The following params were not found in the template: {",".join(unused)}')


class ReplaceVeryStrict(ReplaceStrict):
    """{str_replace_vstrict: ...}: and each value has to be something."""

    __slots__ = ()

    def text_of(self, key, value):
        text = super().text_of(key, value)
        if not text or value in ([], {}):
            raise ValueError(f'{self.name} has an undefined or empty value for param {key}, must be a defined non-empty value')
        return text


class CfnReplace(Replace):
    """{Fn::Replace: [{what: by what}, text]}"""

    __slots__ = ()

    def check(self):
        if not isinstance(self.args, list) or len(self.args) != 2:
            raise ValueError(
                f'Incorrect arguments to "{self.name}" should be: '
                f'{{"{self.name}": [ {{"$var1": "foo", "%var2%": "bar"}}, "$var1 is %var2%"]}}'
            )
        if not isinstance(self.args[0], dict | Function):
            raise TypeError(f'"{self.name}" parameters must be a mapping')

    def parts(self):
        return self.args[1], self.args[0]


class Join(Function):
    """{list_join: [delimiter, [text, ...]]}: null items are empty texts, a null list is empty."""

    __slots__ = ()

    example = '[ "str1", "str2"]]'

    def check(self):
        if not isinstance(self.args, list) or not self.count_allowed(len(self.args)):
            raise ValueError(f'Incorrect arguments to "{self.name}" should be: "{self.name}" : [ " ", {self.example}')

    def count_allowed(self, count):
        return count == 2

    def result(self, scope):
        delimiter, *lists = resolve_each(self.args, scope)
        items = []
        for part in lists:
            items += self.items_of(part)
        if not isinstance(delimiter, str):
            raise TypeError(f'"{self.name}" delimiter must be a string')
        texts = [self.text_of(item) for item in items]
        quotas.check_text(self.name, len(delimiter) * len(texts) + sum(map(len, texts)))
        return delimiter.join(texts)

    def items_of(self, part):
        if part is not None and not isinstance(part, list):
            raise TypeError(f'"{self.name}" must operate on a list')
        return part or []

    def text_of(self, item):
        if item is None:
            return ''
        if isinstance(item, str):
            return item
        raise TypeError(f'Items to join must be strings not {repr(item)[:200]}')


class JoinLists(Join):
    """list_join since 2015-10-15: any number of lists, and maps and lists in them become JSON."""

    __slots__ = ()

    example = '[ "str1", "str2"] ...]'

    def count_allowed(self, count):
        return count >= 2

    def items_of(self, part):
        return super().items_of(part or None)

    def text_of(self, item):
        if isinstance(item, dict | list):
            return json_text(item)
        if item is None or isinstance(item, str):
            return item or ''
        raise TypeError(f'Items to join must be string, map or list not {repr(item)[:200]}')


class StrSplit(Function):
    """{str_split: [delimiter, text, index]}, the index being optional; nothing comes of null."""

    __slots__ = ()

    def check(self):
        if isinstance(self.args, str | dict):
            raise TypeError(self._usage('arguments'))

    def _usage(self, what):
        return f'Incorrect {what} to "{self.name}" should be: "{self.name}" : [ ",", "apples,pears", <index>]'

    def result(self, scope):
        args = resolve(self.args, scope)
        if not isinstance(args, list) or len(args) < 2:
            raise ValueError(self._usage('arguments'))
        delimiter, text, *index = args
        if text is None:
            return None
        if not isinstance(text, str):
            raise TypeError(f'"{self.name}" splits a string, not {text!r}')
        parts = text.split(delimiter)
        return self._one(parts, index[0]) if index else parts

    def _one(self, parts, index):
        try:
            number = int(index)
        except ValueError:
            raise ValueError(self._usage('index')) from None
        try:
            return parts[number]
        except IndexError:
            raise ValueError(f'Incorrect index to "{self.name}" should be between 0 and {len(parts) - 1}') from None


class CfnSplit(Function):
    """{Fn::Split: [delimiter, text]}"""

    __slots__ = ()

    def check(self):
        if not isinstance(self.args, list) or len(self.args) != 2:
            raise ValueError(f'Incorrect arguments to "{self.name}" should be: "{self.name}" : [ ",", "str1,str2"]]')

    def result(self, scope):
        delimiter, text = resolve_each(self.args, scope)
        if not isinstance(delimiter, str):
            raise TypeError(f'Delimiter for {self.name} must be string')
        if not isinstance(text, str):
            raise TypeError(f'String to split must be string; got {type(text)}')
        return text.split(delimiter)


class Digest(Function):
    """{digest: [algorithm, text]}: the digest in hexadecimal digits; the text is encoded as Latin-1."""

    __slots__ = ()

    def result(self, scope):
        args = resolve(self.args, scope)
        if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
            raise TypeError(f'Argument to function "{self.name}" must be a list of strings')
        if len(args) != 2:
            raise ValueError(f'Function "{self.name}" usage: ["<algorithm>", "<value>"]')
        algorithm, text = args
        if algorithm.lower() not in hashlib.algorithms_available:
            known = ', '.join(sorted(hashlib.algorithms_available))
            raise ValueError(f'Algorithm must be one of {{{known}}}')
        return hashlib.new(algorithm.lower(), text.encode('latin-1')).hexdigest()


class MakeUrl(Function):
    """{make_url: {scheme: , username: , password: , host: , port: , path: , query: {}, fragment: }}, all of them optional."""

    __slots__ = ()

    keys = ('scheme', 'username', 'password', 'host', 'port', 'path', 'query', 'fragment')
    texts = ('scheme', 'username', 'password', 'host', 'path', 'fragment')

    def check(self):
        if not isinstance(self.args, dict):
            raise TypeError(f'The arguments to "{self.name}" must be a map')
        unknown = [str(key) for key in self.args if key not in self.keys]
        if unknown:
            raise ValueError(f'Invalid arguments to "{self.name}": {", ".join(unknown)}')
        self.check_parts({key: value for key, value in self.args.items() if not isinstance(value, Function)})

    def check_parts(self, parts):
        """Refuses values that are no part of a URL."""
        for key in self.texts:
            if key in parts and not isinstance(parts[key], str):
                raise TypeError(f'The "{key}" argument to "{self.name}" must be a string')
        if 'query' in parts and not isinstance(parts['query'], dict):
            raise TypeError(f'The "query" argument to "{self.name}" must be a map')
        if 'port' in parts:
            self._check_port(parts)

    def _check_port(self, parts):
        port = parts['port']
        try:
            number = int(port)
        except (ValueError, TypeError):
            raise ValueError(f'Invalid URL port "{port}" for {self.name} called with {parts}') from None
        if not 0 < number < 65536:
            raise ValueError(f'Invalid URL port {number}, must be in range 1-65535')

    def result(self, scope):
        parts = resolve(self.args, scope)
        self.check_parts(parts)
        if ':' in parts.get('scheme', ''):
            raise ValueError('URL "scheme" should not contain \':\'')
        path = urls.quote(parts.get('path', ''))
        if path and self._net_location(parts) and not path.startswith('/'):
            path = '/' + path
        query = urls.urlencode(parts.get('query', {}))
        return urls.urlunsplit((parts.get('scheme', ''), self._net_location(parts), path, query, urls.quote(parts.get('fragment', ''))))

    def _net_location(self, parts):
        user, password, host = (parts.get(key, '') for key in ('username', 'password', 'host'))
        text = urls.quote(user, safe='') + (':' + urls.quote(password, safe='') if password else '')
        if text:
            text += '@'
        bare = host[1:-1] if host.startswith('[') and host.endswith(']') else host
        quoted = urls.quote(bare, safe=':')
        text += f'[{quoted}]' if ':' in quoted else quoted
        return f'{text}:{parts["port"]}' if 'port' in parts else text


class Base64(Function):
    """{Fn::Base64: text}: the text itself, as the compute service encodes it."""

    __slots__ = ()

    def result(self, scope):
        text = resolve(self.args, scope)
        if not isinstance(text, str):
            raise TypeError(f'"{self.name}" argument must be a string')
        return text


def json_text(value):
    return json.dumps(value, sort_keys=True)
