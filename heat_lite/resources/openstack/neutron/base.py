"""What the types of the network service share: tags, and keys that only its extensions understand."""

from heat_lite.clients import errors
from heat_lite.resources.cloud import CloudResource, ServiceResource

VALUE_SPECS, TAGS = 'value_specs', 'tags'
POLICY = 'OS::Neutron::RBACPolicy'
#: what the service does not take null for
TEXTS = ('description', 'dns_domain', 'dns_name')


class NeutronResource(CloudResource):
    """``value_specs`` go into the request as they are; ``tags`` have a request of their own. No text is an empty one."""

    shown = {TAGS: TAGS}

    def as_told(self, found):
        """What is shared by a policy of the same template is not shared by others."""
        return {**found, 'shared': self.held('shared')} if 'shared' in self.properties_schema and self.has_beside(POLICY) else found

    def has_beside(self, kind):
        """Whether the template has a resource of that type."""
        return any(each.resource_type == kind for each in self.stack.definitions.values())

    def body(self, values):
        return {**values, **(self.properties.get(VALUE_SPECS) or {})}

    def changes(self, changed, diff):
        texts = {name: '' for name in TEXTS if changed.get(name, '') is None}
        return {**changed, **texts, **(diff.get(VALUE_SPECS) or {})}

    def after(self, action, diff):
        if TAGS in diff and TAGS in self.properties_schema:
            yield from self.ask(self.client().ask, 'PUT', f'{self.object_path()}/tags', {TAGS: diff[TAGS] or []})


class Connection(ServiceResource):
    """What connects objects of the network without being one itself."""


class SeenConnection(Connection):
    """One of which the service tells whether it is there. What is connected may be gone, too: then it raises errors.NotFound."""

    def is_there(self):
        raise NotImplementedError

    def handle_check(self):
        if not (yield from self.ask(self.is_there)):
            raise errors.NotFound(f'{self.resource_id} is not connected any more')

    def get_live_state(self, resource_properties):
        if not self.is_there():
            raise errors.NotFound(f'{self.resource_id} is not connected any more')
        return {}
