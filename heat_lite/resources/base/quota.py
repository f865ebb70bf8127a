"""Quota: base class of types that set the quota of a project, and reset it to the default on
delete.
"""

from heat_lite.resources.base.cloud import ServiceResource, map_to_wire
from heat_lite.resources.base.property_rules import one_of
from heat_lite.template.schema import integer, string

PROJECT = 'project'
UNLIMITED = -1


def limits(texts, **options):
    """Return the properties of limits; ``texts`` tell what each of them limits."""
    return {
        name: integer(
            f'{text}; {UNLIMITED} means unlimited.', update_allowed=True, min=UNLIMITED, **options
        )
        for name, text in texts.items()
    }


def project(service):
    """Return the property of the project whose quota of a service is set."""
    return string(
        f'Project of the {service} quota, by name or id.',
        required=True,
        ref='keystone.project',
        sent=False,
    )


class Quota(ServiceResource):
    """A quota of one service.

    ``path`` is the path of quotas in its API, ``key`` the key that wraps a quota.
    """

    path: str
    key: str
    microversion: str | None = None

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls.property_rules = (one_of(*sorted(cls.properties_schema.keys() - {PROJECT})),)

    def handle_create(self):
        yield from self._set_quota()
        self.resource_id_set(self.physical_resource_name())

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self._set_quota()

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self.delete_if_present(self._request, 'DELETE')

    def handle_check(self):
        self.show()

    def show(self):
        return self._request('GET')[self.key]

    def _set_quota(self):
        values = map_to_wire(self.properties_schema, self.properties)
        yield from self.call_with_retry(self._request, 'PUT', {self.key: values})

    def _request(self, method, body=None):
        return self.client().request_json(
            method,
            f'{self.path}/{self.stored_property(PROJECT)}',
            body,
            microversion=self.microversion,
        )
