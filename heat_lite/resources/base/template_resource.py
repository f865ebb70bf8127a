"""TemplateResource: a template as a resource type.

Its parameters are the properties, its outputs the attributes.
"""

import collections
import hashlib
import operator

from heat_lite.clients import errors
from heat_lite.common import exception, lru_cache, urlfetch
from heat_lite.engine.resource.resource import Resource
from heat_lite.resources.base.stack_resource import StackResource
from heat_lite.template import checks, reader, schema
from heat_lite.template.constraints import ANY, INTEGER, LIST, NUMBER, STRING
from heat_lite.template.function import is_omitted
from heat_lite.template.parameters import parameter_types
from heat_lite.template.parameters.parameters import PSEUDO_HOT
from heat_lite.template.resource_registry import TYPE
from heat_lite.template.template import Template
from heat_lite.template.unknown import Unknown, is_known

#: the output that replaces the reference id of the resource
REFERENCE_OUTPUT = PSEUDO_HOT[0]
#: parsed templates with the lengths of their texts, at most 256 and 4 million characters in total:
#: any user can have texts parsed, and the data takes several times the memory of its text
_TEMPLATES = lru_cache.LruCache(256, 4_000_000, operator.itemgetter(1))


#: templates of the operator that need a service: {file: (service, file without it, its type)}
SUBSTITUTES = {
    'AWS_CloudWatch_Alarm.yaml': ('aodh', 'AWS_CloudWatch_WatchRule.yaml', 'OS::Heat::CWLiteAlarm')
}


class TemplateResource(StackResource):
    """A resource whose type is a file of the request, or a URL.

    The environment may map type names to it.
    """

    refreshes_metadata = True
    fetches_template = True

    def __init__(self, name, definition, stack, record):
        self._templates, self._schemata = {}, {}
        super().__init__(name, definition, stack, record)

    # ------------------------------------------------------------ the template

    def path_label(self):
        return f'{self.name}<{self.stack.template_of_type(self.definition)}>'

    def child_template(self):
        return self._template_of(self.definition).data

    def _template_of(self, definition):
        """Return the template of a definition's type.

        Raises StackValidationFailed if it cannot be read.
        """
        key = self.stack.template_of_type(definition), definition.template
        if key not in self._templates:
            name = self._substituted(*key)
            self._templates[key] = Template(self._read(name, definition.template.files))
        return self._templates[key]

    def _substituted(self, name, template):
        """Return the file of the template, or of the one for a cloud without its service.

        A nested stack keeps the one that it has been made of.
        """
        if name not in SUBSTITUTES or name in template.files:
            return name
        service, substitute, type_name = SUBSTITUTES[name]
        if substitute not in self.stack.runtime.registry.files:
            return name
        nested = self.nested() if self.record.nova_instance is not None else None
        if nested is not None:
            types = {each.resource_type for each in nested.definitions.values()}
            return substitute if type_name in types else name
        try:
            self.stack.clients().require(service)
        except errors.NoCloud:
            return substitute
        return name

    def _read(self, name, files):
        """Return the data of a template.

        If its text is no longer available, that of the nested stack is used.
        """
        files = self._files_beside(files)
        if name not in files and self.nested() is not None:
            return self.nested().template.data
        return fetch_template(files, name)

    def _files_beside(self, files):
        return collections.ChainMap(files, self.stack.runtime.registry.files)

    def child_environment(self, params):
        return self.definition.template.environment.child(
            self.name, params, excluded_type=self.type()
        )

    def child_params(self):
        """Return the given values; the template has the defaults.

        A null is the empty value of its type, as in Heat.
        """
        data = self.properties.data
        given = {
            name: _item_texts(value) if wanted.type == LIST else value
            for name, wanted in self.properties_schema.items()
            if name in data and not is_omitted(data[name])
            if (value := self.properties[name]) is not None
        }
        if is_known(given):
            return given
        shown = self.shown_properties()
        return {name: self._as_shown(name, value, shown) for name, value in given.items()}

    def _as_shown(self, name, value, shown):
        """Return an unknown value with what Heat shows of it; a required text is empty there."""
        if not isinstance(value, Unknown):
            return value
        wanted, text = self.properties_schema[name], shown[name]
        if text is None and wanted.required and wanted.type == STRING:
            text = ''
        return Unknown(value.type, value.sources, text, value.known)

    # ------------------------------------------------------------ schemas

    @property
    def properties_schema(self):
        return self._properties_schema_of(self.definition)

    def _properties_schema_of(self, definition):
        """Return the schemas of the parameters. One with a default in the environment is
        optional.
        """
        template = self._template_of(definition)
        if template not in self._schemata:
            defaults = definition.template.environment.param_defaults
            found = self._schemata[template] = {}
            for name, parameter in template.parameter_schemata.items():
                found[name] = schema.PropertySchema.from_parameter(parameter)
                found[name].required = parameter.required and name not in defaults
        return self._schemata[template]

    @property
    def attributes_schema(self):
        return _attributes_schema(self._template_of(self.definition))

    def all_attributes_schema(self):
        return self.attributes_schema

    def properties_of(self, definition):
        return self._section_of(definition, 'properties', self._properties_schema_of(definition))

    def can_update_in_place(self, name):
        return True

    def validate_names(self):
        _ = self.attributes_schema  # Raises StackValidationFailed if the template cannot be read
        super().validate_names()

    def validate(self):
        _ = self.attributes_schema
        super().validate()

    def validate_nested(self, run):
        super().validate_nested(run)
        facade = self._facade()
        if facade is not None:
            self._compare_with(facade)

    def _facade(self):
        """Return the class of the type whose place the template takes, built-in or a template.

        None if the environment has no other type of that name.
        """
        found = self.stack.facade_of(self.definition)
        if found is None:
            return None
        if found.kind == TYPE:
            return self.stack.runtime.registry.get(found.target)
        files = self._files_beside(self.definition.template.files)
        return describe_template(self.type(), found.target, files)

    def _compare_with(self, facade):
        """Compare the template with the type whose place it takes.

        Raises StackValidationFailed if it does not accept the same properties.
        """
        fault = next(
            _facade_mismatches(facade, self.type(), self.properties_schema, self.attributes_schema),
            None,
        )
        if fault is not None:
            raise exception.StackValidationFailed(fault)

    # ------------------------------------------------------------ references and attributes

    def get_reference_id(self):
        if self.nested() is not None and REFERENCE_OUTPUT in self.attributes_schema:
            return self.nested_stack.output(REFERENCE_OUTPUT)
        return super().get_reference_id()

    def nested_attribute(self, name, path):
        return self.nested_stack.output(name, path)


