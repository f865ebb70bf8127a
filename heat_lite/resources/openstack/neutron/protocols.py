"""The protocols of security group rules."""

NAMES = (
    'ah dccp egp esp gre icmp icmpv6 igmp ipv6-encap ipv6-frag ipv6-icmp '
    'ipv6-nonxt ipv6-opts ipv6-route ospf pgm rsvp sctp tcp udp udplite vrrp'
).split()
#: all protocol numbers of IP, and the names that Neutron knows
PROTOCOLS = [*range(256), *NAMES]
