"""Which class stands behind a type name. The engine gets its types handed in: it imports none of them."""

import fnmatch
import importlib
import logging

from heat_lite.clients import errors
from heat_lite.clients.kinds import KINDS
from heat_lite.common import exception
from heat_lite.template import constraints, values
from heat_lite.template.registry import TEMPLATE, TypeRegistry, is_template
from heat_lite.template.suggest import suggest

LOG = logging.getLogger(__name__)


class Registry:
    """Types by name; a type's module is imported when the type is first used.

    ``places`` is ``{type name: (module, class name)}``. ``checks`` is ``{custom constraint: callable(stack, value)}``, which answers
    None or the reason why the value is none of that kind. ``template_type`` is the (module, class name) behind types that are templates.
    ``mappings`` is the operator's TypeRegistry, asked after that of a stack's environment; ``files`` are the templates that it names.
    """

    def __init__(self, places, checks=None, template_type=None, mappings=None, files=None):
        self._places = dict(places)
        self._classes = {}
        self._checks = dict(checks or {})
        self._template_type = template_type
        self._mappings = mappings or TypeRegistry()
        self.files = dict(files or {})
        #: clients and event sinks that third parties have added, by name
        self.client_plugins, self.event_sinks = {}, {}

    def names(self):
        """Of all types, those among them that are templates of the operator's."""
        return sorted({*self._places, *self._templates()})

    def _templates(self):
        return {name for name, target in self._mappings.as_dict().items() if is_template(target)}

    def knows(self, type_name):
        return type_name in self._places

    def get(self, type_name):
        """The class of a type. Raises EntityNotFound when there is none of that name."""
        kind = self._classes.get(type_name)
        if kind is None and type_name not in self._places and type_name in self._templates():
            kind = self._classes[type_name] = self._described(type_name)
        if kind is None:
            if type_name not in self._places:
                raise exception.EntityNotFound(entity='Resource Type', name=type_name).with_hint(suggest(type_name, self._places))
            module, name = self._places[type_name]
            kind = self._classes[type_name] = getattr(importlib.import_module(module), name)
        return kind

    def _described(self, type_name):
        """A class that says what a template offers as a type. It is never made a resource of."""
        target = self._mappings.resolve(type_name, None, self.knows).target
        return importlib.import_module(self._template_type[0]).described(type_name, target, self.files)

    def register(self, type_name, kind):
        """Add a type whose class is there already (plug-ins)."""
        kind.resource_type = kind.resource_type or type_name
        self._places[type_name] = (kind.__module__, kind.__name__)
        self._classes[type_name] = kind

    def class_for(self, environment, type_name, resource_name):
        """The class of a type as the environment of a stack maps it. Raises StackValidationFailed where there is none."""
        resolution = self._resolve(environment, type_name, resource_name)
        return self._template_class() if resolution.kind == TEMPLATE else self.get(resolution.target)

    def template_of(self, environment, type_name, resource_name):
        """The file or URL of the template that a type stands for; None for a built-in type."""
        resolution = self._resolve(environment, type_name, resource_name)
        return resolution.target if resolution.kind == TEMPLATE else None

    def _resolve(self, environment, type_name, resource_name):
        """By the stack's environment, then by the operator's."""
        try:
            found = environment.registry.resolve(type_name, resource_name, lambda name: not is_template(name))
            return found if found.kind == TEMPLATE else self._mappings.resolve(found.target, None, self.knows)
        except exception.EntityNotFound:
            known = [*environment.registry.names(), *self._places]
            raise exception.EntityNotFound(entity='Resource Type', name=type_name).with_hint(suggest(type_name, known)) from None

    def _template_class(self):
        module, name = self._template_type
        return getattr(importlib.import_module(module), name)

    def matching(self, pattern):
        return [name for name in self.names() if fnmatch.fnmatchcase(name, pattern)]

    def add_check(self, kind, check):
        """Add a custom constraint (plug-ins)."""
        self._checks[kind] = check

    def lookup(self, stack, kind, value):
        """None when ``value`` names a ``kind`` of thing, else the reason why not. Raises UnknownConstraint for an unknown kind."""
        if kind in self._checks:
            return self._checks[kind](stack, value)
        if kind not in KINDS:
            raise constraints.UnknownConstraint(kind, [*self._checks, *KINDS])
        return stack.clients().refusal(kind, value)

    def find(self, stack, kind, value):
        """The id of the object of the cloud that ``value`` names; the value itself where a kind is no object of the cloud."""
        if kind in self._checks or kind not in KINDS:
            return value
        try:
            return stack.clients().find(kind, value)
        except (errors.NoSuchObject, errors.NoCloud) as error:
            raise values.refuse(str(error)) from error
