"""Writes templates as YAML for people: calls of functions on one line, texts as blocks."""

import json
import re

import yaml

from heat_lite.common.value_types import Value
from heat_lite.template import versions

WIDTH = 100
#: characters of a call that is written on one line
CALL_WIDTH = 70
_DATE = re.compile(r'\d{4}-\d{2}-\d{2}')
#: line breaks of YAML that are no line breaks in a template
_RARE_BREAK = re.compile('[\r\x85\u2028\u2029]')
_FUNCTIONS = {
    name
    for key in versions.TABLE
    for version in versions.TABLE[key].values()
    for name in (*version.functions, *(version.condition_functions or ()))
}


def to_yaml(data: dict) -> str:
    """Return a template as YAML, with an empty line between sections."""
    sections = []
    for key, value in data.items():
        shown = _Date(value) if key in versions.TABLE and _is_date(value) else value
        sections.append(
            yaml.dump(
                {key: shown}, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=WIDTH
            )
        )
    return '\n'.join(sections) or '{}\n'


def _is_date(value: Value) -> bool:
    return isinstance(value, str) and bool(_DATE.fullmatch(value))


class _Date(str):
    """The date of a version, which needs no quotes."""


class _Writer(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data: Value) -> bool:
        return True


def _text(writer: yaml.SafeDumper, value: str) -> yaml.Node:
    style = '"' if _RARE_BREAK.search(value) else None
    if not style and '\n' in value:
        style = '|' if '\n' in value.strip('\n') else '"'
    return writer.represent_scalar('tag:yaml.org,2002:str', value, style=style)


def _date(writer: yaml.SafeDumper, value: str) -> yaml.Node:
    return writer.represent_scalar('tag:yaml.org,2002:timestamp', value)


def _map(writer: yaml.SafeDumper, value: dict) -> yaml.Node:
    is_short = len(json.dumps(value, default=str)) <= CALL_WIDTH
    is_call = len(value) == 1 and next(iter(value)) in _FUNCTIONS
    node = writer.represent_mapping('tag:yaml.org,2002:map', value.items())
    if is_call and is_short and not _has_lines(value):
        node.flow_style = True
    else:
        node.flow_style = not value
    return node


def _list(writer: yaml.SafeDumper, value: list) -> yaml.Node:
    node = writer.represent_sequence('tag:yaml.org,2002:seq', value)
    node.flow_style = not value
    return node


def _has_lines(value: Value) -> bool:
    return '\\n' in json.dumps(value, default=str)


_Writer.add_representer(str, _text)
_Writer.add_representer(_Date, _date)
_Writer.add_representer(dict, _map)
_Writer.add_representer(list, _list)
