"""How much of a service a project may have: types that change the quota of a project, and go back to the usual one."""

from heat_lite.common import exception
from heat_lite.resources.cloud import ServiceResource, wired_map

PROJECT = 'project'


class Quota(ServiceResource):
    """``path`` is where the service keeps quotas, ``key`` what they are wrapped in."""

    path: str
    key: str
    microversion: str | None = None

    def validate(self):
        super().validate()
        limits = sorted(name for name in self.properties_schema if name != PROJECT)
        if not any(self.properties.is_given(name) for name in limits):
            raise exception.PropertyUnspecifiedError(*limits)

    def handle_create(self):
        yield from self._limit()
        self.resource_id_set(self.physical_resource_name())

    def handle_update(self, definition, tmpl_diff, prop_diff):
        yield from self._limit()

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self.take_away(self._ask, 'DELETE')

    def handle_check(self):
        self.show()

    def show(self):
        return self._ask('GET')[self.key]

    def _limit(self):
        values = wired_map(self.properties_schema, self.properties)
        yield from self.ask(self._ask, 'PUT', {self.key: values})

    def _ask(self, method, body=None):
        return self.client().ask(method, f'{self.path}/{self.held(PROJECT)}', body, microversion=self.microversion)
