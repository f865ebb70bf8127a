"""The RPC endpoint for what an adoption reads: documents of stacks, and objects of the cloud.

Tests: tests/functional/test_adoption.py.
"""

from heat_lite.common import exception
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Value, Values
from heat_lite.db import resources as db_resources
from heat_lite.engine.endpoints.base import Endpoint, Wire
from heat_lite.engine.execution import actions
from heat_lite.engine.stack import adoption, object_import
from heat_lite.engine.stack.stack import Stack
from heat_lite.engine.validation import validation
from heat_lite.template.lint.rules import practices

IT, VERSION_KEY, VERSION = 'it', 'heat_template_version', '2021-04-16'
NO_PROJECT = 'its service does not show to which project it belongs'


class Adoption(Endpoint):
    """Export and abandon stacks. Adoption itself is ``create_stack`` with such a document."""

    def export_stack(self, context: RequestContext, stack_identity: Wire) -> Wire:
        """Return the document of a stack. The stack does not change."""
        return self.abandon_stack(context, stack_identity, abandon=False)

    def abandon_stack(
        self, context: RequestContext, stack_identity: Wire, abandon: bool = True
    ) -> Wire:
        """Return the document of a stack and delete the stack, without its objects.

        Raises NotSupported if disabled, and ActionInProgress for a stack at work, whose document
        would lack the objects that are being created.
        """
        if not self._runtime.limits.enable_stack_abandon:
            raise exception.NotSupported(feature='Stack Abandon')
        stack = self._stack(context, stack_identity)
        if abandon:
            validation.at_rest(stack)
        document = adoption.export_stack(stack)
        if abandon:
            actions.delete(self._stack(context, stack_identity), abandoning=True)
        return document

    def list_objects(self, context: RequestContext, type_name: str) -> list[Wire] | None:
        """Return the objects of the project that a template would describe by a type; None if the
        type cannot list them.

        Each has an ``id``, and ``properties`` with the names of those that are ``secrets``, or the
        ``error`` why it has none, or ``in_stack`` if it, or its device, belongs to a stack.
        """
        self._runtime.require_type(context, type_name)
        data = {VERSION_KEY: VERSION, 'resources': {IT: {'type': type_name}}}
        template = self._template(context, data, None, None, None, None)
        tenant: Value = context.tenant_id
        item = Stack(self._runtime, context, template, name=IT, tenant=tenant).resource_for(IT)
        project = self._runtime.project_id(tenant)
        try:
            found = item.objects()
        except Exception as error:
            return [{'id': None, 'error': _text(item, error)}]
        if found is None:
            return None
        devices = {each['device_id'] for each in found.values() if each.get('device_id')}
        taken = db_resources.existing_physical_ids(found.keys() | devices)
        answer = []
        for one, shown in found.items():
            owner = object_import.project_of(shown)
            if owner not in (None, project):
                continue
            if {one, shown.get('device_id')} & taken:
                answer.append({'id': one, 'in_stack': True})
            elif owner is None:
                answer.append({'id': one, 'error': NO_PROJECT})
            else:
                answer.append({'id': one, **_described(item.standing_for(one), shown, project)})
        return answer


def _described(item: Value, shown: Values, project: str) -> Wire:
    """Return the properties of an object, without its project, which is that of the stack."""
    try:
        found = item.described(shown)
        properties = {name: value for name, value in found.items() if value != project}
        item.redefine(item.definition.freeze(properties=properties))
        read = item.properties.value_without_lookup
        for name in item.properties_schema:
            read(name)
        validation.check_rules(item.property_rules, read, item)
    except Exception as error:  # the error of a service, or of an object that no template makes
        return {'error': _text(item, error)}
    return {'properties': properties, 'secrets': list(filter(practices.is_secret, properties))}


def _text(item: Value, error: Exception) -> str:
    return item.stack.redact(error) or type(error).__name__
