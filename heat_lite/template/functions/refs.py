"""Functions that refer to parameters, resources, attributes, files and the resource facade."""

import functools
from collections.abc import Collection

from heat_lite.common import exception
from heat_lite.common.value_texts import bare
from heat_lite.common.value_types import Value
from heat_lite.template import attributes
from heat_lite.template.function import Function, Parser, Reference, Scope, dependencies, resolve
from heat_lite.template.functions import budget
from heat_lite.template.suggest import quote_hint, suggest
from heat_lite.template.unknown import STRING, Unknown, require_known


class GetParam(Function):
    """{get_param: name} or {get_param: [name, key or index, ...]} returns a parameter's value.

    A path that does not exist in the value gives an empty string.
    """

    def result(self, scope: Scope) -> Value:
        name, *path = self._arguments(scope)
        require_known(name)
        if not isinstance(name, str):
            text = f'Parameter name in "{self.name}" must be string'
            raise TypeError(exception.append_hint(text, quote_hint(name)))
        value = scope.parameter(name)
        try:
            value = functools.reduce(attributes.step, path, value)
        except (KeyError, IndexError, TypeError, ValueError):
            return ''
        budget.charge_value(self.name, value)
        return value

    def _arguments(self, scope: Scope) -> list[Value]:
        args = resolve(self.args, scope)
        if args is not False and not isinstance(args, Unknown) and not args:
            raise ValueError(f'Function "{self.name}" must have arguments')
        if isinstance(args, str | Unknown):
            return [args]
        if not isinstance(args, list):
            text = f'Argument to "{self.name}" must be string or list'
            raise TypeError(exception.append_hint(text, quote_hint(args)))
        return args


class ParamRef(Function):
    """{Ref: parameter} returns the value of a parameter."""

    resources: Collection[str]

    @classmethod
    def parse(cls, parser: Parser, name: str, args: Value) -> Function:
        node = cls(name, parser.parse(args))
        node.resources = parser.resources
        return node

    def check(self) -> None:
        if isinstance(self.args, dict | list):
            raise TypeError(f'Argument to "{self.name}" must be a string')

    def result(self, scope: Scope) -> Value:
        name = resolve(self.args, scope)
        try:
            value = scope.parameter(name)
        except (KeyError, exception.UserParameterMissing):
            if isinstance(name, str) and name in scope.parameter_names():
                raise
            raise self._unknown(name, scope) from None
        budget.charge_value(self.name, value)
        return value

    def _unknown(self, name: Value, scope: Scope) -> exception.InvalidTemplateReference:
        error = exception.InvalidTemplateReference(resource=bare(name), key='unknown')
        what = 'parameter or resource' if self.resources else 'parameter'
        hint = suggest(name, [*scope.parameter_names(), *self.resources])
        return error.with_hint(f' No {what} has this name.{hint}')


class GetResource(Reference):
    """{get_resource: name} returns the reference id of a resource."""

    @classmethod
    def parse(cls, parser: Parser, name: str, args: Value) -> Function:
        node = super().parse(parser, name, args)
        # as in Heat, which does not look at the argument in a template without resources
        if isinstance(node.args, list | dict) and parser.resources:
            raise TypeError(f'Argument to "{name}" must be a string')
        return node

    def resolve_names(self, parser: Parser) -> None:
        if isinstance(self.args, Function):
            self.args = _resolve_if_possible(self.args, parser)

    def resource_name(self) -> str | None:
        return None if isinstance(self.args, Function | Unknown) else str(self.args)

    def result(self, scope: Scope) -> Value:
        name = resolve(self.args, scope)
        self.require_known(name)
        return scope.reference(name)


class Ref(Function):
    """{Ref: name} returns the reference id of a resource or the value of a parameter.

    A resource takes precedence over a parameter of the same name.
    """

    @classmethod
    def parse(cls, parser: Parser, name: str, args: Value) -> Function:
        if isinstance(args, dict | list):
            raise TypeError(f'Argument to "{name}" must be a string')
        kind = GetResource if args in parser.resources else ParamRef
        return kind.parse(parser, name, args)


