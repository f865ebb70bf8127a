"""The base of the Neutron types: tags and value specs."""

from heat_lite.clients import errors
from heat_lite.resources.base.cloud import CloudResource, ServiceResource
from heat_lite.template.schema import list_, map_, string

VALUE_SPECS, TAGS = 'value_specs', 'tags'
#: what all standard objects of Neutron have, and few templates set (see ``Rest.mark``)
MARK = 'description'
POLICY = 'OS::Neutron::RBACPolicy'
#: properties for which Neutron refuses null
TEXTS = ('description', 'dns_domain', 'dns_name')


def tags_property(noun, since='9.0.0'):
    return list_(
        f'Tags of the {noun}. An update replaces the whole set.',
        string(),
        update_allowed=True,
        since=since,
        sent=False,
    )


def value_specs_property(noun, **options):
    return map_(
        f'Further values for the request of the {noun}, for extensions of Neutron.',
        default={},
        sent=False,
        **options,
    )


class NeutronResource(CloudResource):
    """An object of Neutron.

    ``value_specs`` are added to the request unchanged; ``tags`` have a request of their own. An
    empty string stands for an unset text.
    """

    named_before_create = False
    observed_keys = {TAGS: TAGS}

    def normalize(self, found):
        """Return the object with ``shared`` as the template has it.

        An RBAC policy of the same template shares the object, too: that is no difference.
        """
        return (
            {**found, 'shared': self.stored_property('shared')}
            if 'shared' in self.properties_schema and self.template_has_type(POLICY)
            else found
        )

    def template_has_type(self, kind):
        """Return whether the template has a resource of a type."""
        return any(each.resource_type == kind for each in self.stack.definitions.values())

    def body(self, values):
        return {**values, **(self.properties.get(VALUE_SPECS) or {})}

    def changes(self, changed, diff):
        texts = {name: '' for name in TEXTS if changed.get(name, '') is None}
        return {**changed, **texts, **(diff.get(VALUE_SPECS) or {})}

    def follow_up(self, action, diff):
        if TAGS in diff and TAGS in self.properties_schema:
            yield from self.send('PUT', f'{self.object_path()}/tags', {TAGS: diff[TAGS] or []})


class Connection(ServiceResource):
    """A connection of Neutron objects that is not an object itself."""


class VisibleConnection(Connection):
    """A connection that Neutron shows.

    Raises errors.NotFound if an end of the connection has been deleted.
    """

    def is_connected(self):
        raise NotImplementedError

    def needs_replace_failed(self):
        """Return whether a failed connection is replaced.

        Neutron refuses another one beside a connection that exists, and that one is complete.
        """
        if self.resource_id is None:
            return True
        try:
            return not self.is_connected()
        except errors.NotFound:
            return True

    def handle_check(self):
        if not (yield from self.call_with_retry(self.is_connected)):
            raise errors.NotFound(f'{self.resource_id} is not connected any more')

    def get_live_state(self, resource_properties):
        if not self.is_connected():
            raise errors.NotFound(f'{self.resource_id} is not connected any more')
        return {}
