"""The ciphers of VPN policies."""

from heat_lite.resources.openstack.neutron.base import NeutronResource

ALGORITHM = 'auth_algorithm'
#: the extension of a Neutron that has no longer the default of ALGORITHM
WITHOUT_SHA1 = 'vpn-no-sha1-3des'

AUTHENTICATION = ['sha1', 'sha256', 'sha384', 'sha512', 'aes-xcbc', 'aes-cmac']
#: the modes of AES with each key size
MODES = ('', '-ccm-8', '-ccm-12', '-ccm-16', '-gcm-8', '-gcm-12', '-gcm-16', '-ctr')
ENCRYPTION = ['3des', *(f'aes-{bits}{mode}' for mode in MODES for bits in (128, 192, 256))]
GROUPS = ['group2', 'group5', *(f'group{number}' for number in range(14, 32))]


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
