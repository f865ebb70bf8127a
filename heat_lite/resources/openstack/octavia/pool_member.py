"""OS::Octavia::PoolMember."""

from heat_lite.resources.openstack.octavia.base import OctaviaResource, waited_for
from heat_lite.template import support
from heat_lite.template.constraints import CustomConstraint, Range
from heat_lite.template.schema import boolean, integer, list_, string


class PoolMember(OctaviaResource):
    """One who does the work behind a load balancer."""

    resource_type = 'OS::Octavia::PoolMember'
    support_status = support.since('10.0.0')
    rest = waited_for('/lbaas/pools/{pool}/members', 'member')
    entity = None
    default_client_name = 'octavia'

    properties_schema = {
        'address': string('Its address.', required=True, constraints=[CustomConstraint('ip_addr')]),
        'pool': string('The pool that it belongs to, by name or id.', required=True, ref='octavia.pool', sent=False),
        'protocol_port': integer('Its port number.', required=True, constraints=[Range(min=1, max=65535)]),
        'admin_state_up': boolean('Whether it is switched on.', default=True, update_allowed=True),
        'monitor_address': string('The address at which its health is asked for.', constraints=[CustomConstraint('ip_addr')]),
        'monitor_port': integer('The port number at which it is.', constraints=[Range(min=1, max=65535)]),
        'subnet': string('The subnet from which it is reached, by name or id.', ref='neutron.subnet', wire='subnet_id'),
        'tags': list_('Labels.', update_allowed=True, support=support.since('13.0.0')),
        'weight': integer(
            'How much of the work it does, compared with others.', default=1, update_allowed=True, constraints=[Range(min=0, max=256)]
        ),
    }
