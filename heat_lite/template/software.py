"""Software configurations as plain data: inputs, outputs, and the values of a deployment."""

import json
import typing
from collections.abc import Iterable, Mapping

from heat_lite.common import exception
from heat_lite.common.value_texts import as_json
from heat_lite.common.value_types import Value
from heat_lite.template import coercion, schema
from heat_lite.template.parameters import parameter_types

STRING, JSON, LIST = 'String', 'Json', 'CommaDelimitedList'
TYPES = tuple(parameter_types.WIRE_NAMES.values())
#: {type: schema of the default of an input}
DEFAULTS = {
    wire: schema.PropertySchema(
        parameter_types.PROPERTY_TYPES[kind], allow_conversion=wire in (JSON, LIST)
    )
    for kind, wire in parameter_types.WIRE_NAMES.items()
}
INPUT_KEYS = ('name', 'description', 'type', 'default', 'replace_on_change', 'value')
OUTPUT_KEYS = ('name', 'description', 'type', 'error_output')
LAX, STRICT = 'LAX', 'STRICT'
_WORDS = {'true': True, 'false': False}


def normalize_input(given: Value) -> dict:
    """Return an input in normal form. Raises Invalid for an invalid input.

    The default is converted to the type, the empty value of the type if it is None; without a
    ``type`` it stays as it is. The value is that of a deployment and stays as it is (as in Heat).
    """
    result = _named(given, INPUT_KEYS, 'input')
    if 'default' in given and given.get('type'):
        result['default'] = _as_type(given['default'], result['type'], result['name'])
    elif given.get('default') is not None:
        result['default'] = given['default']
    if 'value' in given:
        result['value'] = given['value']
    if _flag(given.get('replace_on_change'), 'replace_on_change', result['name']):
        result['replace_on_change'] = True
    return {key: result[key] for key in INPUT_KEYS if key in result}


def normalize_output(given: Value) -> dict:
    """Return an output in normal form. Raises Invalid for an invalid output."""
    result = _named(given, OUTPUT_KEYS, 'output')
    return {
        **result,
        'error_output': _flag(given.get('error_output'), 'error_output', result['name']),
    }


def _named(given: Value, keys: tuple, label: str) -> dict[str, Value]:
    if not isinstance(given, dict):
        raise exception.Invalid(
            reason=f'an {label} of a software configuration is a map, not {given!r}'
        )
    unknown = [key for key in given if key not in keys]
    if unknown:
        raise exception.Invalid(
            reason=f'an {label} of a software configuration has no "{unknown[0]}", '
            f'only {", ".join(keys)}'
        )
    try:
        name = coercion.convert(schema.string(), given['name'])
    except (KeyError, exception.StackValidationFailed):
        raise exception.Invalid(
            reason=f'an {label} of a software configuration needs a name: {given!r}'
        ) from None
    kind = given.get('type') or STRING
    if kind not in TYPES:
        raise exception.InvalidSchemaError(
            message=f'Invalid type ({kind}) of {label} "{name}": use one of {", ".join(TYPES)}'
        )
    return {'name': name, **_described(given, label, name), 'type': kind}


def _described(given: Mapping[str, Value], label: str, name: str) -> dict[str, Value]:
    if given.get('description') is None:
        return {}
    try:
        return {'description': coercion.convert(schema.string(), given['description'])}
    except exception.StackValidationFailed as error:
        raise exception.Invalid(
            reason=f'{label} "{name}": the description is no text: {error.error_message}'
        ) from None


def _as_type(value: Value, kind: str, name: str) -> Value:
    """Convert the default of an input as Heat does.

    A list is the text between commas; a list as Json becomes its JSON text.
    """
    if value == '' and kind != STRING:
        value = None
    try:
        made = coercion.convert(DEFAULTS[kind], value)
    except exception.StackValidationFailed as error:
        raise exception.Invalid(
            reason=f'input "{name}": the default is no {kind}: {error.error_message}'
        ) from None
    return json.dumps(made) if kind == JSON and isinstance(made, list) else made


