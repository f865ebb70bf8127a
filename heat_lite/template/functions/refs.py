"""Functions that ask for something by name: parameters, resources, attributes, files, the facade."""

import functools

from heat_lite.common import exception
from heat_lite.template import attributes
from heat_lite.template.function import Function, Reference, resolve


class GetParam(Function):
    """{get_param: name} or {get_param: [name, key or index, ...]}; what is not there at the path is an empty string."""

    __slots__ = ()

    def result(self, scope):
        name, *path = self._arguments(scope)
        if not isinstance(name, str):
            raise TypeError(f'Parameter name in "{self.name}" must be string')
        value = scope.parameter(name)
        try:
            return functools.reduce(_step, path, value)
        except (KeyError, IndexError, TypeError, ValueError):
            return ''

    def _arguments(self, scope):
        args = resolve(self.args, scope)
        if not args:
            raise ValueError(f'Function "{self.name}" must have arguments')
        if isinstance(args, str):
            return [args]
        if not isinstance(args, list):
            raise TypeError(f'Argument to "{self.name}" must be string or list')
        return args


def _step(value, key):
    """What is one key or index further inside; indexes may be texts."""
    if isinstance(value, dict):
        return value[key]
    if isinstance(value, list | str):
        return value[int(key) if isinstance(key, str) else key]
    raise KeyError(key)


class ParamRef(Function):
    """{Ref: parameter}"""

    __slots__ = ()

    def result(self, scope):
        name = resolve(self.args, scope)
        try:
            return scope.parameter(name)
        except (KeyError, exception.UserParameterMissing):
            raise exception.InvalidTemplateReference(resource=name, key='unknown') from None


class GetResource(Reference):
    """{get_resource: name}: the reference id of a resource."""

    __slots__ = ()

    def settle(self, parser):
        if isinstance(self.args, Function):
            self.args = _now(self.args, parser)

    def resource_name(self):
        return None if isinstance(self.args, Function) else str(self.args)

    def result(self, scope):
        name = resolve(self.args, scope)
        self.require_known(name)
        return scope.reference(name)


class Ref(Function):
    """{Ref: name}: of a resource when there is one of that name, else of a parameter."""

    __slots__ = ()

    @classmethod
    def parse(cls, parser, name, args):
        if isinstance(args, dict | list):
            raise TypeError(f'Argument to "{name}" must be a string')
        kind = GetResource if args in parser.resources else ParamRef
        return kind.parse(parser, name, args)


class GetAttr(Reference):
    """{get_attr: [resource, attribute, key or index, ...]}; the resource's own type looks up the path."""

    __slots__ = ()

    least = 2
    usage = 'Arguments to "{}" must be of the form [resource_name, attribute, (path), ...]'

    def check(self):
        if self.is_empty():
            raise ValueError(self.usage.format(self.name))
        if not isinstance(self.args, list):
            raise TypeError(f'Argument to "{self.name}" must be a list')
        if len(self.args) < self.least:
            raise ValueError(self.usage.format(self.name))

    def is_empty(self):
        return not self.args

    def settle(self, parser):
        if any(isinstance(arg, Function) for arg in self.args):
            self.args = [_now(arg, parser) if isinstance(arg, Function) else arg for arg in self.args]

    def resource_name(self):
        # a name that only another resource can tell is no name: the text is what the error message then says
        return 'None' if isinstance(self.args[0], Function) else str(self.args[0])

    def attribute_path(self):
        """The attribute and the path in it as a tuple, cut before the first part that is not known yet."""
        path = []
        for part in self.args[1:]:
            if isinstance(part, Function | list | dict):
                break
            path.append(part)
        return tuple(path)

    def validate(self, scope=None):
        super().validate(scope)
        name, *path = self.args
        self.require_known(name)
        if path and not isinstance(path[0], Function):
            if not isinstance(path[0], str):
                raise exception.InvalidTemplateAttribute(resource=name, key=path[0])
            if scope is not None:
                scope.check_attribute(name, path[0])

    def result(self, scope):
        name, *path = resolve(self.args, scope)
        self.require_known(name)
        return self.look_up(scope, name, path)

    def look_up(self, scope, name, path):
        return scope.attribute(name, *path)


class GetAttrThenSelect(GetAttr):
    """The oldest get_attr: the path is looked up in the value of the attribute, here."""

    __slots__ = ()

    def is_empty(self):
        return self.args == []

    def look_up(self, scope, name, path):
        return attributes.select(scope.attribute(name, path[0]), path[1:])


class GetAnyAttr(GetAttr):
    """The later get_attr: a resource alone, by name or in a list, means all of its attributes."""

    __slots__ = ()

    least = 1
    usage = 'Arguments to "{}" can be of the next forms: [resource_name] or [resource_name, attribute, (path), ...]'

    @classmethod
    def parse(cls, parser, name, args):
        if isinstance(args, str) and args in parser.resources:
            args = [args]
        elif isinstance(args, list) and args[1:2] == [None]:
            args = args[:1]  # null for the attribute means all of them
        return super().parse(parser, name, args)


class GetAtt(GetAttr):
    """{Fn::GetAtt: [resource, attribute]}"""

    __slots__ = ()

    usage = 'Arguments to "{}" must be of the form [resource_name, attribute]'

    def check(self):
        if not isinstance(self.args, list) or len(self.args) != 2:
            raise ValueError(self.usage.format(self.name))


class GetFile(Function):
    """A function for including a file inline.

    {get_file: name}: the content of a file that came with the template.
    """

    __slots__ = ()

    def result(self, scope):
        name = resolve(self.args, scope)
        if not isinstance(name, str):
            raise TypeError(f'Argument to "{self.name}" must be a string')
        try:
            content = scope.file(name)
        except KeyError:
            content = None
        if content is None:
            raise ValueError(f'No content found in the "files" section for {self.name} path: {name}')
        return content


class Facade(Function):
    """{resource_facade: metadata}: what the resource says that the nested stack is the inside of."""

    __slots__ = ()

    keys = {'metadata': 'metadata', 'deletion_policy': 'deletion_policy', 'update_policy': 'update_policy'}

    def check(self):
        if not isinstance(self.args, str) or self.args not in self.keys:
            raise ValueError(f'Incorrect arguments to "{self.name}" should be one of: {", ".join(self.keys)}')

    def result(self, scope):
        return scope.facade(self.keys[self.args])


class CfnFacade(Facade):
    """{Fn::ResourceFacade: Metadata}"""

    __slots__ = ()

    keys = {'Metadata': 'metadata', 'DeletionPolicy': 'deletion_policy', 'UpdatePolicy': 'update_policy'}


def _now(node, parser):
    """What a node gives with what is known when the template is bound; the node itself if that does not suffice."""
    try:
        return resolve(node, parser.scope)
    except (exception.HeatException, ValueError, TypeError, KeyError, IndexError):
        return node
