"""The base of the Octavia types. An immutable load balancer answers requests with a conflict."""

from heat_lite.common import exception
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.live_state import ENTRIES
from heat_lite.template.schema import OURS, list_, map_, string

VALUE_SPECS = 'value_specs'
TLS_VERSIONS = ['SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']
ALPN_PROTOCOLS = ['h2', 'http/1.1', 'http/1.0']


def async_rest(path, key):
    """A Rest for objects that Octavia changes in the background.

    Their requests are retried while the load balancer is immutable.
    """
    return Rest(
        'octavia',
        path,
        key,
        status='provisioning_status',
        ready=('ACTIVE',),
        retry_conflict=True,
        deletes_async=True,
        delete_failed=('ERROR',),
    )


def specs_property(noun):
    return map_(
        f'Further values for the request of the {noun}, which no property has.',
        default={},
        update_allowed=True,
        since=OURS,
        sent=False,
    )


def tags_property(noun):
    return list_(f'Tags of the {noun}.', string(), update_allowed=True, since=OURS)


def tls_properties(noun):
    """Return the properties of the TLS connections to a listener or to the members of a pool."""
    return {
        'alpn_protocols': list_(
            f'Protocols that the {noun} offers by ALPN (Application-Layer Protocol Negotiation), '
            'the preferred one first.',
            string(allowed=ALPN_PROTOCOLS),
            update_allowed=True,
            since=OURS,
        ),
        'tls_ciphers': string(
            f'Ciphers of the TLS connections of the {noun}, in the format of OpenSSL.',
            update_allowed=True,
            since=OURS,
        ),
        'tls_versions': list_(
            f'TLS versions of the connections of the {noun}.',
            string(allowed=TLS_VERSIONS),
            update_allowed=True,
            since=OURS,
        ),
    }


#: {key in requests: key of the list that Octavia shows instead}
PARENTS = {'loadbalancer_id': 'loadbalancers', 'listener_id': 'listeners', 'pool_id': 'pools'}


class OctaviaObject(CloudResource):
    """An object of Octavia.

    ``value_specs`` are added to the request, but must not set what a given property sets.
    """

    observed_keys = {VALUE_SPECS: ENTRIES}

    def validate(self):
        super().validate()
        schemata, specs = self.properties_schema, self.properties[VALUE_SPECS] or {}
        given = {schemata[each].key(each) for each in schemata if self.properties.is_given(each)}
        if found := [key for key in specs if key in given]:
            text = f'{", ".join(found)} not allowed in {VALUE_SPECS}: a property sets the same'
            raise exception.StackValidationFailed(text)

    def request_values(self):
        return {**super().request_values(), **(self.properties[VALUE_SPECS] or {})}

    def changes(self, changed, diff):
        return {**changed, **(diff.get(VALUE_SPECS) or {})}


class OctaviaResource(OctaviaObject):
    """A load balancer, or an object that belongs to one."""

    def normalize(self, found):
        """Return the object with the ids of its parents under the keys of the request."""
        parents = {key: found[shown][0]['id'] for key, shown in PARENTS.items() if found.get(shown)}
        return {**super().normalize(found), **parents}
