"""A template as a resource type: its parameters are the properties, its outputs the attributes."""

import collections
import functools

from heat_lite.common import exception, urlfetch
from heat_lite.engine.resource import Resource
from heat_lite.resources.nested import StackResource
from heat_lite.template import format, schema, sections
from heat_lite.template.constraints import INTEGER, NUMBER
from heat_lite.template.parameters import PSEUDO_HOT
from heat_lite.template.template import Template

#: the output that stands in for the reference of the resource
REFERENCE_OUTPUT = PSEUDO_HOT[0]
FETCH_BYTES, FETCH_SECONDS = 524288, 10


class TemplateResource(StackResource):
    """The type is a file of the request, or a URL; the environment may map other names to it."""

    metadata_follows = True

    def __init__(self, name, definition, stack, record):
        self._templates = {}
        super().__init__(name, definition, stack, record)

    # ------------------------------------------------------------ the template

    def template_name(self):
        return self.stack.template_of_type(self.definition)

    def label(self):
        return f'{self.name}<{self.template_name()}>'

    def child_template(self):
        return self._template_of(self.definition).data

    def _template_of(self, definition):
        """The template behind the type of a definition. Raises StackValidationFailed where it cannot be read."""
        name = self.stack.template_of_type(definition)
        key = name, definition.template
        if key not in self._templates:
            self._templates[key] = Template(self._read(name, definition.template.files))
        return self._templates[key]

    def _read(self, name, files):
        """The data of a template. Where its text is gone, the stack inside still knows it."""
        files = collections.ChainMap(files, self.stack.runtime.registry.files)
        if name not in files and self.nested() is not None:
            return self.nested().template.data
        return fetched(files, name)

    def child_environment(self, params):
        return self.definition.template.environment.child(self.name, params, without=self.type())

    def child_params(self):
        """The values that are given; defaults are the template's own affair."""
        given = self.properties.given()
        return {name: value for name, value in given.items() if value is not None}

    # ------------------------------------------------------------ schemas

    @property
    def properties_schema(self):
        return self._properties_schema_of(self.definition)

    def _properties_schema_of(self, definition):
        """A parameter for which the environment has a default need not be given."""
        defaults = definition.template.environment.param_defaults
        result = {}
        for name, parameter in self._template_of(definition).parameter_schemata.items():
            result[name] = schema.PropertySchema.from_parameter(parameter)
            result[name].required = parameter.required and name not in defaults
        return result

    @property
    def attributes_schema(self):
        return _attributes_schema(self._template_of(self.definition))

    def all_attributes_schema(self):
        return self.attributes_schema

    def properties_of(self, definition):
        return self._section_of(definition, 'properties', self._properties_schema_of(definition))

    def takes_update_of(self, name):
        return True

    def validate_names(self):
        _ = self.attributes_schema  # whether there is one to read at all
        super().validate_names()

    def validate(self):
        _ = self.attributes_schema
        super().validate()
        facade = self.stack.built_in_type(self.type())
        if facade is not None:
            self._compare_with(facade)

    def _compare_with(self, facade):
        """A template that takes the place of a type must offer what that offers. Raises StackValidationFailed."""
        fault = next(_misfits(facade, self.type(), self.properties_schema, self.attributes_schema), None)
        if fault is not None:
            raise exception.StackValidationFailed(fault)

    # ------------------------------------------------------------ what others read

    def get_reference_id(self):
        if self.nested() is not None and REFERENCE_OUTPUT in self.attributes_schema:
            return self.inside.output(REFERENCE_OUTPUT)
        return super().get_reference_id()

    def _own_attribute(self, name, path):
        return self.inside.output(name, path)


def described(type_name, target, files):
    """A class that says what a template offers as a type, for those who ask about types. Raises StackValidationFailed."""
    template = Template(fetched(files, target))
    said = {
        '__doc__': template.description or f'The template {target}.',
        'resource_type': type_name,
        'properties_schema': {name: _with_default(each) for name, each in template.parameter_schemata.items()},
        'attributes_schema': _attributes_schema(template),
        'base_attributes_schema': {},
    }
    return type('TemplateResource', (Resource,), said)


def _with_default(parameter):
    made = schema.PropertySchema.from_parameter(parameter)
    made.default = parameter.default
    return made


def fetched(files, name):
    """The data of a template among the files of the request, or else at the URL ``name``. Raises StackValidationFailed."""
    text = files.get(name)
    try:
        return _parsed(urlfetch.get(name, FETCH_BYTES, FETCH_SECONDS) if text is None else text, name)
    except urlfetch.URLFetchError as error:
        raise exception.StackValidationFailed(f'Could not fetch remote template "{name}": {error}') from None


@functools.lru_cache(maxsize=256)
def _parsed(text, name):
    try:
        return format.parse_file(text, name)
    except format.FormatError as error:
        raise exception.StackValidationFailed(str(error)) from None


def _attributes_schema(template):
    snippets, word = template.output_snippets, template.version.dialect.output['description']
    sections.validate_offer(snippets, template.version)
    return {name: schema.any_attribute(snippet.get(word)) for name, snippet in snippets.items()}


def _misfits(facade, name, properties, attributes):
    """What is wrong with a template that takes the place of the type ``name``, as texts."""
    for key, wanted in facade.properties_schema.items():
        given = properties.get(key)
        if given is None and wanted.required:
            yield f'Required property {key} for facade {name} missing in provider'
        elif given is not None and given.type != (NUMBER if wanted.type == INTEGER else wanted.type):
            types = f'facade {name} ({wanted.type.title()}) and provider ({given.type.title()})'
            yield f'Property {key} type mismatch between {types}'
    for key, offered in properties.items():
        if offered.required and key not in facade.properties_schema:
            yield f'Provider requires property {key} unknown in facade {name}'
    for key in facade.attributes_schema:
        if key not in attributes:
            yield f'Attribute {key} for facade {name} missing in provider'
