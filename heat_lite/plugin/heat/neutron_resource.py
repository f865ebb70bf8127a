"""The base class of resource types of Neutron that third parties write."""

from collections.abc import Callable, Mapping

from heat_lite.common import exception
from heat_lite.common.value_types import Value, Values, without_none
from heat_lite.plugin.heat import heat_resource

VALUE_SPECS = 'value_specs'
#: keys that ``value_specs`` must not set
BANNED = frozenset(('shared', 'tenant_id'))


class NeutronResource(heat_resource.Resource):
    """Base: ``entity`` is the kind of object, e.g. ``port``, for neutronclient's ``show_port``."""

    default_client_name = 'neutron'
    res_info_key: str | None = None

    def validate(self) -> str | None:
        return super().validate() or self.validate_properties(self.properties)

    @staticmethod
    def validate_properties(properties: Mapping[str, Value]) -> str | None:
        """Return why ``value_specs`` is invalid: it must not set what a property sets."""
        given = properties.get(VALUE_SPECS) if VALUE_SPECS in properties else None
        for key in sorted({*BANNED, *properties} & {*(given or ())}):
            return f'{key} not allowed in value_specs'
        return None

    @staticmethod
    def merge_value_specs(props: Values, before_value_specs: Value = None) -> None:
        """Replace ``value_specs`` by its entries, in place."""
        props.update(props.pop(VALUE_SPECS, None) or {})

    @staticmethod
    def prepare_properties(properties: Mapping[str, Value], name: str) -> Values:
        """Return the body of a create: the given properties, and a name."""
        found = without_none(properties)
        if 'name' in properties:
            found.setdefault('name', name)
        NeutronResource.merge_value_specs(found)
        return found

    def prepare_update_properties(self, prop_diff: Values) -> None:
        """Make the changed properties the body of an update, in place."""
        self.merge_value_specs(prop_diff)
        if 'name' in prop_diff and prop_diff['name'] is None:
            prop_diff['name'] = self.physical_resource_name()

    @staticmethod
    def is_built(attributes: Mapping[str, Value]) -> bool:
        """Return whether an object is ready. Raises ResourceInError, ResourceUnknownStatus."""
        state = attributes['status']
        if state == 'ERROR':
            raise exception.ResourceInError(resource_status=state)
        if state not in ('BUILD', 'ACTIVE', 'DOWN'):
            raise exception.ResourceUnknownStatus(
                resource_status=state, result='Resource is not built'
            )
        return bool(state != 'BUILD')

    def get_resource_plural(self) -> str:
        """Return the plural of ``entity`` in the URLs of Neutron."""
        entity = str(self.entity)
        return f'{entity[:-1]}ies' if entity.endswith('y') else f'{entity}s'

    def _res_get_args(self) -> list[str | None]:
        return [self.resource_id]

    def _show_resource(self) -> Value:
        show = getattr(self.client(), f'show_{self.entity}')
        found = show(*self._res_get_args())
        key = self.res_info_key or self.entity
        return found[key] if key else found

    def _resolve_attribute(self, name: str) -> Value:
        if self.resource_id is None:
            return None
        return self._show_resource()[name]

    def get_reference_id(self) -> str | None:
        return self.resource_id

    def needs_replace_failed(self) -> bool:
        if self.resource_id is None:
            return True
        return self._not_found_in_call(self._show_resource)

    def _not_found_in_call(self, func: Callable[..., Value], *args: Value, **kwargs: Value) -> bool:
        """Call ``func``. Return whether it failed because the object does not exist."""
        try:
            func(*args, **kwargs)
        except Exception as error:
            self.client_plugin().ignore_not_found(error)
            return True
        return False

    def check_delete_complete(self, check: Value) -> bool:
        """Return whether the object is gone. ``check``: whether there may be one to wait for."""
        if not check or self.resource_id is None:
            return True
        return self._not_found_in_call(self._show_resource)

    def set_tags(self, tags: list[str] | None) -> None:
        """Replace the tags of the object."""
        body = {'tags': list(tags or ())}
        self.client().replace_tag(self.get_resource_plural(), self.resource_id, body)
