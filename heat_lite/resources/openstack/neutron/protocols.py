"""What rules of security groups know by number and by name."""

NAMES = (
    'ah dccp egp esp gre icmp icmpv6 igmp ipv6-encap ipv6-frag ipv6-icmp '
    'ipv6-nonxt ipv6-opts ipv6-route ospf pgm rsvp sctp tcp udp udplite vrrp'
).split()
#: each number of the protocol field of IP, and what some of them are called
PROTOCOLS = [*range(256), *NAMES]
