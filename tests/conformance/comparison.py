"""Compare responses with recorded expectations and collect the differences.

A status, an error type or a value must be equal. A message of the engine must be equal after
folding ``: : `` to ``: ``, or be one of the texts that ``wording`` allows. A message with a
``message_kind`` comes from a library and is not compared. A map that an expectation omits is empty.
"""

import json
import re

from tests.conformance import wording

# maps and lists that an expectation omits when they are empty
EMPTY_WHEN_ABSENT = ('outputs', 'output_errors', 'parameters', 'resources', 'tags')
# keys of an expectation that describe its recording or comparison
REMARKS = ('message_kind', 'output_error_kinds', 'left_in_progress')
# keys whose text is prose
MESSAGES = ('message', 'stack_status_reason', 'reason', 'resource_status_reason')
MISSING = object()


def expand(value):
    """Return ``value`` of a request with each {N x c} expanded."""
    if isinstance(value, str):
        return re.sub(r'\{(\d+) x (.)\}', lambda found: found[2] * int(found[1]), value)
    if isinstance(value, list):
        return [expand(item) for item in value]
    if isinstance(value, dict):
        return {expand(key): expand(item) for key, item in value.items()}
    return value


def shown(value):
    return (
        'nothing'
        if value is MISSING
        else json.dumps(value, ensure_ascii=False, sort_keys=True, default=repr)[:400]
    )


class Comparison:
    """Differences between expectations and responses, as lines of text.

    ``names`` maps placeholders such as {stack_id} to their current values.
    """

    def __init__(self, names):
        self.names = names
        self.differences = []

    def note(self, path, expected, got):
        self.differences.append(f'{path}: expected {shown(expected)}, got {shown(got)}')

    def fill(self, text, quote=str):
        text = expand(text)
        for placeholder, name in self.names.items():
            text = text.replace(placeholder, quote(name))
        return text

    def same_text(self, expected, got, message=False):
        if not isinstance(got, str):
            return False
        expected = self.fill(expected)
        if message:
            expected, got = (text.replace(': : ', ': ') for text in (expected, got))
        if '{random12}' in expected:
            return (
                re.fullmatch('[a-z0-9]{12}'.join(map(re.escape, expected.split('{random12}'))), got)
                is not None
            )
        return got in (wording.texts(expected) if message else (expected,))

    def text(self, path, expected, got):
        if not (
            self.same_text(expected, got, message=True)
            if isinstance(expected, str)
            else expected == got
        ):
            self.note(path, self.fill(expected) if isinstance(expected, str) else expected, got)

    def value(self, path, expected, got):
        """Compare JSON values; an integer, a float and a boolean are never equal."""
        if isinstance(expected, dict) and set(expected) == {'$regex'}:
            pattern = self.fill(expected['$regex'], quote=re.escape)
            if not (isinstance(got, str) and re.match(pattern, got)):
                self.note(path, f'match of {pattern}', got)
        elif isinstance(expected, dict) and isinstance(got, dict):
            expected = {self.fill(key): item for key, item in expected.items()}
            for key in sorted(expected.keys() | got.keys()):
                self.value(f'{path}.{key}', expected.get(key, MISSING), got.get(key, MISSING))
        elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
            for index, (one, other) in enumerate(zip(expected, got, strict=True)):
                self.value(f'{path}[{index}]', one, other)
        elif isinstance(expected, str):
            if not self.same_text(expected, got):
                self.note(path, self.fill(expected), got)
        elif type(expected) is not type(got) or expected != got:
            self.note(path, expected, got)

    def answer(self, path, expected, got):
        """Compare the expectation of a case with an observation of the same shape."""
        if expected['http_status'] != got['http_status']:
            self.note(f'{path}http_status', expected, got)
            return
        skipped = 'message' if 'message_kind' in expected else None
        self.described(path, {key: item for key, item in expected.items() if key != skipped}, got)

    def described(self, path, expected, got):
        """Compare a map of the case format, in which some texts are prose."""
        wanted = {
            key: got[key] if key not in expected and not got[key] else expected.get(key, MISSING)
            for key in EMPTY_WHEN_ABSENT
            if key in got
        }
        wanted |= {key: item for key, item in expected.items() if key not in REMARKS}
        for key in sorted(wanted):
            self.entry(
                f'{path}{key}',
                key,
                wanted[key],
                got.get(key, MISSING),
                expected.get('output_error_kinds', {}),
            )

    def entry(self, path, key, expected, got, kinds):
        if key in MESSAGES:
            self.text(path, expected, got)
        elif key == 'output_errors':
            self.output_errors(
                path, {} if expected is MISSING else expected, {} if got is MISSING else got, kinds
            )
        elif key == 'resources' and isinstance(expected, dict) and isinstance(got, dict):
            self.resources(path, expected, got)
        elif key == 'hook_event' and isinstance(got, dict):
            self.described(f'{path}.', expected, got)
        else:
            self.value(path, expected, got)

    def resources(self, path, expected, got):
        for name in sorted(expected.keys() | got.keys()):
            if name in expected and name in got:
                self.described(f'{path}.{name}.', expected[name], got[name])
            else:
                self.note(f'{path}.{name}', expected.get(name, MISSING), got.get(name, MISSING))

    def output_errors(self, path, expected, got, kinds):
        for key in sorted(expected.keys() | got.keys()):
            if key not in expected or key not in got:
                self.note(f'{path}.{key}', expected.get(key, MISSING), got.get(key, MISSING))
            elif key not in kinds:
                self.text(f'{path}.{key}', expected[key], got[key])
