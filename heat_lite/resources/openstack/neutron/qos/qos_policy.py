"""OS::Neutron::QoSPolicy."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template.schema import (
    description_property,
    list_attribute,
    name_property,
    string,
    switch,
)


class QoSPolicy(NeutronResource):
    """A QoS policy: a set of rules for ports and networks."""

    resource_type = 'OS::Neutron::QoSPolicy'
    since = '6.0.0'
    rest = Rest('neutron', '/qos/policies', 'policy', extension='qos')
    entity = 'qos_policy'

    properties_schema = {
        'name': name_property(),
        'description': description_property(),
        'shared': switch('Whether other projects can use the QoS policy.', default=False),
        'tenant_id': string('Project of the QoS policy, by id. Requires administrator rights.'),
    }
    attributes_schema = {'rules': list_attribute('Rules of the QoS policy.')}
