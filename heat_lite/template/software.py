"""What software configurations are made of, as plain data: inputs, outputs, and what a deployment adds to them."""

import typing

from heat_lite.common import exception

STRING, NUMBER, BOOLEAN, JSON, LIST = 'String', 'Number', 'Boolean', 'Json', 'CommaDelimitedList'
TYPES = (STRING, NUMBER, LIST, JSON, BOOLEAN)
#: what stands for a value of a type where a template gives none
NOTHING: dict[str, typing.Any] = {STRING: '', NUMBER: 0, BOOLEAN: False, JSON: {}, LIST: []}
INPUT_KEYS = ('name', 'description', 'type', 'default', 'replace_on_change', 'value')
OUTPUT_KEYS = ('name', 'description', 'type', 'error_output')
LAX, STRICT = 'LAX', 'STRICT'
_WORDS = {'true': True, 'false': False}


def input_(given) -> dict:
    """An input in its normal form. Raises Invalid for what is none."""
    made = _named(given, INPUT_KEYS, 'input')
    for key in ('default', 'value'):
        if key in given:
            made[key] = _as_type(given[key], made['type'], made['name'])
    if _flag(given.get('replace_on_change'), 'replace_on_change', made['name']):
        made['replace_on_change'] = True
    return {key: made[key] for key in INPUT_KEYS if key in made}


def output(given) -> dict:
    """An output in its normal form. Raises Invalid for what is none."""
    made = _named(given, OUTPUT_KEYS, 'output')
    return {**made, 'error_output': _flag(given.get('error_output'), 'error_output', made['name'])}


def _named(given, keys, what):
    if not isinstance(given, dict):
        raise exception.Invalid(reason=f'an {what} of a software configuration is a map, not {given!r}')
    unknown = [key for key in given if key not in keys]
    if unknown:
        raise exception.Invalid(reason=f'an {what} of a software configuration has no "{unknown[0]}", only {", ".join(keys)}')
    if not isinstance(given.get('name'), str):
        raise exception.Invalid(reason=f'an {what} of a software configuration needs a name: {given!r}')
    kind = given.get('type') or STRING
    if kind not in TYPES:
        raise exception.Invalid(reason=f'{what} "{given["name"]}": the type {kind!r} is none of {", ".join(TYPES)}')
    described = {'description': given['description']} if given.get('description') is not None else {}
    return {'name': given['name'], **described, 'type': kind}


def _as_type(value, kind, name):
    """Numbers and truths may be given as text; other types take what they are given."""
    try:
        if kind == NUMBER and isinstance(value, str):
            return float(value) if set('.eE') & set(value) else int(value)
        if kind == BOOLEAN:
            return _flag(value, 'value', name)
    except ValueError:
        raise exception.Invalid(reason=f'"{name}": {value!r} is not a number') from None
    return value


def _flag(value, key, name):
    if value is None or isinstance(value, bool):
        return bool(value)
    if str(value).lower() not in _WORDS:
        raise exception.Invalid(reason=f'"{name}": {key} is true or false, not {value!r}')
    return _WORDS[str(value).lower()]


def normal(config, inputs, outputs, options) -> dict:
    """The parts of a configuration, as they are stored."""
    return {
        'config': config,
        'inputs': [input_(each) for each in inputs or ()],
        'outputs': [output(each) for each in outputs or ()],
        'options': dict(options or {}),
    }


# --------------------------------------------------------------- what a deployment makes of a configuration


def with_values(inputs, values, added) -> list[dict]:
    """The inputs with their values: first those of the configuration, then others that were given, then those ``added``."""
    known = [{**each, 'value': values.get(each['name'], each.get('default'))} for each in inputs]
    names = {each['name'] for each in inputs}
    more = [{'name': name, 'type': STRING, 'value': value} for name, value in values.items() if name not in names]
    return [*known, *more, *added]


def told(name, description, value) -> dict:
    """An input that tells the server what it needs to know about the deployment."""
    return {'name': name, 'description': description, 'type': STRING, 'value': value}


def replaced_by(inputs, before) -> bool:
    """Whether one of the inputs that want a new deployment has another value than ``before``, a list of inputs too."""
    had = {each['name']: each.get('value') for each in before}
    return any(each.get('replace_on_change') and each['name'] in had and had[each['name']] != each.get('value') for each in inputs)


def filled(config, inputs, key, policy):
    """The configuration with each map ``{key: name}`` replaced by the input's value. Raises UserParameterMissing with STRICT."""
    if isinstance(config, dict):
        if len(config) == 1 and key in config and isinstance(config[key], str):
            return _value_of(config[key], inputs, policy)
        return {name: filled(value, inputs, key, policy) for name, value in config.items()}
    if isinstance(config, list):
        return [filled(value, inputs, key, policy) for value in config]
    return config


def _value_of(name, inputs, policy):
    if name not in inputs and policy == STRICT:
        raise exception.UserParameterMissing(key=name)
    return inputs.get(name)


# --------------------------------------------------------------- what a server tells of it

STDOUT, STDERR, STATUS_CODE = REPORTED = ('deploy_stdout', 'deploy_stderr', 'deploy_status_code')


class Outcome(typing.NamedTuple):
    """``reasons`` say why a deployment has failed; there are none where it has not."""

    outputs: dict
    reasons: dict

    def reason(self):
        return ', '.join(f'{name} : {why}' for name, why in self.reasons.items())


def outcome(outputs, details, before) -> Outcome:
    """What the signal of a server means: an exit status that is not zero, or any output that tells of errors, is a failure."""
    given, reasons = dict(before or {}), {}
    code = details.get(STATUS_CODE)
    if code is not None and str(code) != '0':
        reasons[STATUS_CODE] = f'Deployment exited with non-zero status code: {code}'
    for each in outputs:
        name = each['name']
        if name in details:
            given[name] = details[name]
            if each.get('error_output'):
                reasons[name] = details[name]
    given.update((name, details.get(name)) for name in REPORTED)
    return Outcome(given, reasons)
