"""The base of the Neutron types: tags and value specs."""

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.cloud import CloudResource, Rest, ServiceResource
from heat_lite.resources.base.live_state import ENTRIES
from heat_lite.resources.base.property_rules import given, refuse
from heat_lite.template import checks
from heat_lite.template.constraints import LIST
from heat_lite.template.schema import list_, map_, string

VALUE_SPECS, TAGS = 'value_specs', 'tags'
#: the map of a port into which Nova and the drivers of Neutron write keys of their own
PROFILE = 'binding:profile'
#: what all standard objects of Neutron have, and few templates set (see ``Rest.mark``)
MARK = 'description'
POLICY = 'OS::Neutron::RBACPolicy'
#: what an update sends for properties without a value, where Neutron refuses null
UNSET = {
    **dict.fromkeys(('description', 'dns_domain', 'dns_name'), ''),
    **dict.fromkeys(
        ('allowed_address_pairs', 'allocation_pools', 'host_routes', 'service_types'), []
    ),
    'external_gateway_info': {},
    'stateful': True,
}


def neutron_rest(path, key, extension=None, **options):
    """Return the Rest of objects of Neutron, which need an extension or none."""
    return Rest('neutron', path, key, extension=extension, **options)


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


def project_property(noun, **options):
    return string(
        f'Project of the {noun}, by name or id. Requires administrator rights.',
        ref='keystone.project',
        wire='tenant_id',
        **options,
    )


def needs_extension(alias, *names):
    """Return the rules that the properties are given only where Neutron has an extension."""
    return tuple(
        refuse(
            f'Neutron lacks the extension {alias}: remove the property "{name}".',
            lambda resource: resource.missing_extension(alias),
            **{name: given},
        )
        for name in names
    )


def changed_specs(before, after, fetch):
    """Return the entries of ``value_specs`` that an update sends: those that have changed.

    ``binding:profile`` is merged into that of the port that ``fetch`` returns: keys that are not
    the template's stay.
    """
    specs = _changed(before, after)
    was, becomes = before.get(PROFILE) or {}, after.get(PROFILE) or {}
    if PROFILE in specs or was != becomes:
        specs[PROFILE] = merged_profile(was, becomes, fetch())
    return specs


def merged_profile(was, becomes, port):
    """Return the profile of an update of a port: keys that are not the template's stay."""
    shown = port.get(PROFILE, was)
    kept = {key: shown[key] for key in shown if key in becomes or key not in was}
    return {**kept, **_changed(was, becomes)}


def _changed(before, after):
    return {key: value for key, value in after.items() if key not in before or before[key] != value}


class NeutronResource(CloudResource):
    """An object of Neutron.

    ``value_specs`` are added to the request, but must not set what a given property sets; ``tags``
    have a request of their own. An empty string stands for an unset text.
    """

    #: whether ``value_specs`` must not set a property that is not given, either (as Heat)
    strict_specs = False

    named_before_create = False
    observed_keys = {TAGS: TAGS, VALUE_SPECS: ENTRIES}

    def validate(self):
        super().validate()
        schemata = self.properties_schema
        lists = [name for name, each in schemata.items() if each.type == LIST]
        checks.require_scalars(schemata, self.properties, lists)
        specs = self.properties.get(VALUE_SPECS) if VALUE_SPECS in schemata else None
        given = {schemata[each].key(each) for each in schemata if self.properties.is_given(each)}
        heats = {name for name, each in schemata.items() if not each.support.is_ours}
        banned = {*given, *heats} if self.strict_specs else given
        if found := [key for key in specs or () if key in banned]:
            text = f'{", ".join(found)} not allowed in {VALUE_SPECS}'
            raise exception.StackValidationFailed(text)

    def normalize(self, found):
        """Return the object with ``shared`` as the template has it.

        An RBAC policy of the same template shares the object, too: that is no difference.
        """
        return (
            {**found, 'shared': self.stored_property('shared')}
            if 'shared' in self.properties_schema and self.template_has_type(POLICY)
            else found
        )

    def body(self, values):
        return {**values, **(self.properties.get(VALUE_SPECS) or {})}

    def changes(self, changed, diff):
        values = {
            name: UNSET.get(name) if value is None else value for name, value in changed.items()
        }
        if VALUE_SPECS in diff:
            before = self.stored_property(VALUE_SPECS) or {}
            values |= changed_specs(before, diff[VALUE_SPECS] or {}, self.fetch)
        return values

    def missing_extension(self, alias):
        """Return why an extension of Neutron cannot be used; None if it can."""
        try:
            self.stack.clients().require(self.rest.service, alias)
        except errors.NoCloud as error:
            return f'{error}.'

    def follow_up(self, action, diff):
        if TAGS in diff and TAGS in self.properties_schema:
            path = self.object_path().removeprefix('/qos')  # of tags
            yield from self.send('PUT', f'{path}/tags', {TAGS: diff[TAGS] or []})


class Connection(ServiceResource):
    """A connection of Neutron objects that is not an object itself."""


class VisibleConnection(Connection):
    """A connection that Neutron shows.

    Raises errors.NotFound if an end of the connection has been deleted.
    """

    def is_connected(self):
        raise NotImplementedError

    def connection_id(self):
        """Return the physical id of the connection of the stored properties."""
        raise NotImplementedError

    def find_existing(self):
        """Return the id of the connection that an interrupted create has made, or None."""
        return self.connection_id() if self.is_connected() else None

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
        return self.stored_properties()
