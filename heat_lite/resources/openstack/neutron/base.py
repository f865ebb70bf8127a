"""What the types of the network service share: tags, and keys that only its extensions understand."""

from heat_lite.resources.cloud import CloudResource, ServiceResource

VALUE_SPECS, TAGS = 'value_specs', 'tags'


class NeutronResource(CloudResource):
    """``value_specs`` go into the request as they are; ``tags`` have a request of their own."""

    def body(self, values):
        return {**values, **(self.properties.get(VALUE_SPECS) or {})}

    def changes(self, changed, diff):
        return {**changed, **(diff.get(VALUE_SPECS) or {})}

    def after(self, action, diff):
        if TAGS in diff and TAGS in self.properties_schema:
            yield from self.ask(self.client().ask, 'PUT', f'{self.object_path()}/tags', {TAGS: diff[TAGS] or []})


class Connection(ServiceResource):
    """What connects objects of the network without being one itself."""
