"""The ciphers of VPN policies, and what both kinds of policies have."""

from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import (
    description_property,
    integer,
    map_,
    map_attribute,
    name_property,
    string,
    text,
)

ALGORITHM = 'auth_algorithm'
#: the extension of a Neutron that has no longer the default of ALGORITHM
WITHOUT_SHA1 = 'vpn-no-sha1-3des'

AUTHENTICATION = ['sha1', 'sha256', 'sha384', 'sha512', 'aes-xcbc', 'aes-cmac']
#: the modes of AES with each key size
MODES = ('', '-ccm-8', '-ccm-12', '-ccm-16', '-gcm-8', '-gcm-12', '-gcm-16', '-ctr')
ENCRYPTION = ['3des', *(f'aes-{bits}{mode}' for mode in MODES for bits in (128, 192, 256))]
GROUPS = ['group2', 'group5', *(f'group{number}' for number in range(14, 32))]


def properties(protocol, **options):
    """Return the properties that the policies of both protocols have."""
    association = f'the {protocol} security association.'
    return {
        'name': name_property(),
        ALGORITHM: string(
            f'Authentication algorithm of {protocol}.',
            default='sha1',
            allowed=AUTHENTICATION,
            **options,
        ),
        'description': description_property(),
        'encryption_algorithm': string(
            f'Encryption algorithm of {protocol}.',
            default='aes-128',
            allowed=ENCRYPTION,
            **options,
        ),
        'lifetime': map_(
            f'Lifetime of {association}',
            {
                'units': string(
                    f'Unit of the lifetime of {association}',
                    default='seconds',
                    allowed=['seconds', 'kilobytes'],
                ),
                'value': integer(f'Value of the lifetime of {association}', default=3600),
            },
            **options,
        ),
        'pfs': string(
            f'Perfect forward secrecy group of {protocol}.',
            default='group5',
            allowed=GROUPS,
            **options,
        ),
    }


def attributes(protocol):
    """Return the attributes of the policies of both protocols."""
    return {
        ALGORITHM: text(f'Authentication algorithm of the {protocol} policy.'),
        'description': text(f'Description of the {protocol} policy.'),
        'encryption_algorithm': text(f'Encryption algorithm of the {protocol} policy.'),
        'lifetime': map_attribute(f'Lifetime that Neutron shows for the {protocol} policy.'),
        'name': text(f'Name of the {protocol} policy.'),
        'pfs': text(f'Perfect forward secrecy group of the {protocol} policy.'),
        'tenant_id': text(f'Id of the project that owns the {protocol} policy.'),
    }


class VpnPolicy(NeutronResource):
    """A policy of VPN connections, whose authentication algorithm is one that Neutron has."""

    def body(self, values):
        return {**super().body(values), **self._default_algorithm()}

    def changes(self, changed, diff):
        algorithm = self._default_algorithm() if ALGORITHM in diff else {}
        return {**super().changes(changed, diff), **algorithm}

    def _default_algorithm(self):
        if self.properties.is_given(ALGORITHM) or self.missing_extension(WITHOUT_SHA1):
            return {}
        return {ALGORITHM: 'sha256'}

    def normalize(self, found):
        """Return the policy without an algorithm that Neutron or a default has chosen."""
        found = super().normalize(found)
        given = self.stored_properties().is_given(ALGORITHM)
        return found if given else {**found, ALGORITHM: self.stored_property(ALGORITHM)}