class GetAttr(Reference):
    """{get_attr: [resource, attribute, key or index, ...]} returns an attribute of a resource.

    The resource type evaluates the path.
    """

    min_args = 2
    usage = 'Arguments to "{}" must be of the form [resource_name, attribute, (path), ...]'

    def check(self) -> None:
        if self.is_empty():
            raise ValueError(self.usage.format(self.name))
        if not isinstance(self.args, list):
            raise TypeError(f'Argument to "{self.name}" must be a list')
        if len(self.args) < self.min_args:
            raise ValueError(self.usage.format(self.name))
        if any(isinstance(arg, list | dict) for arg in self.args[2:]):
            raise ValueError(f'The path of "{self.name}" consists of keys and indexes, not of maps')

    def is_empty(self) -> bool:
        return not self.args

    def resolve_names(self, parser: Parser) -> None:
        if any(isinstance(arg, Function) for arg in self.args):
            self.args = [
                _resolve_if_possible(arg, parser) if isinstance(arg, Function) else arg
                for arg in self.args
            ]

    def resource_name(self) -> str | None:
        name = self.args[0]
        if isinstance(name, Unknown):
            return None
        if isinstance(name, GetResource):
            # Until the resource exists its reference is its name, as in Heat.
            return name.resource_name()
        # Heat's error message shows 'None' for a name that depends on another resource
        return 'None' if isinstance(name, Function) else str(name)

    def attribute_path(self) -> tuple | None:
        """Return ``(attribute, key, ...)``, cut off before the first part that is a function."""
        if isinstance(self.args[0], Unknown):
            return None
        path = []
        for part in self.args[1:]:
            if isinstance(part, Function | list | dict | Unknown):
                break
            path.append(part)
        return tuple(path)

    def validate(self, scope: Scope | None = None) -> None:
        super().validate(scope)
        name, *path = self.args
        if isinstance(name, GetResource):
            name = name.resource_name()
        self.require_known(name)
        require_known(path[:1])
        if path and isinstance(path[0], Function):
            self._refuse_dependent(name, path[0])
            if scope is not None and scope.knows_values:
                resolve(path[0], scope)  # raises for a parameter without a value
        elif path:
            if not isinstance(path[0], str):
                raise exception.InvalidTemplateAttribute(resource=name, key=bare(path[0]))
            if scope is not None:
                scope.check_attribute(name, path[0])
            if scope is not None and scope.knows_values:
                self._refuse_unresolved(path)

    def _refuse_dependent(self, resource_name: str, attribute: Function) -> None:
        """Raise an error for an attribute whose name depends on another resource, as Heat does."""
        if isinstance(attribute, GetResource):
            key = attribute.resource_name()
            raise exception.InvalidTemplateAttribute(resource=resource_name, key=key)
        if dependencies(attribute):
            raise ValueError(f'The attribute of "{self.name}" cannot depend on another resource')

    def _refuse_unresolved(self, path: tuple) -> None:
        """Raise InvalidTemplateAttribute for a parameter without a value, a missing file or an
        unknown resource.
        """
        if any(isinstance(each, Function) and not _can_have_value(each) for each in path[1:]):
            raise exception.InvalidTemplateAttribute(resource=self.args[0], key=path[0])

    def result(self, scope: Scope) -> Value:
        name, *path = resolve(self.args, scope)
        self.require_known(name)
        require_known(path)
        value = self.read_attribute(scope, name, path)
        budget.charge_value(self.name, value)
        return value

    def read_attribute(self, scope: Scope, name: str, path: tuple) -> Value:
        return scope.attribute(name, *path)


class GetAttrLegacy(GetAttr):
    """{get_attr: [resource, attribute, key or index, ...]} returns an attribute of a resource.

    In version 2013-05-23 the function evaluates the path in the value of the attribute.
    """

    def is_empty(self) -> bool:
        return self.args == []

    def read_attribute(self, scope: Scope, name: str, path: tuple) -> Value:
        return attributes.select(scope.attribute(name, path[0]), path[1:])


class GetAttrAll(GetAttr):
    """{get_attr: [resource, attribute, key or index, ...]} returns an attribute of a resource.

    Since 2015-10-15 a resource without an attribute gives a map of all of its attributes.
    """

    min_args = 1
    usage = (
        'Arguments to "{}" can be of the next forms: '
        '[resource_name] or [resource_name, attribute, (path), ...]'
    )

    @classmethod
    def parse(cls, parser: Parser, name: str, args: Value) -> Function:
        if isinstance(args, str) and args in parser.resources:
            args = [args]
        elif isinstance(args, list) and args[1:2] == [None]:
            args = args[:1]  # a null attribute stands for all attributes
        return super().parse(parser, name, args)


class CfnGetAtt(GetAttr):
    """{Fn::GetAtt: [resource, attribute]} returns an attribute of a resource."""

    usage = 'Arguments to "{}" must be of the form [resource_name, attribute]'

    def check(self) -> None:
        self.require_arguments(2, self.usage.format(self.name))


class GetFile(Function):
    """A function for including a file inline.

    {get_file: name} returns the content of a file that came with the template.
    """

    gives = STRING

    def result(self, scope: Scope) -> Value:
        name = resolve(self.args, scope)
        require_known(name)
        if not isinstance(name, str):
            raise TypeError(f'Argument to "{self.name}" must be a string')
        try:
            content = scope.file(name)
        except KeyError:
            content = None
        if content is None:
            raise ValueError(
                f'No content found in the "files" section for {self.name} path: {name}'
            )
        budget.charge_value(self.name, content)
        return content


class ResourceFacade(Function):
    """{resource_facade: key} returns a part of the resource that owns this nested stack."""

    keys = {
        'metadata': 'metadata',
        'deletion_policy': 'deletion_policy',
        'update_policy': 'update_policy',
    }

    def check(self) -> None:
        if not isinstance(self.args, str) or self.args not in self.keys:
            raise ValueError(
                f'Incorrect arguments to "{self.name}" should be one of: {", ".join(self.keys)}'
            )

    def result(self, scope: Scope) -> Value:
        return scope.facade(self.keys[self.args])


class CfnResourceFacade(ResourceFacade):
    """{Fn::ResourceFacade: key} returns a part of the resource that owns this nested stack."""

    keys = {
        'Metadata': 'metadata',
        'DeletionPolicy': 'deletion_policy',
        'UpdatePolicy': 'update_policy',
    }


def _can_have_value(node: Function) -> bool:
    """Return whether the value of a node depends on resources, and they exist."""
    if isinstance(node, GetResource) and (name := node.resource_name()) is not None:
        return name in node.known
    return bool(dependencies(node))


def _resolve_if_possible(node: Function, parser: Parser) -> Value:
    """Return the value of a node from parameters and files; the node itself if it needs more."""
    try:
        return resolve(node, parser.scope)
    except (exception.HeatException, ValueError, TypeError, KeyError, IndexError):
        return node
