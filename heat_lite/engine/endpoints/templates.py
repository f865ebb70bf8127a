"""The RPC endpoint for templates and resource types: validation, versions, functions, schemas.

Tests: tests/functional/test_conformance.py.
"""

import inspect
import re

from heat_lite.clients.clients import Clients
from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.resource.resource import Resource
from heat_lite.engine.validation import validation
from heat_lite.template import generate, patterns, schema, support, versions
from heat_lite.template.functions import budget


class Templates(Endpoint):
    def validate_template(
        self,
        context: RequestContext,
        template: Wire,
        params: Wire | None = None,
        files: Wire | None = None,
        environment_files: list[str] | None = None,
        files_container: str | None = None,
        show_nested: bool = False,
        ignorable_errors: list[str] | None = None,
    ) -> Wire:
        """Return what a client needs to fill in the parameters of a template.

        Raises the first error in it whose code is not one of ``ignorable_errors``.
        """
        parsed = self._template(
            context, template, params, files, environment_files, files_container
        )
        return validation.template(
            context, self._runtime, parsed, show_nested, ignorable_errors or ()
        )

    # ------------------------------------------------------------ template language

    def list_template_versions(self, context: RequestContext) -> list[Wire]:
        return versions.list_versions()

    def list_template_functions(
        self, context: RequestContext, template_version: str, with_condition: bool = False
    ) -> list[Wire]:
        """Return names and descriptions of the functions of a version.

        Raises NotFound for an unknown one.
        """
        functions = versions.list_functions(template_version, with_condition)
        if functions is None:
            raise exception.NotFound(f'Template with version {template_version} not found')
        return functions

    # ------------------------------------------------------------ resource types

    def list_resource_types(
        self,
        context: RequestContext,
        support_status: str | None = None,
        type_name: str | None = None,
        heat_version: str | None = None,
        with_description: bool = False,
    ) -> list:
        """Return the names of types that match the pattern ``type_name``; with descriptions on
        request.
        """
        if support_status is not None and support_status.upper() not in support.STATUSES:
            raise exception.Invalid(
                reason=f'Invalid support status and should be one of {support.STATUSES}'
            )
        names = _matching(type_name, self._runtime.registry.names())
        names = [name for name in names if self._is_permitted(context, name)]
        names = self._usable(context, names)
        if support_status is not None or heat_version is not None:
            names = [
                name for name in names if self._is_supported(name, support_status, heat_version)
            ]
        if not with_description:
            return names
        return [
            {'resource_type': name, 'description': _description(self._runtime.registry.get(name))}
            for name in names
        ]

    def list_unavailable_types(
        self, context: RequestContext, type_name: str | None = None
    ) -> list[Wire]:
        """Return the types that ``list_resource_types`` leaves out because the cloud of the
        requester lacks a service, each with the reason.
        """
        clients = self._runtime.clients(context)
        known: dict[tuple, str | None] = {}
        found = []
        for name in _matching(type_name, self._runtime.registry.names()):
            cls = self._runtime.registry.get(name)
            if cls.support_status.status == support.HIDDEN or not self._is_permitted(context, name):
                continue
            reason = _reason_of_absence(clients, cls, known)
            if reason is not None:
                found.append({'resource_type': name, 'reason': reason})
        return found

    def resource_schema(
        self, context: RequestContext, type_name: str, with_description: bool = False
    ) -> Wire:
        self._runtime.require_type(context, type_name)
        cls = self._class(context, type_name)
        cls.require_service(self._runtime.clients(context), type_name)
        result = {
            'resource_type': type_name,
            'properties': schema.to_wire(cls.properties_schema),
            'attributes': schema.to_wire(cls.all_attributes_schema()),
            'support_status': cls.support_status.to_wire(),
        }
        if with_description:
            result['description'] = _description(cls)
        return result

    def generate_template(
        self, context: RequestContext, type_name: str, template_type: str = 'cfn'
    ) -> Wire:
        """Return a template with a parameter for each property of the type and an output for
        each attribute.
        """
        self._runtime.require_type(context, type_name)
        cls = self._class(context, type_name)
        if template_type not in ('cfn', 'hot'):
            raise exception.Invalid(reason=f'Template type is not supported: {template_type}')
        return generate.template_for(
            type_name,
            cls.properties_schema,
            cls.all_attributes_schema(),
            template_type,
            cls.__name__,
        )

    def _class(self, context: RequestContext, type_name: str) -> type[Resource]:
        """Return the class of a type that the requester may use, also of an alias of the operator.

        Raises Forbidden, EntityNotFound and NotSupported.
        """
        if not self._is_permitted(context, type_name):
            raise exception.Forbidden(action=f'resource_types:{type_name}')
        name, cls = self._runtime.registry.shown(type_name)
        if not self._is_permitted(context, name):
            raise exception.Forbidden(action=f'resource_types:{name}')
        if cls.support_status.status == support.HIDDEN:
            raise exception.NotSupported(feature=type_name)
        return cls

    def _usable(self, context: RequestContext, names: list[str]) -> list[str]:
        """Return the types that are not hidden and whose services the cloud of the requester
        has, without those that stand for one of its services.
        """
        clients = self._runtime.clients(context)
        known: dict[tuple, str | None] = {}
        classes = {name: self._runtime.registry.get(name) for name in names}
        return [
            name
            for name, cls in classes.items()
            if cls.support_status.status != support.HIDDEN
            and _reason_of_absence(clients, cls, known) is None
            and cls.is_listed(clients)
        ]

    def _is_permitted(self, context: RequestContext, name: str) -> bool:
        return context.is_admin or self._runtime.allows_type(context, name)

    def _is_supported(self, name: str, status: str | None, version: str | None) -> bool:
        have = self._runtime.registry.get(name).support_status
        return (status is None or have.status == status.upper()) and (
            version is None or have.version == version
        )


def _reason_of_absence(clients: Clients, cls: type[Resource], known: dict) -> str | None:
    """Return why the cloud lacks a service of a type; None if it has all of them.

    ``known`` caches the answers by service.
    """
    needs = cls.default_client_name, getattr(cls, 'extension', None)
    if needs not in known:
        try:
            cls.require_service(clients, cls.resource_type or '')
            known[needs] = None
        except exception.ResourceTypeUnavailable as error:
            known[needs] = f'{error.kwargs["service_name"]}: {error.kwargs["reason"]}'
        except exception.HeatException as error:
            known[needs] = str(error)
    return known[needs]


def _matching(pattern: str | None, names: list[str]) -> list[str]:
    """Return the names that a pattern matches from their start; none for an invalid pattern."""
    if pattern is None:
        return names
    try:
        return patterns.compile_pattern(pattern).matches_of(names)
    except re.error:
        return []
    except budget.LimitExceeded as error:
        raise exception.Invalid(reason=f'The name of resource types: {error}') from None


def _description(cls: type[Resource]) -> str:
    return inspect.getdoc(cls) or 'No description available'
