"""The door for templates and types: validate, versions, functions, schemas."""

import inspect
import re

from heat_lite.common import exception
from heat_lite.engine import validation
from heat_lite.engine.endpoints.base import Endpoint
from heat_lite.template import catalog, generate, merge, schema, support
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template


class Templates(Endpoint):
    def validate_template(
        self,
        context,
        template,
        params=None,
        files=None,
        environment_files=None,
        files_container=None,
        show_nested=False,
        ignorable_errors=None,
    ):
        """What a client must know to fill the template's parameters in. Raises what is wrong with the template."""
        blank = Template(template, files or {})
        environment = merge.merge_environments(params or {}, files or {}, environment_files, blank.parameter_schemata)
        parsed = Template(template, files or {}, Environment(environment))
        return validation.template(context, self._runtime, parsed, show_nested)

    # ------------------------------------------------------------ the language

    def list_template_versions(self, context):
        return catalog.template_versions()

    def list_template_functions(self, context, template_version, with_condition=False):
        """Names and descriptions of the functions of a version; NotFound for an unknown one."""
        functions = catalog.functions_of(template_version, with_condition)
        if functions is None:
            raise exception.NotFound(f'Template with version {template_version} not found')
        return functions

    # ------------------------------------------------------------ the types

    def list_resource_types(self, context, support_status=None, type_name=None, heat_version=None, with_description=False):
        """Names of the types, ``type_name`` being a pattern for their beginning; with their descriptions if wanted."""
        if support_status is not None and support_status.upper() not in support.STATUSES:
            raise exception.Invalid(reason=f'Invalid support status and should be one of {support.STATUSES}')
        names = [name for name in self._runtime.registry.names() if _begins(type_name, name) and self._is_permitted(context, name)]
        names = self._usable(context, names)
        if support_status is not None or heat_version is not None:
            names = [name for name in names if self._is_supported(name, support_status, heat_version)]
        if not with_description:
            return names
        return [{'resource_type': name, 'description': _description(self._runtime.registry.get(name))} for name in names]

    def resource_schema(self, context, type_name, with_description=False):
        kind = self._class(context, type_name)
        result = {
            'resource_type': type_name,
            'properties': schema.to_wire(kind.properties_schema),
            'attributes': schema.to_wire(kind.all_attributes_schema()),
            'support_status': kind.support_status.to_wire(),
        }
        if with_description:
            result['description'] = _description(kind)
        return result

    def generate_template(self, context, type_name, template_type='cfn'):
        """A template that has a parameter for each property of the type and an output for each attribute."""
        kind = self._class(context, type_name)
        if template_type not in ('cfn', 'hot'):
            raise exception.Invalid(reason=f'Template type is not supported: {template_type}')
        return generate.template_for(type_name, kind.properties_schema, kind.all_attributes_schema(), template_type, kind.__name__)

    def _class(self, context, type_name):
        kind = self._runtime.registry.get(type_name)
        if kind.support_status.status == support.HIDDEN:
            raise exception.NotSupported(feature=f'Template of the hidden resource type {type_name}')
        kind.require_service(self._runtime.clients(context), type_name)
        return kind

    def _usable(self, context, names):
        """The types that are still in use, and for which the cloud of whoever asks has the services."""
        clients, known = self._runtime.clients(context), {}
        kinds = {name: self._runtime.registry.get(name) for name in names}
        return [name for name, kind in kinds.items() if kind.support_status.status != support.HIDDEN and _is_there(clients, kind, known)]

    def _is_permitted(self, context, name):
        return context.is_admin or self._runtime.allows_type(context, name)

    def _is_supported(self, name, status, version):
        have = self._runtime.registry.get(name).support_status
        return (status is None or have.status == status.upper()) and (version is None or have.version == version)


def _is_there(clients, kind, known):
    """Whether the cloud has what a type needs. ``known`` is what has been found out already: the same is not asked for each type."""
    needs = kind.default_client_name, getattr(kind, 'extension', None)
    if needs not in known:
        try:
            kind.require_service(clients, kind.resource_type)
            known[needs] = True
        except exception.HeatException:
            known[needs] = False
    return known[needs]


def _begins(pattern, name):
    if pattern is None:
        return True
    try:
        return re.match(pattern, name) is not None
    except re.error:
        # no name begins with what is no pattern
        return False


def _description(kind):
    return inspect.getdoc(kind) or 'No description available'
