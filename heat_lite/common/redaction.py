"""Removes the values of hidden parameters from texts: errors, reasons of states, log lines."""

import contextlib
import html
import json
from collections.abc import Iterable, Iterator
from typing import Any
from urllib import parse

from heat_lite.common.value_types import Value

MASK = '******'
#: shorter values are left in texts: they occur by chance, and a mask would disclose where
MIN_LENGTH = 4
#: values that occur in texts anyway
COMMON = frozenset({'true', 'false', 'none', 'null'})
#: length of the beginning of a long value that is removed too, since errors quote values in part
HEAD = 20
#: keys and properties whose values are secret wherever they stand
_NAMES = frozenset(
    'admin_pass auth_key blob pass_phrase passphrase private_key psk secret temp_url_key'.split()
)
#: longer texts are not read as numbers
NUMBER_LENGTH = 40
#: number of values beyond which whole texts are masked, which bounds the time
LIMIT = 1000


def is_secret_name(name: Value) -> bool:
    """Return whether values of this property or key are secret wherever they stand."""
    return isinstance(name, str) and (name in _NAMES or name.endswith('password'))


def texts_of(value: Value) -> Iterator[str]:
    """Yield the texts by which a message may quote a value: itself, its lines and its parts."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            pending += each.values()
        elif isinstance(each, list | tuple):
            pending += each
        elif each is not None and not isinstance(each, bool):
            yield from _texts_of_scalar(str(each))


def _texts_of_scalar(text: str) -> Iterator[str]:
    for part in {text, *text.splitlines(), *_number_texts(text)}:
        if len(part) >= MIN_LENGTH and part.lower() not in COMMON:
            yield part


def _number_texts(text: str) -> Iterator[str]:
    """Yield a number as properties convert it: to an integer, or to a float."""
    if len(text) > NUMBER_LENGTH:
        return
    try:
        number = float(text)
        yield str(int(number))
    except (ValueError, OverflowError):  # no number; infinite
        return
    yield str(number)
    with contextlib.suppress(ValueError):
        yield str(int(text))  # exactly


class Redactor:
    """Replaces known values in texts by MASK; ``add`` makes more values known."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: set[str] = set()
        self._variants: list[str] = []
        self.add(texts)

    def add(self, texts: Iterable[str]) -> None:
        """Make texts known, as ``texts_of`` yields them."""
        new = set(texts) - self._texts
        if new:
            self._texts |= new
            if len(self._texts) > LIMIT:
                return
            variants = {variant for text in new for variant in _variants(text)}
            self._variants = sorted({*self._variants, *variants}, key=len, reverse=True)

    def redact(self, text: str) -> str:
        """Return the text without known values, also where they are cut or quoted."""
        if len(self._texts) > LIMIT:
            return MASK
        for variant in self._variants:
            if variant[:HEAD] in text:
                text = _remove(text, variant)
        return text

    def redact_data(self, value: Value) -> Value:
        """Return data of JSON with each of its texts and numbers redacted."""
        if not self._texts:
            return value
        if isinstance(value, dict):
            return {key: self.redact_data(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact_data(each) for each in value]
        if isinstance(value, str):
            return self.redact(value)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return MASK if is_number and str(value) in self._texts else value


def _variants(text: str) -> Any:
    """Return the forms of a text in messages: plain, and as Python, JSON, HTML and URLs quote it.

    A lone surrogate has no form in a URL.
    """
    forms = {text, repr(text)[1:-1], json.dumps(text)[1:-1], html.escape(text)}
    forms.add(json.dumps(text, ensure_ascii=False)[1:-1])
    with contextlib.suppress(UnicodeEncodeError):
        forms |= {parse.quote(text), parse.quote(text, safe=''), parse.quote_plus(text)}
    return forms


def _remove(text: str, secret: str) -> str:
    """Replace a value, and beginnings of it that have at least HEAD characters."""
    parts, begin, head = list[str](), 0, secret[:HEAD]
    while (found := text.find(head, begin)) >= 0:
        end = found + len(head)
        while end < len(text) and end - found < len(secret) and text[end] == secret[end - found]:
            end += 1
        parts += text[begin:found], MASK
        begin = end
    return ''.join(parts) + text[begin:]
