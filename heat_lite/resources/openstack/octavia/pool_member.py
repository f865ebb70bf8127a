"""OS::Octavia::PoolMember."""

from heat_lite.resources.openstack.octavia.base import OctaviaResource, async_rest
from heat_lite.template.schema import integer, list_, string, switch


class PoolMember(OctaviaResource):
    """A member of a pool."""

    resource_type = 'OS::Octavia::PoolMember'
    since = '10.0.0'
    rest = async_rest('/lbaas/pools/{pool}/members', 'member')
    entity = None

    properties_schema = {
        'address': string('IP address of the member.', required=True, custom='ip_addr'),
        'pool': string(
            'Pool of the member, by name or id.', required=True, ref='octavia.pool', sent=False
        ),
        'protocol_port': integer('Protocol port of the member.', required=True, min=1, max=65535),
        'admin_state_up': switch('Administrative state of the member.'),
        'monitor_address': string(
            'IP address for health checks, if it is another one.', custom='ip_addr'
        ),
        'monitor_port': integer('Port for health checks, if it is another one.', min=1, max=65535),
        'subnet': string(
            'Subnet from which the member is reached, by name or id.',
            ref='neutron.subnet',
            wire='subnet_id',
        ),
        'tags': list_('Tags of the member.', update_allowed=True, since='13.0.0'),
        'weight': integer(
            'Weight of the member: its share of the requests.',
            default=1,
            update_allowed=True,
            min=0,
            max=256,
        ),
    }
