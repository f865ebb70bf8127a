"""OS::Neutron::RBACPolicy."""

from heat_lite.common import exception
from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.neutron.base import NeutronResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import string

#: what may be done with objects other than networks
SHARED = 'access_as_shared'


class RBACPolicy(NeutronResource):
    """Lets another project use an object."""

    resource_type = 'OS::Neutron::RBACPolicy'
    support_status = support.since('6.0.0')
    rest = Rest('neutron', '/rbac-policies', 'rbac_policy', extension='rbac-policies')

    properties_schema = {
        'action': string(
            'What the other project may do with it.', required=True, constraints=[AllowedValues(['access_as_shared', 'access_as_external'])]
        ),
        'object_id': string('The object, by name or id.', required=True),
        'object_type': string(
            'The kind of the object.',
            required=True,
            constraints=[AllowedValues(['network', 'qos_policy', 'security_group', 'address_scope', 'subnetpool'])],
        ),
        'target_tenant': string('The other project, by its id; * means all.', required=True, update_allowed=True),
        'tenant_id': string('The project that owns it, by its id; only an administrator may say so.'),
    }

    def validate(self):
        super().validate()
        kind, action = self.properties['object_type'], self.properties['action']
        if kind != 'network' and action != SHARED:
            raise exception.StackValidationFailed(f'Invalid action "{action}" for object type {kind}. Valid actions: {SHARED}')

    def body(self, values):
        return {
            **super().body(values),
            'object_id': self.stack.clients().find(f'neutron.{self.properties["object_type"]}', values['object_id']),
        }