def _flag(value: Value, key: str, name: str) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    if str(value).lower() not in _WORDS:
        raise exception.Invalid(reason=f'"{name}": {key} is true or false, not {value!r}')
    return _WORDS[str(value).lower()]


def normalize_config(
    config: Value, inputs: Iterable | None, outputs: Iterable | None, options: Value
) -> dict:
    """Return the parts of a configuration as they are stored.

    The options are data for the tool on the server: usually a map, but any value is kept.
    """
    return {
        'config': config,
        'inputs': [normalize_input(item) for item in inputs or ()],
        'outputs': [normalize_output(item) for item in outputs or ()],
        'options': options or {},
    }


# --------------------------------------------------------------- deployments


def merge_values(inputs: list[dict], values: Mapping, added: Iterable[dict]) -> list[dict]:
    """Return the inputs with their values.

    The inputs of the configuration come first, then values without a declared input, then
    ``added``.
    """
    declared = [{**item, 'value': values.get(item['name'], item.get('default'))} for item in inputs]
    names = {item['name'] for item in inputs}
    undeclared = [
        {'name': name, 'type': STRING, 'value': value}
        for name, value in values.items()
        if name not in names
    ]
    return [*declared, *undeclared, *added]


def derived_input(name: str, description: str, value: Value) -> dict:
    """Return an input with data of the deployment itself, such as its id or action."""
    return {'name': name, 'description': description, 'type': STRING, 'value': value}


def requires_replacement(inputs: Iterable[dict], before: Iterable[dict]) -> bool:
    """Return whether an input with ``replace_on_change`` differs from the inputs ``before``."""
    old_values = {item['name']: item.get('value') for item in before}
    return any(
        item.get('replace_on_change')
        and item['name'] in old_values
        and old_values[item['name']] != item.get('value')
        for item in inputs
    )


def substitute_inputs(config: Value, inputs: Mapping, key: str, policy: str) -> Value:
    """Return the configuration with each map ``{key: name}`` replaced by the input's value.

    A missing input gives None with policy LAX and raises UserParameterMissing with STRICT.
    """
    if isinstance(config, dict):
        if len(config) == 1 and key in config and isinstance(config[key], str):
            return _value_of(config[key], inputs, policy)
        return {
            name: substitute_inputs(value, inputs, key, policy) for name, value in config.items()
        }
    if isinstance(config, list):
        return [substitute_inputs(value, inputs, key, policy) for value in config]
    return config


def _value_of(name: str, inputs: Mapping[str, Value], policy: str) -> int | None:
    if name not in inputs and policy == STRICT:
        raise exception.UserParameterMissing(key=name)
    return inputs.get(name)


# --------------------------------------------------------------- signals of servers

STDOUT, STDERR, STATUS_CODE = REPORTED = ('deploy_stdout', 'deploy_stderr', 'deploy_status_code')


class DeploymentResult(typing.NamedTuple):
    """The result of a deployment; ``reasons`` is empty if it succeeded."""

    outputs: dict
    reasons: dict

    def reason(self) -> str:
        return ', '.join(f'{name} : {text}' for name, text in self.reasons.items())


def check_signal(details: Value) -> None:
    """Raise Invalid for details that are no result of a deployment."""
    if not isinstance(details, dict | None):
        raise exception.Invalid(
            reason=f'a signal to a deployment is a map of its outputs, not {as_json(details)}'
        )


def deployment_result(
    outputs: Iterable[dict], details: Mapping, before: Mapping | None
) -> DeploymentResult:
    """Return the result of a deployment from the signal of a server.

    It failed if the exit status is not zero or an output with ``error_output`` is set.
    """
    values, reasons = dict(before or {}), {}
    code = details.get(STATUS_CODE)
    if code is not None and str(code) != '0':
        reasons[STATUS_CODE] = f'Deployment exited with non-zero status code: {code}'
    for item in outputs:
        name = item['name']
        if name in details:
            values[name] = details[name]
            if item.get('error_output'):
                reasons[name] = details[name]
    values.update((name, details.get(name)) for name in REPORTED)
    return DeploymentResult(values, reasons)
