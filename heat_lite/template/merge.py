"""Merging of several environment files into one environment.

Each parameter of a later file overrides that of an earlier one, unless its merge strategy in
``parameter_merge_strategies`` is ``merge`` or ``deep_merge``. The first file that sets a parameter
determines its strategy; a later file may repeat it, but not change it.
"""

import functools
from collections.abc import Callable, Collection, Iterable, Mapping

from heat_lite.common import exception
from heat_lite.common.value_texts import from_json
from heat_lite.common.value_types import Value, without_none
from heat_lite.template import reader
from heat_lite.template.environment import ENCRYPTED, EVENT_SINKS, PARAMETER_DEFAULTS, PARAMETERS
from heat_lite.template.functions import budget
from heat_lite.template.parameters import parameter_types
from heat_lite.template.parameters.parameter_schema import ParameterSchema

STRATEGIES = 'parameter_merge_strategies'
OVERWRITE, MERGE, DEEP_MERGE = 'overwrite', 'merge', 'deep_merge'
#: each event is sent to each sink, one after the other
MAX_SINKS = 20
KNOWN = (OVERWRITE, MERGE, DEEP_MERGE)


def merge_environments(
    environment: Mapping,
    files: Mapping,
    environment_files: Iterable[str] | None,
    parameter_schemata: Mapping,
) -> dict:
    """Return a new environment, as data, with ``environment_files`` merged over it in order.

    ``environment_files`` are keys of ``files``. Raises ConflictingMergeStrategyForParam, and
    ValueError for a file that is missing, invalid or cannot be merged.
    """
    result = dict(environment or {})
    strategies: dict[str, str] = {}
    parsed: dict[str, dict] = {}
    for name in environment_files or ():
        if name not in parsed:
            parsed[name] = _parsed(files, name)
        budget.charge_text(f'environment file {name}', len(str(files[name])))
        given = dict(parsed[name])
        own = given.pop(STRATEGIES, None) or {}
        if not isinstance(own, Mapping):
            raise AttributeError(f'The {STRATEGIES} of "{name}" must be a map')
        find_strategy = functools.partial(_strategy, given=own, chosen=strategies, name=name)
        for section, value in given.items():
            if not value:
                continue
            if section in (PARAMETERS, PARAMETER_DEFAULTS):
                result[section] = _merge_parameters(
                    result.get(section), value, parameter_schemata, find_strategy
                )
            else:
                result[section] = _merge_section(section, result.get(section), value)
    _check_sinks(result.get(EVENT_SINKS))
    return result


def _check_sinks(sinks: Value) -> None:
    if isinstance(sinks, list) and len(sinks) > MAX_SINKS:
        raise ValueError(
            f'The environment has {len(sinks)} event_sinks, the limit is {MAX_SINKS}: each event '
            'of the stack is sent to each of them'
        )


def patch(
    environment: Mapping,
    given: Mapping,
    clear: Collection[str] = (),
    known: Collection[str] | None = None,
) -> dict:
    """Return the environment of a stack with the entries of an update merged over it (PATCH).

    ``clear`` are parameters whose old values are discarded. Parameters that are not in ``known``
    are dropped: an earlier template of the stack may have declared them.
    """
    result = dict(environment)
    if clear:
        result[PARAMETERS] = {
            name: value
            for name, value in (result.get(PARAMETERS) or {}).items()
            if name not in clear
        }
    for section, value in given.items():
        if isinstance(value, Mapping):
            result[section] = {**(result.get(section) or {}), **value}
        elif value:
            result[section] = value
    parameters = result.get(PARAMETERS)
    if known is not None and isinstance(parameters, Mapping):
        result[PARAMETERS] = {name: value for name, value in parameters.items() if name in known}
    return result


def _parsed(files: Mapping[str, Value], name: str) -> dict[str, Value]:
    if name not in files:
        raise ValueError(f'The environment file "{name}" is not among the files')
    try:
        return reader.parse_environment(files[name])
    except exception.HeatException:
        raise
    except ValueError as error:
        raise ValueError(f'The environment file "{name}" is not valid: {error}') from error


