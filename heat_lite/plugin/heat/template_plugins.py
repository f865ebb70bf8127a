"""Functions and template versions of plug-ins that are written for Heat.

Heat constructs a function with the stack, and calls ``result()`` without arguments; here a tree is
resolved against a ``Scope``. The scope of the running call is kept aside for the plug-in's code.
"""

import contextvars
import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import NoReturn

from heat_lite.common.value_types import Value
from heat_lite.template import dialects, function, versions
from heat_lite.template.functions import cfn, lists_and_maps, logic, refs, strings

_HOT = 'heat_template_version'
_scope: contextvars.ContextVar[function.Scope] = contextvars.ContextVar('scope')
#: methods of a function that the service calls with a scope, and Heat without
SCOPED = ('result', 'validate')


def current_scope() -> function.Scope:
    """Return the scope of the running call; one without data outside of a call."""
    return _scope.get(function.Scope())


def resolve(snippet: Value, nullable: bool = False) -> Value:
    """Return the value of a parsed tree, as Heat's function of this name."""
    return function.resolve(snippet, current_scope())


def validate(snippet: Value, path: Iterable[str | int] | None = None) -> None:
    """Validate all functions of a parsed tree. Raises StackValidationFailed."""
    function.validate(snippet, tuple(path or ()), current_scope())


class _Parameters(Mapping[str, Value]):
    """The parameters of the stack, by name."""

    def __getitem__(self, name: str) -> Value:
        return current_scope().parameter(name)

    def __iter__(self) -> NoReturn:
        raise TypeError('heat_lite lists no parameters to functions of plug-ins')

    __len__ = __iter__


class StackScope:
    """What the ``stack`` of a function offers: parameters and files, while it is resolved."""

    parameters: Mapping[str, Value] = _Parameters()

    @staticmethod
    def file(name: str) -> str | None:
        return current_scope().file(name)


def _scoped(given: Callable[..., Value]) -> Callable[..., Value]:
    """Return a method of the service for one of a plug-in without the argument ``scope``."""

    @functools.wraps(given)
    def call(self: function.Function, scope: function.Scope | None = None) -> Value:
        if scope is None:
            return given(self)
        token = _scope.set(scope)
        try:
            return given(self)
        finally:
            _scope.reset(token)

    return call


class Function(function.Function):
    """``heat.engine.function.Function``: ``stack``, ``fn_name`` and ``args``."""

    def __init__(self, stack: StackScope, fn_name: str, args: Value) -> None:
        self.stack, self.fn_name = stack, fn_name
        super().__init__(fn_name, args)

    def __init_subclass__(cls, **options: Value) -> None:
        super().__init_subclass__(**options)
        for name in SCOPED:
            if name in vars(cls):
                setattr(cls, name, _scoped(vars(cls)[name]))

    @classmethod
    def parse(cls, parser: function.Parser, name: str, args: Value) -> function.Function:
        return cls(StackScope(), name, parser.parse(args))

    def validate(self, scope: function.Scope | None = None) -> None:
        super().validate(scope or current_scope())


class Macro(Function):
    """``heat.engine.function.Macro``: a function that is replaced by what it parses."""

    def __init__(
        self,
        stack: StackScope,
        fn_name: str,
        raw_args: Value,
        parse_func: Callable[[Value], Value],
        template: Value = None,
    ) -> None:
        self.stack, self.fn_name, self.template = stack, fn_name, template
        self.args = raw_args  # for parse_args
        self.parsed = self.parse_args(parse_func)
        super().__init__(stack, fn_name, self.parsed)

    @classmethod
    def parse(cls, parser: function.Parser, name: str, args: Value) -> function.Function:
        return cls(StackScope(), name, args, parser.parse)

    def parse_args(self, parse_func: Callable[[Value], Value]) -> Value:
        raise NotImplementedError

    def result(self, scope: function.Scope | None = None) -> Value:
        return resolve(self.parsed)


class Template:
    """Base of template classes; a subclass adds to ``functions`` and ``condition_functions``."""

    base: dialects.Version
    functions: Mapping[str, type[function.Function]] = {}
    condition_functions: Mapping[str, type[function.Function]] | None = None

    @classmethod
    def as_version(cls, name: str) -> dialects.Version:
        """Return the version of the service for a subclass."""
        return dataclasses.replace(
            cls.base,
            name=name,
            functions=dict(cls.functions),
            condition_functions=(
                None if cls.condition_functions is None else dict(cls.condition_functions)
            ),
        )


def _template_class(name: str, base: dialects.Version) -> type:
    members = {
        'base': base,
        'functions': dict(base.functions),
        'condition_functions': base.condition_functions,
    }
    return type(name, (Template,), members)


@functools.cache
def hot_templates() -> dict[str, type]:
    """Return ``{'HOTemplate20210416': class}`` of all HOT versions."""
    known = {version.name: version for version in versions.TABLE[_HOT].values()}
    return {
        f'HOTemplate{name.replace("-", "")}': _template_class(
            f'HOTemplate{name.replace("-", "")}', version
        )
        for name, version in known.items()
        if name.replace('-', '').isdigit()
    }


@functools.cache
def cfn_templates() -> dict[str, type]:
    """Return the classes of the CFN versions."""
    (aws,) = versions.TABLE['AWSTemplateFormatVersion'].values()
    (heat,) = versions.TABLE['HeatTemplateFormatVersion'].values()
    return {
        'CfnTemplate': _template_class('CfnTemplate', aws),
        'HeatTemplate': _template_class('HeatTemplate', heat),
    }


#: functions by their names in Heat, for tables of functions
HOT_FUNCTIONS = {
    'GetAtt': refs.GetAttr,
    'GetAttAllAttributes': refs.GetAttrAll,
    'GetAttThenSelect': refs.GetAttrLegacy,
    'JoinMultiple': strings.JoinLists,
    'MakeURL': strings.MakeUrl,
    'RepeatWithMap': lists_and_maps.RepeatMaps,
    'RepeatWithNestedLoop': lists_and_maps.RepeatWithPermutations,
    'ReplaceJsonStrict': strings.ReplaceStrict,
    'ReplaceJsonVeryStrict': strings.ReplaceVeryStrict,
    **{
        kind.__name__: kind
        for kind in (
            *(refs.GetFile, refs.GetParam, refs.GetResource, refs.ResourceFacade),
            *(strings.Digest, strings.Join, strings.Replace, strings.ReplaceJson),
            *(strings.StrSplit, logic.And, logic.Equals, logic.If, logic.IfNullable, logic.Not),
            *(logic.Or, logic.Removed, lists_and_maps.Contains, lists_and_maps.Filter),
            *(lists_and_maps.ListConcat, lists_and_maps.ListConcatUnique),
            *(lists_and_maps.MapMerge, lists_and_maps.MapReplace, lists_and_maps.Repeat),
        )
    },
}
CFN_FUNCTIONS = {
    'Base64': strings.CfnBase64,
    'FindInMap': cfn.CfnFindInMap,
    'GetAZs': cfn.CfnGetAZs,
    'GetAtt': refs.CfnGetAtt,
    'Join': strings.Join,
    'MemberListToMap': cfn.CfnMemberListToMap,
    'ParamRef': refs.ParamRef,
    'Ref': refs.Ref,
    'Replace': strings.CfnReplace,
    'ResourceFacade': refs.CfnResourceFacade,
    'Select': cfn.CfnSelect,
    'Split': strings.CfnSplit,
}
