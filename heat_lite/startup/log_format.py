"""Lines of the log: one line for each record, escaped, short, and with its request and stack.

``LineFormatter`` wraps the formatter of a handler, usually that of oslo.log, so its options keep
their effect. A traceback has further lines, each with the prefix of oslo.log.
"""

import copy
import json
import logging
from typing import Any

from oslo_log import formatters

from heat_lite.common import log_context, printable
from heat_lite.common.value_types import Value, Values

#: formatters of data, with places for what ``_fields`` returns
STRUCTURED = (formatters.JSONFormatter, formatters.FluentFormatter)
#: bytes of a line in UTF-8, without its end
LINE_SIZE = 2048
#: bytes of a line of JSON, whose escapes and repeated message take room
JSON_SIZE = 8192
#: lengths of texts and lists in a line of JSON that is too long: the first that suffices is taken
JSON_CUTS = ((400, 30), (100, 20), (40, 10), (10, 4))
#: bytes of a message, which leaves room for time, module, request and project before it
MESSAGE_SIZE = 1600
#: bytes of the text of an error that oslo.log appends to the message
SUMMARY_SIZE = 200
#: lines of a traceback: those of the beginning and those of the end
TRACEBACK_HEAD, TRACEBACK_TAIL = 20, 40


class _SafeRecord(logging.LogRecord):
    """A copy of a record whose summary of the error, which oslo.log sets late, is one line."""

    def __setattr__(self, name: str, value: Value) -> None:
        if name == 'error_summary':
            value = printable.shorten(printable.escape(value), SUMMARY_SIZE)
        super().__setattr__(name, value)


class LineFormatter(logging.Formatter):
    """A formatter that makes the message of a record safe and lets ``inner`` format it.

    ``is_json``: ``inner`` returns JSON or a dict, whose texts and lists are cut. ``is_brief``: the
    message begins with the names of stack and resource, and with the level of a problem.
    """

    def __init__(self, inner: logging.Formatter, is_json: bool = False, is_brief: bool = False):
        super().__init__()
        self._inner = inner
        self._is_json = is_json
        self._is_brief = is_brief

    def format(self, record: logging.LogRecord) -> Value:
        safe = copy.copy(record)
        safe.__class__ = _SafeRecord
        subject = log_context.get_subject()
        redact = subject.redactor.redact if subject is not None else str
        message = printable.escape(redact(_message(record)))
        if subject is not None:
            if subject.context is not None and not hasattr(record, 'context'):
                safe.context = subject.context
            if self._is_json:
                safe.extra = {**getattr(record, 'extra', {}), **_fields(subject)}
            elif subject.stack is not None:
                place = printable.escape(_place(subject, self._is_brief))
                message = f'{place} {message}' if self._is_brief else f'[stack {place}] {message}'
        if self._is_brief and record.levelno > logging.INFO:
            message = f'{record.levelname} {message}'
        safe.msg, safe.args = printable.shorten(message, MESSAGE_SIZE), None
        formatted: Value = self._inner.format(safe)
        if not isinstance(formatted, str):  # data for Fluentd
            return json.loads(_short_json(redact(json.dumps(formatted, default=str))))
        text = redact(formatted)
        return _short_json(text) if self._is_json else _safe_lines(text)


def _place(subject: Any, is_brief: bool) -> str:
    stack = subject.stack.partition('/')[0] if is_brief else subject.stack
    return stack + (f' resource {subject.resource}' if subject.resource else '')


def _fields(subject: Any) -> Values:
    """Return what a line of JSON has beside the message."""
    name, _, stack_id = (subject.stack or '').rpartition('/')
    found = {'stack': name or stack_id, 'stack_id': name and stack_id, 'resource': subject.resource}
    return {key: value for key, value in found.items() if value}


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception as error:
        return f'{record.msg!r} with arguments of another form: {type(error).__name__}'


def _safe_lines(text: str) -> str:
    """Escape and cut each line of a formatted record, and the middle of a long traceback."""
    lines = text.split('\n')
    omitted = len(lines) - TRACEBACK_HEAD - TRACEBACK_TAIL
    if omitted > 0:
        lines[TRACEBACK_HEAD:-TRACEBACK_TAIL] = [f'... ({omitted} lines more)']
    return '\n'.join(printable.shorten(printable.escape(line), LINE_SIZE) for line in lines)


def _short_json(text: str) -> str:
    """Return a line of JSON of at most JSON_SIZE bytes, with its texts and lists cut if needed."""
    for length, items in JSON_CUTS if len(text.encode(errors='replace')) > JSON_SIZE else ():
        text = json.dumps(_cut(json.loads(text), length, items))
        if len(text) <= JSON_SIZE:
            return text
    return text if len(text) <= JSON_SIZE else json.dumps({'message': 'a line that is too long'})


def _cut(value: Value, length: int, items: int) -> Value:
    """Return data of JSON with texts of at most ``length`` bytes, and of longer lists both ends."""
    if isinstance(value, dict):
        return {key[:length]: _cut(value[key], length, items) for key in list(value)[:100]}
    if isinstance(value, list):
        omitted = len(value) - items
        if omitted > 0:
            half = items // 2
            value = [*value[:half], f'... ({omitted} items more)', *value[-half:]]
        return [_cut(each, length, items) for each in value]
    return printable.shorten(value, max(length, 40)) if isinstance(value, str) else value


def install(is_brief: bool = False) -> None:
    """Wrap the formatters of all handlers. Lines go to the handlers of the logger ``heat``, too.

    Files of [DEFAULT] log_config_append, and default_log_levels, name the logger of Heat.
    """
    own, heat = logging.getLogger('heat_lite'), logging.getLogger('heat')
    if set(own.handlers).isdisjoint(heat.handlers):
        own.parent = heat
    for logger in (logging.root, *logging.root.manager.loggerDict.values()):
        for handler in getattr(logger, 'handlers', ()):  # a place for a name has none
            if not isinstance(handler.formatter, LineFormatter):
                inner = handler.formatter or logging.Formatter()
                is_json = isinstance(inner, STRUCTURED)
                handler.setFormatter(LineFormatter(inner, is_json, is_brief))