def describe_template(type_name, target, files):
    """Return a class with the schemas of a template, for requests about resource types.

    Raises StackValidationFailed.
    """
    template = Template(fetch_template(files, target))
    members = {
        '__doc__': template.description or f'The template {target}.',
        'resource_type': type_name,
        'properties_schema': {
            name: _with_default(each) for name, each in template.parameter_schemata.items()
        },
        'attributes_schema': _attributes_schema(template),
        'base_attributes_schema': {},
    }
    return type('TemplateResource', (Resource,), members)


def _item_texts(items):
    """Return a list for a parameter, as Heat does: a null is an empty text, one empty text is none,
    and maps are the texts that Fn::MemberListToMap reads. Heat refuses a list or a map beside
    texts; here it is JSON.
    """
    if not is_known(items):
        return items
    if not all(isinstance(item, dict) for item in items):
        texts = ['' if item is None else parameter_types.item_text(item) for item in items]
        return [] if texts == [''] else texts
    return [
        f'.member.{number}.{key}={parameter_types.item_text(part)}'
        for number, item in enumerate(items)
        for key, part in item.items()
    ]


def _with_default(parameter):
    made = schema.PropertySchema.from_parameter(parameter)
    made.default = parameter.default
    return made


def fetch_template(files, name):
    """Return the data of a template, from the files of the request or from the URL ``name``.

    Raises StackValidationFailed, without any part of a text from a URL that is no template, and
    FetchFailed for a URL without a template.
    """
    text = files.get(name)
    try:
        if text is not None:
            return _parsed(text, name)
        return _parsed(urlfetch.get(name), name)
    except urlfetch.URLFetchError as error:
        reason = str(error)
    except reader.FormatError as error:
        if text is not None:
            raise exception.StackValidationFailed(str(error)) from None
        reason = 'The text at the URL is not a template.'
    raise FetchFailed(name, reason)


class FetchFailed(exception.StackValidationFailed):
    """There is no template at a URL."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f'Could not fetch remote template "{name}": {reason}')
        self.reason = reason

    def prefixed(self, *path, error=None):
        """Return an error with ``path`` before its own path."""
        return exception.StackValidationFailed(self.error_message, error=error or '', path=path)


def _parsed(text, name):
    """Return the data of a template, which callers must not change."""
    key = hashlib.sha256(text.encode('utf-8', 'surrogatepass')).digest(), name
    found = _TEMPLATES.get(key)
    if found is None:
        found = _TEMPLATES.put(key, (reader.parse_file(text, name), len(text)))
    return found[0]


def _attributes_schema(template):
    snippets, word = template.output_snippets, template.version.dialect.output['description']
    checks.raise_first(checks.attribute_outputs(snippets, template.version))
    return {name: schema.any_attribute(snippet.get(word)) for name, snippet in snippets.items()}


def _facade_mismatches(facade, name, properties, attributes):
    """Yield the differences, as texts, between a template and the type ``name`` whose place it
    takes.
    """
    for key, wanted in facade.properties_schema.items():
        given = properties.get(key)
        if given is None and wanted.required:
            yield f'Required property {key} for facade {name} missing in provider'
        elif (
            given is not None
            and wanted.type != ANY
            and given.type != (NUMBER if wanted.type == INTEGER else wanted.type)
        ):
            types = f'facade {name} ({wanted.type.title()}) and provider ({given.type.title()})'
            yield f'Property {key} type mismatch between {types}'
    for key, offered in properties.items():
        if offered.required and key not in facade.properties_schema:
            yield f'Provider requires property {key} unknown in facade {name}'
    for key in facade.attributes_schema:
        if key not in attributes:
            yield f'Attribute {key} for facade {name} missing in provider'
