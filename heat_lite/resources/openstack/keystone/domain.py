"""OS::Keystone::Domain."""

from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.template import support
from heat_lite.template.schema import boolean, string


class Domain(CloudResource):
    """A domain: what projects, users and groups belong to."""

    resource_type = 'OS::Keystone::Domain'
    support_status = support.since('8.0.0')
    rest = Rest('keystone', '/domains', 'domain', update='PATCH')
    entity = 'domains'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', update_allowed=True),
        'description': string('A text that says what it is for.', update_allowed=True),
        'enabled': boolean('Whether it can be used.', default=True, update_allowed=True),
    }

    def handle_delete(self):
        """Only one that is switched off can be deleted."""
        if self.resource_id is not None:
            yield from self.take_away(self.client().update, self.object_path(), self.rest.key, {'enabled': False}, self.rest.update)
            yield from super().handle_delete()