def _strategy(parameter: str, given: Mapping[str, Value], chosen: dict[str, str], name: str) -> str:
    """Return the merge strategy of a parameter, and keep it for later files.

    ``given`` are the strategies in the file ``name``, ``chosen`` those of parameters so far.
    """
    default = given.get('default', OVERWRITE)
    strategy = given.get(parameter, chosen.get(parameter, default))
    if strategy not in KNOWN:
        strategy = default
    if chosen.setdefault(parameter, strategy) != strategy:
        raise exception.ConflictingMergeStrategyForParam(
            strategy=strategy, param=parameter, env_file=name
        )
    return strategy


def _merge_section(section: str, old: Value, new: Value) -> Value:
    _charge_copy(section, old, new)
    if section in (EVENT_SINKS, ENCRYPTED):
        return [*(old or []), *new]
    if not isinstance(new, Mapping) or not isinstance(old or {}, Mapping):
        raise AttributeError(f'The section {section} of an environment must be a map')
    return {**(old or {}), **without_none(new)}


def _charge_copy(section: str, *parts: Value) -> None:
    """Charge what a merge copies: files are small, and what was merged before can be large."""
    sized = (each for each in parts if isinstance(each, Mapping | list))
    budget.charge_values(f'merge of {section}', sum(map(len, sized)))


def _merge_parameters(
    old: Mapping[str, Value] | None,
    new: Mapping[str, Value],
    schemata: Mapping[str, Value],
    find_strategy: Callable[[str], str],
) -> dict[str, Value]:
    """Merge a section of parameters.

    The first section is taken as it is. Of later ones, nulls and parameters that the template does
    not declare are ignored.
    """
    if not isinstance(new, Mapping):
        raise AttributeError('The parameters of an environment must be a map')
    declared = {
        name: value for name, value in new.items() if name in schemata and value is not None
    }
    strategies = {name: find_strategy(name) for name in declared}
    if not old:
        return dict(new)
    _charge_copy('parameters', old, new)
    merged = dict(old)
    for name, value in declared.items():
        before = merged.get(name)
        if before is None or strategies[name] not in (MERGE, DEEP_MERGE):
            merged[name] = value
        else:
            merged[name] = _merge_value(
                schemata[name], before, value, strategies[name] == DEEP_MERGE
            )
            title = f'merge of parameter {name}'
            budget.charge_text(title, budget.count_characters(merged[name]))
            budget.charge_values(title, budget.count_values(merged[name]))
    return merged


def _merge_value(schema: ParameterSchema, old: Value, new: Value, deep: bool) -> Value:
    if schema.type == parameter_types.LIST:
        return _merge_lists(old, new)
    if schema.type == parameter_types.STRING and isinstance(old, str) and isinstance(new, str):
        return old + new
    if schema.type == parameter_types.JSON:
        return _merge_json(_decoded(schema, old), _decoded(schema, new), deep)
    raise ValueError(f'Values of the parameter "{schema.name}" ({schema.type}) cannot be merged')


def _merge_lists(old: Value, new: Value) -> Value:
    if isinstance(old, str) and isinstance(new, str):
        return ','.join(part for part in (old, new) if part)
    return [
        *parameter_types.parse(parameter_types.LIST, old),
        *parameter_types.parse(parameter_types.LIST, new),
    ]


def _decoded(schema: ParameterSchema, value: Value) -> dict[str, Value]:
    if not isinstance(value, str):
        return value
    try:
        return from_json(value)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f'The value of the parameter "{schema.name}" is not JSON: {error}'
        ) from error


def _merge_json(old: Value, new: Value, deep: bool) -> Value:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        if not deep:
            return {**old, **new}
        return {
            **old,
            **{
                key: _merge_json(old[key], value, True) if key in old else value
                for key, value in new.items()
            },
        }
    if isinstance(old, list) and isinstance(new, list):
        return old + new
    return old + new if isinstance(old, str) and isinstance(new, str) else new
