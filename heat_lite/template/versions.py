"""The versions of the template language, one row each: which functions, sections and keys it knows.

A version is its predecessor with something added, replaced or removed.
"""

import dataclasses
import types
import typing

from heat_lite.common import exception
from heat_lite.template.functions import cfn, collections, logic, refs, strings
from heat_lite.template.suggest import suggest

#: Loaded when a template first calls it: the library behind it is heavy.
YAQL = 'heat_lite.template.functions.yaql:Yaql'


@dataclasses.dataclass(frozen=True)
class Dialect:
    """How HOT or CFN spell things. ``sections``, ``resource`` and ``output`` go from HOT's words to the dialect's own."""

    name: str
    sections: typing.Mapping[str, str]
    resource: typing.Mapping[str, str]
    output: typing.Mapping[str, str]
    pseudo_parameters: tuple


def _words(names, spelling=str):
    return types.MappingProxyType({name: spelling(name) for name in names.split()})


def _camel(name):
    return ''.join(word.capitalize() for word in name.split('_'))


_SECTIONS = 'description parameters conditions resources outputs'
_RESOURCE = 'type properties metadata depends_on deletion_policy update_policy description condition'
_OUTPUT = 'value description condition'

HOT = Dialect(
    'hot',
    _words(f'{_SECTIONS} parameter_groups'),
    _words(f'{_RESOURCE} external_id'),
    _words(_OUTPUT),
    ('OS::stack_id', 'OS::stack_name', 'OS::project_id'),
)
CFN = Dialect(
    'cfn',
    _words(f'{_SECTIONS} mappings', _camel),
    _words(_RESOURCE, _camel),
    _words(_OUTPUT, _camel),
    ('AWS::StackId', 'AWS::StackName', 'AWS::Region'),
)


@dataclasses.dataclass(frozen=True)
class Version:
    """One version. ``functions`` and ``condition_functions`` are tables name -> class, for Parser."""

    name: str
    key: str
    dialect: Dialect
    functions: typing.Mapping
    condition_functions: typing.Mapping | None
    parameter_keys: frozenset
    parameter_constraints: frozenset
    deletion_policies: typing.Mapping[str, str]

    @property
    def has_conditions(self):
        return self.condition_functions is not None

    @property
    def sections(self):
        """The names of all sections that a template of this version may have."""
        known = set(self.dialect.sections.values()) | ({self.key} if self.dialect is HOT else set(_VERSION_KEYS[1:]))
        return known if self.has_conditions else known - {self.dialect.sections['conditions']}

    @property
    def resource_keys(self):
        """The keys that a resource may have in this version."""
        known = set(self.dialect.resource.values())
        return known if self.has_conditions else known - {self.dialect.resource['condition'], 'external_id'}

    @property
    def output_keys(self):
        """The keys that an output may have in this version."""
        known = set(self.dialect.output.values())
        return known if self.has_conditions else known - {self.dialect.output['condition']}


_POLICIES = {policy: policy for policy in ('Delete', 'Retain', 'Snapshot')}
_LATER_POLICIES = {**_POLICIES, **{policy.lower(): policy for policy in _POLICIES}}
_REMOVED = dict.fromkeys(
    'Fn::Base64 Fn::GetAZs Fn::Join Fn::MemberListToMap Fn::Replace Fn::ResourceFacade Fn::Split Ref'.split(), logic.Removed
)

_CFN_FUNCTIONS = {
    'Fn::Base64': strings.Base64,
    'Fn::GetAZs': cfn.GetAZs,
    'Fn::Join': strings.Join,
    'Fn::MemberListToMap': cfn.MemberListToMap,
    'Fn::Replace': strings.CfnReplace,
    'Fn::ResourceFacade': refs.CfnFacade,
    'Fn::Select': cfn.Select,
    'Fn::Split': strings.CfnSplit,
    'Ref': refs.Ref,
}
_HEAT_CFN_FUNCTIONS = {**_CFN_FUNCTIONS, 'Fn::FindInMap': cfn.FindInMap, 'Fn::GetAtt': refs.GetAtt}
_CFN_CONDITIONS = {
    'Fn::And': logic.And,
    'Fn::Equals': logic.Equals,
    'Fn::FindInMap': cfn.FindInMap,
    'Fn::Not': logic.CfnNot,
    'Fn::Or': logic.Or,
    'Ref': refs.ParamRef,
}
_HOT_CONDITIONS = {'and': logic.And, 'equals': logic.Equals, 'get_param': refs.GetParam, 'not': logic.Not, 'or': logic.Or}

