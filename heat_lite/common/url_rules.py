"""Which addresses the download of a template may reach."""

import dataclasses
import ipaddress
from collections.abc import Iterator

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

#: addresses of this machine beside those that ``ipaddress`` knows: Linux connects 0.0.0.0 to itself
THIS_NETWORK = ipaddress.ip_network('0.0.0.0/8')
#: addresses at which clouds serve credentials of a machine, beside 169.254.169.254: Amazon's for
#: IPv6, Alibaba's, Azure's
METADATA = tuple(
    map(ipaddress.ip_network, ('fd00:ec2::254/128', '100.100.100.200/32', '168.63.129.16/32'))
)
#: IPv6 networks whose last 32 bits are an IPv4 address: NAT64 (RFC 6052, RFC 8215), SIIT (RFC 2765)
#: and the old "compatible" form
CARRIERS = tuple(
    map(ipaddress.ip_network, ('64:ff9b::/96', '64:ff9b:1::/48', '::ffff:0:0:0/96', '::/96'))
)
IPV4_BITS = 0xFFFFFFFF


@dataclasses.dataclass(frozen=True)
class Rules:
    """Networks that are allowed and refused, and the URL of a proxy.

    Without a rule, addresses of this machine, of its links, and of groups are refused.
    """

    allow: tuple[Network, ...] = ()
    refuse: tuple[Network, ...] = ()
    proxy: str | None = None

    def refuses(self, address: Address) -> bool:
        """Whether a connection to an address is refused; ``allow`` takes precedence."""
        return any(
            (_is_local(form) or _is_in(form, self.refuse)) and not _is_in(form, self.allow)
            for form in forms(address)
        )


def forms(address: Address) -> Iterator[Address]:
    """Yield an address and the IPv4 addresses inside it; only the latter if it is a mapped one."""
    if isinstance(address, ipaddress.IPv4Address):
        yield address
        return
    if address.ipv4_mapped:
        yield address.ipv4_mapped
        return
    yield address
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo
    if int(address) > 1 and any(address in carrier for carrier in CARRIERS):
        yield ipaddress.IPv4Address(int(address) & IPV4_BITS)


def _is_local(address: Address) -> bool:
    return (
        address.is_loopback
        or address.is_link_local
        or address.is_unspecified
        or address.is_multicast
        or _is_in(address, (THIS_NETWORK, *METADATA))
    )


def _is_in(address: Address, networks: tuple[Network, ...]) -> bool:
    return any(address.version == each.version and address in each for each in networks)
