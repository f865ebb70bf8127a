"""The versions of the template language: functions, sections and keys of each.

A HOT version is defined by its difference to the previous version.
"""

import inspect
from collections.abc import Iterator, Mapping

from heat_lite.common import exception
from heat_lite.common.value_types import Value
from heat_lite.template import checks, function
from heat_lite.template.dialects import CFN, HOT, OWN, VERSION_KEYS, Version
from heat_lite.template.function import Entry
from heat_lite.template.functions import cfn, lists_and_maps, logic, refs, strings
from heat_lite.template.parameters import parameter_schema
from heat_lite.template.suggest import suggest

#: Imported when a template first calls it, since the yaql library is slow to import.
YAQL = 'heat_lite.template.functions.yaql:Yaql'


_POLICIES = {policy: policy for policy in ('Delete', 'Retain', 'Snapshot')}
_LATER_POLICIES = {**_POLICIES, **{policy.lower(): policy for policy in _POLICIES}}
_REMOVED = dict.fromkeys(
    (
        'Fn::Base64 Fn::GetAZs Fn::Join Fn::MemberListToMap Fn::Replace Fn::ResourceFacade '
        'Fn::Split Ref'
    ).split(),
    logic.Removed,
)

_CFN_FUNCTIONS = {
    'Fn::Base64': strings.CfnBase64,
    'Fn::GetAZs': cfn.CfnGetAZs,
    'Fn::Join': strings.Join,
    'Fn::MemberListToMap': cfn.CfnMemberListToMap,
    'Fn::Replace': strings.CfnReplace,
    'Fn::ResourceFacade': refs.CfnResourceFacade,
    'Fn::Select': cfn.CfnSelect,
    'Fn::Split': strings.CfnSplit,
    'Ref': refs.Ref,
}
_HEAT_CFN_FUNCTIONS = {
    **_CFN_FUNCTIONS,
    'Fn::FindInMap': cfn.CfnFindInMap,
    'Fn::GetAtt': refs.CfnGetAtt,
}
_CFN_CONDITIONS = {
    'Fn::And': logic.And,
    'Fn::Equals': logic.Equals,
    'Fn::FindInMap': cfn.CfnFindInMap,
    'Fn::Not': logic.CfnNot,
    'Fn::Or': logic.Or,
    'Ref': refs.ParamRef,
}
_HOT_CONDITIONS = {
    'and': logic.And,
    'equals': logic.Equals,
    'get_param': refs.GetParam,
    'not': logic.Not,
    'or': logic.Or,
}

#: {HOT version: functions that it adds, replaces or removes}
_HOT_FUNCTIONS: dict[str, dict[str, Entry]] = {
    '2013-05-23': {
        **_CFN_FUNCTIONS,
        'get_attr': refs.GetAttrLegacy,
        'get_file': refs.GetFile,
        'get_param': refs.GetParam,
        'get_resource': refs.GetResource,
        'list_join': strings.Join,
        'resource_facade': refs.ResourceFacade,
        'str_replace': strings.Replace,
    },
    '2014-10-16': {**_REMOVED, 'get_attr': refs.GetAttr},
    '2015-04-30': {'digest': strings.Digest, 'repeat': lists_and_maps.Repeat},
    '2015-10-15': {
        'Fn::Select': logic.Removed,
        'get_attr': refs.GetAttrAll,
        'list_join': strings.JoinLists,
        'str_replace': strings.ReplaceJson,
        'str_split': strings.StrSplit,
    },
    '2016-04-08': {'map_merge': lists_and_maps.MapMerge},
    '2016-10-14': {
        'if': logic.If,
        'map_replace': lists_and_maps.MapReplace,
        'repeat': lists_and_maps.RepeatMaps,
        'yaql': YAQL,
    },
    '2017-02-24': {'filter': lists_and_maps.Filter, 'str_replace_strict': strings.ReplaceStrict},
    '2017-09-01': {
        'contains': lists_and_maps.Contains,
        'list_concat': lists_and_maps.ListConcat,
        'list_concat_unique': lists_and_maps.ListConcatUnique,
        'make_url': strings.MakeUrl,
        'repeat': lists_and_maps.RepeatWithPermutations,
        'str_replace_vstrict': strings.ReplaceVeryStrict,
    },
    '2018-03-02': {},
    '2018-08-31': {},
    '2021-04-16': {'if': logic.IfNullable},
    'heat_lite_2026-12-01': {},
}
_RELEASES = {
    'newton': '2016-10-14',
    'ocata': '2017-02-24',
    'pike': '2017-09-01',
    'queens': '2018-03-02',
    'rocky': '2018-08-31',
    'wallaby': '2021-04-16',
}
_HOT_PARAMETER = frozenset(parameter_schema.HOT_KEYS) - {'tags'}
_HOT_CONSTRAINTS = frozenset(parameter_schema.HOT_CONSTRAINTS) - {'modulo'}
_CFN_PARAMETER = frozenset(parameter_schema.CFN_KEYS)
_CFN_CONSTRAINTS = frozenset(
    'AllowedValues AllowedPattern MinLength MaxLength MinValue MaxValue'.split()
)


