"""OS::Neutron::RBACPolicy."""

from heat_lite.resources.base.live_state import with_name
from heat_lite.resources.base.property_rules import but, refuse
from heat_lite.resources.openstack.neutron.base import NeutronResource, neutron_rest
from heat_lite.template.schema import string

#: object types other than networks -> their only action
SHARED = 'access_as_shared'


class RBACPolicy(NeutronResource):
    """An RBAC policy: shares an object with another project."""

    resource_type = 'OS::Neutron::RBACPolicy'
    since = '6.0.0'
    rest = neutron_rest('/rbac-policies', 'rbac_policy', 'rbac-policies')
    unique_by = ('action', 'object_id', 'object_type', 'target_tenant')

    properties_schema = {
        'action': string(
            'Action that the policy allows.',
            required=True,
            allowed=['access_as_shared', 'access_as_external'],
        ),
        'object_id': string('Object to share, by name or id.', required=True),
        'object_type': string(
            'Type of the object to share.',
            required=True,
            allowed=['network', 'qos_policy', 'security_group', 'address_scope', 'subnetpool'],
            ours=['address_group'],
        ),
        'target_tenant': string(
            'Id of the project with which the object is shared; "*" means all projects.',
            required=True,
            update_allowed=True,
        ),
        'tenant_id': string('Project of the RBAC policy, by id. Requires administrator rights.'),
    }
    property_rules = (
        refuse(
            f'Invalid action "{{action}}" for object type {{object_type}}. Valid actions: {SHARED}',
            object_type=but('network'),
            action=but(SHARED),
        ),
    )

    def body(self, values):
        return {
            **super().body(values),
            'object_id': self._object_id(values['object_id']),
        }

    def _object_id(self, name):
        return self.stack.clients().find(f'neutron.{self.properties["object_type"]}', name)

    def normalize(self, found):
        """Return the policy with its object as the template names it."""
        named = self.stored_properties().get('object_id')
        return with_name(super().normalize(found), 'object_id', named, self._object_id)