#: What each HOT version says differently from the one before it.
_HOT_FUNCTIONS = {
    '2013-05-23': {
        **_CFN_FUNCTIONS,
        'get_attr': refs.GetAttrThenSelect,
        'get_file': refs.GetFile,
        'get_param': refs.GetParam,
        'get_resource': refs.GetResource,
        'list_join': strings.Join,
        'resource_facade': refs.Facade,
        'str_replace': strings.Replace,
    },
    '2014-10-16': {**_REMOVED, 'get_attr': refs.GetAttr},
    '2015-04-30': {'digest': strings.Digest, 'repeat': collections.Repeat},
    '2015-10-15': {
        'Fn::Select': logic.Removed,
        'get_attr': refs.GetAnyAttr,
        'list_join': strings.JoinLists,
        'str_replace': strings.ReplaceJson,
        'str_split': strings.StrSplit,
    },
    '2016-04-08': {'map_merge': collections.MapMerge},
    '2016-10-14': {'if': logic.If, 'map_replace': collections.MapReplace, 'repeat': collections.RepeatMaps, 'yaql': YAQL},
    '2017-02-24': {'filter': collections.Filter, 'str_replace_strict': strings.ReplaceStrict},
    '2017-09-01': {
        'contains': collections.Contains,
        'list_concat': collections.ListConcat,
        'list_concat_unique': collections.ListConcatUnique,
        'make_url': strings.MakeUrl,
        'repeat': collections.RepeatTogether,
        'str_replace_vstrict': strings.ReplaceVeryStrict,
    },
    '2018-03-02': {},
    '2018-08-31': {},
    '2021-04-16': {'if': logic.IfNullable},
}
_RELEASES = {
    'newton': '2016-10-14',
    'ocata': '2017-02-24',
    'pike': '2017-09-01',
    'queens': '2018-03-02',
    'rocky': '2018-08-31',
    'wallaby': '2021-04-16',
}
_HOT_PARAMETER = frozenset('constraints default description hidden immutable label schema type'.split())
_HOT_CONSTRAINTS = frozenset('length range allowed_values allowed_pattern custom_constraint'.split())
_CFN_PARAMETER = frozenset(
    'AllowedPattern AllowedValues ConstraintDescription Default Description Label MaxLength MaxValue MinLength MinValue NoEcho Type'.split()
)
_CFN_CONSTRAINTS = frozenset('AllowedValues AllowedPattern MinLength MaxLength MinValue MaxValue'.split())
_VERSION_KEYS = ('heat_template_version', 'AWSTemplateFormatVersion', 'HeatTemplateFormatVersion')


def _conditions(allowed, functions):
    """The table for definitions of conditions: what is allowed there, and the version's other functions, refused."""
    refused = {name: kind if kind is logic.Removed else logic.NotAllowed for name, kind in functions.items()}
    return {**refused, **allowed}


def _hot_versions():
    functions = {}
    for name, changes in _HOT_FUNCTIONS.items():
        functions = {**functions, **changes}
        conditions = {**_HOT_CONDITIONS, **({'contains': collections.Contains, 'yaql': YAQL} if name >= '2017-09-01' else {})}
        later = name >= '2016-10-14'
        yield Version(
            name,
            'heat_template_version',
            HOT,
            functions,
            _conditions(conditions, functions) if later else None,
            _HOT_PARAMETER | ({'tags'} if name >= '2018-03-02' else set()),
            _HOT_CONSTRAINTS | ({'modulo'} if name >= '2017-02-24' else set()),
            _LATER_POLICIES if later else _POLICIES,
        )


def _cfn_version(name, key, functions, conditions):
    return Version(name, key, CFN, functions, conditions, _CFN_PARAMETER, _CFN_CONSTRAINTS, _POLICIES)


def _table():
    """``{key: {name in the template: Version}}``"""
    hot = {version.name: version for version in _hot_versions()}
    hot.update({release: hot[name] for release, name in _RELEASES.items()})
    aws_functions = {**_HEAT_CFN_FUNCTIONS, 'Fn::If': logic.If}
    aws = _cfn_version('2010-09-09', _VERSION_KEYS[1], aws_functions, _conditions(_CFN_CONDITIONS, aws_functions))
    heat = _cfn_version('2012-12-12', _VERSION_KEYS[2], _HEAT_CFN_FUNCTIONS, None)
    return {_VERSION_KEYS[0]: hot, _VERSION_KEYS[1]: {aws.name: aws}, _VERSION_KEYS[2]: {heat.name: heat}}


TABLE = _table()
_BUILT_IN = {key: frozenset(names) for key, names in TABLE.items()}


_VERSIONS = [version for names in TABLE.values() for version in names.values()]
_FUNCTIONS = sorted({name for version in _VERSIONS for name in version.functions})
_CONDITIONS = sorted({*_HOT_CONDITIONS, *_CFN_CONDITIONS, 'contains', 'yaql'})


def meant_function(snippet):
    """`` Did you mean "get_param"?`` for a map that is no call only because the name of the function is misspelt, else nothing."""
    return _meant(snippet, _FUNCTIONS)


def meant_condition(snippet):
    """The same for a map where a condition is wanted."""
    return _meant(snippet, _CONDITIONS)


def _meant(snippet, functions):
    name = next(iter(snippet)) if isinstance(snippet, dict) and len(snippet) == 1 else None
    return suggest(name, functions) if name not in functions else ''


def add(key, name, version):
    """Let templates say that they are of another version. Raises TypeError for what is no version, ValueError for one that there is."""
    if not isinstance(version, Version) or key not in TABLE:
        raise TypeError(f'{key}: {version!r} is no version of the template language')
    if name in _BUILT_IN[key]:
        raise ValueError(f'There is a version {key}.{name} already')
    TABLE[key][name] = version


def of_template(data):
    """The version that a template says it is written in; InvalidTemplateVersion when it says none, two or an unknown one."""
    said = {key: data[key] for key in TABLE if isinstance(data.get(key), str)}
    if not said:
        raise exception.InvalidTemplateVersion(explanation='Template version was not provided')
    if len(said) > 1:
        raise exception.InvalidTemplateVersion(explanation=f'Ambiguous versions ({", ".join(sorted(said))})')
    [(key, name)] = said.items()
    if name not in TABLE[key]:
        known = sorted(TABLE[key])
        should = f'should be one of: {", ".join(known)}' if len(known) > 1 else f'should be: {known[0]}'
        raise exception.InvalidTemplateVersion(explanation=f'"{key}: {name}". "{key}" {should}')
    return TABLE[key][name]