def _conditions(allowed: Mapping[str, Entry], functions: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the functions of condition definitions; other functions of the version are refused."""
    refused = {
        name: kind if kind is logic.Removed else logic.NotAllowed
        for name, kind in functions.items()
    }
    return {**refused, **allowed}


def _hot_versions() -> Iterator[Version]:
    functions: dict[str, Entry] = {}
    for name, changes in _HOT_FUNCTIONS.items():
        functions = {**functions, **changes}
        conditions: dict[str, Entry] = {
            **_HOT_CONDITIONS,
            **({'contains': lists_and_maps.Contains, 'yaql': YAQL} if name >= '2017-09-01' else {}),
        }
        later = name >= '2016-10-14'
        yield Version(
            name,
            'heat_template_version',
            OWN if name.startswith('heat_lite') else HOT,
            functions,
            _conditions(conditions, functions) if later else None,
            _HOT_PARAMETER | ({'tags'} if name >= '2018-03-02' else set()),
            _HOT_CONSTRAINTS | ({'modulo'} if name >= '2017-02-24' else set()),
            _LATER_POLICIES if later else _POLICIES,
        )


def _cfn_version(
    name: str,
    key: str,
    functions: Mapping[str, Entry],
    conditions: Mapping[str, Entry] | None,
) -> Version:
    return Version(
        name, key, CFN, functions, conditions, _CFN_PARAMETER, _CFN_CONSTRAINTS, _POLICIES
    )


def _table() -> dict[str, dict[str, Version]]:
    """Return ``{version key: {value in the template: Version}}``."""
    hot = {version.name: version for version in _hot_versions()}
    hot.update({release: hot[name] for release, name in _RELEASES.items()})
    aws_functions = {**_HEAT_CFN_FUNCTIONS, 'Fn::If': logic.If}
    aws = _cfn_version(
        '2010-09-09', VERSION_KEYS[1], aws_functions, _conditions(_CFN_CONDITIONS, aws_functions)
    )
    heat = _cfn_version('2012-12-12', VERSION_KEYS[2], _HEAT_CFN_FUNCTIONS, None)
    return {
        VERSION_KEYS[0]: hot,
        VERSION_KEYS[1]: {aws.name: aws},
        VERSION_KEYS[2]: {heat.name: heat},
    }


TABLE = _table()
_BUILT_IN = {key: frozenset(names) for key, names in TABLE.items()}


_VERSIONS = [version for names in TABLE.values() for version in names.values()]
_FUNCTIONS = sorted({name for version in _VERSIONS for name in version.functions})
_CONDITIONS = sorted({*_HOT_CONDITIONS, *_CFN_CONDITIONS, 'contains', 'yaql'})


def suggest_function(snippet: Value) -> str:
    """Return `` Did you mean "get_param"?`` for a map with a misspelt function name, else ''."""
    return _suggest_call(snippet, _FUNCTIONS)


def suggest_condition(snippet: Value) -> str:
    """Return a suggestion for a map with a misspelt condition function, else ''."""
    return _suggest_call(snippet, _CONDITIONS)


def _suggest_call(snippet: Value, functions: list[str]) -> str:
    name = next(iter(snippet)) if isinstance(snippet, dict) and len(snippet) == 1 else None
    return suggest(name, functions) if name not in functions else ''


def register(key: str, name: str, version: Version) -> None:
    """Add a version of the template language.

    Raises TypeError for an invalid key or version, ValueError for a built-in name.
    """
    if not isinstance(version, Version) or key not in TABLE:
        raise TypeError(f'{key}: {version!r} is no version of the template language')
    if name in _BUILT_IN[key]:
        raise ValueError(f'There is a version {key}.{name} already')
    TABLE[key][name] = version


def template_version(data: Mapping[str, Value]) -> Version:
    """Return the version of a template.

    Raises InvalidTemplateVersion if the template has no version, two versions or an unknown one.
    """
    given = {key: data[key] for key in TABLE if isinstance(data.get(key), str)}
    if not given:
        error = exception.InvalidTemplateVersion(explanation='Template version was not provided')
        raise error.with_hint(checks.version_hint(data))
    if len(given) > 1:
        raise exception.InvalidTemplateVersion(
            explanation=f'Ambiguous versions ({", ".join(sorted(given))})'
        )
    [(key, name)] = given.items()
    if name not in TABLE[key]:
        # as recorded of Heat: without what it does not have
        known = sorted(each for each, row in TABLE[key].items() if row.dialect is not OWN)
        should = (
            f'should be one of: {", ".join(known)}' if len(known) > 1 else f'should be: {known[0]}'
        )
        raise exception.InvalidTemplateVersion(explanation=f'"{key}: {name}". "{key}" {should}')
    return TABLE[key][name]


def suggest_version(data: Mapping[str, Value]) -> str:
    """Return a suggestion for the unknown version of a template, '' if none is similar."""
    keys = [key for key in TABLE if key in data]
    return suggest(data[keys[0]], TABLE[keys[0]]) if len(keys) == 1 else ''


def list_versions() -> list[dict]:
    """Return all versions, with release names as aliases."""
    listed = []
    for key in sorted(TABLE):
        names = TABLE[key]
        for name in sorted(set(version.name for version in names.values())):
            aliases = [
                f'{key}.{alias}'
                for alias, version in names.items()
                if version.name == name != alias
            ]
            dialect = 'hot' if key == 'heat_template_version' else 'cfn'
            listed.append({'version': f'{key}.{name}', 'type': dialect, 'aliases': aliases})
    return listed


def list_functions(full_name: str, with_condition: bool = False) -> list[dict] | None:
    """Return names and descriptions of the functions of a version, None if it is unknown.

    ``full_name`` is as in ``heat_template_version.2021-04-16``. ``with_condition`` adds the
    functions that only conditions may use.
    """
    key, _, name = full_name.partition('.')
    version = TABLE.get(key, {}).get(name)
    if version is None:
        return None
    table = dict(version.functions)
    if with_condition:
        table.update(version.condition_functions or {})
        table.update(version.functions)
    classes = {name: function.load_class(entry) for name, entry in table.items()}
    return [
        {'functions': name, 'description': _description(kind)}
        for name, kind in classes.items()
        if not issubclass(kind, (logic.Removed, logic.NotAllowed))
    ]


def _description(kind: type) -> str:
    return (inspect.getdoc(kind) or '').split('\n\n')[0].replace('\n', ' ')
