"""Text in, maps out: templates and environments, written in YAML or JSON.

YAML is read from the events of libyaml, one after the other and without recursion: a text can neither nest so deeply nor repeat so much by
aliases that it costs more than its length deserves. It is YAML 1.1 as Heat reads it: dates stay text, and keys become text as in JSON.
"""

import dataclasses
import json
import math

from heat_lite.template import yaml_reader
from heat_lite.template.suggest import closest, say

ENVIRONMENT_SECTIONS = (
    'parameters', 'resource_registry', 'parameter_defaults', 'encrypted_param_names', 'event_sinks', 'parameter_merge_strategies',
)  # fmt: skip
VERSION_KEYS = ('heat_template_version', 'AWSTemplateFormatVersion', 'HeatTemplateFormatVersion')
ROOT = '[root stack]'


class FormatError(ValueError):
    """A text that is no template or environment; says why as the API shows it."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """``depth``: how many maps and lists may stand inside each other. ``weight``: how many characters and nodes a text may unfold to."""

    depth: int = 100
    weight: int = 4 * 1024 * 1024


LIMITS = Limits()


def parse(text, limits=LIMITS, name=ROOT):
    """The map that the text of a template is; FormatError where it is none. ``name`` is what the error calls it."""
    try:
        data = _read(text, limits)
    except yaml_reader.YAMLError as error:
        raise FormatError(f'Error parsing template {name} {error}') from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise FormatError('The template is not a JSON object or YAML mapping.')
    return data


def parse_file(text, name, limits=LIMITS):
    """The same for a template among the files of another one, where a version has to be said."""
    data = parse(text, limits, name)
    if not any(key in data for key in VERSION_KEYS):
        raise FormatError(_no_version(data))
    return data


def _no_version(data):
    meant = next((key for key in data if closest(key, VERSION_KEYS)), None)
    return say('Template format version not found.', meant, VERSION_KEYS)


def parse_environment(text, limits=LIMITS):
    """The map that the text of an environment is; FormatError where it is none or has unknown sections."""
    try:
        data = _read(text, limits)
    except yaml_reader.YAMLError as error:
        raise FormatError(str(error)) from None
    if data is None or data == '':
        return {}
    if not isinstance(data, dict):
        raise FormatError('The environment is not a valid YAML mapping data type.')
    for section in data:
        if section not in ENVIRONMENT_SECTIONS:
            raise FormatError(say(f'environment has wrong section "{section}"', section, ENVIRONMENT_SECTIONS))
        if data[section] is None:
            raise FormatError(f'environment has empty section "{section}"')
    return data


def _read(text, limits):
    if isinstance(text, dict | list):
        _check_depth(text, limits.depth)
        return text
    if isinstance(text, bytes):
        text = text.decode('utf-8')
    if not isinstance(text, str):
        return text
    if text.lstrip()[:1] == '{':
        try:
            data = json.loads(text, parse_float=_number, parse_constant=str)
        except RecursionError:
            raise too_deep() from None
        except ValueError:
            pass  # YAML's flow style begins like JSON
        else:
            _check_depth(data, limits.depth)
            return data
    return yaml_reader.read(text, limits.depth, limits.weight)


def _number(digits):
    """What is too large for a number stays text: JSON has no word for infinity."""
    number = float(digits)
    return number if math.isfinite(number) else digits


def _check_depth(data, depth):
    """Level by level, so that depth costs no stack."""
    level = [data]
    while level:
        if depth < 0:
            raise too_deep()
        depth -= 1
        level = [child for part in level for child in (part.values() if isinstance(part, dict) else part) if isinstance(child, dict | list)]


def too_deep():
    return FormatError('maps and lists are nested too deeply')
