"""AWS::EC2::NetworkInterface."""

from heat_lite.resources.aws.ec2.base import Ec2Object, tags
from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.common_properties import not_implemented
from heat_lite.template.schema import boolean, list_, string


class NetworkInterface(Ec2Object):
    """A port that can be created before its instance."""

    resource_type = 'AWS::EC2::NetworkInterface'
    rest = Rest('neutron', '/ports', 'port')
    entity = None

    properties_schema = {
        'SubnetId': string(
            'ID of the subnet of the network interface.',
            required=True,
            ref='neutron.subnet',
            sent=False,
        ),
        'PrivateIpAddress': string(
            'IP address of the network interface; without one, any address of the subnet.',
            sent=False,
        ),
        'GroupSet': list_(
            'IDs of the security groups of the network interface.',
            update_allowed=True,
            resolves='neutron.security_group',
            wire='security_groups',
        ),
        'Description': string(
            'Description of the network interface; kept in the template only.', sent=False
        ),
        'SourceDestCheck': not_implemented(boolean, sent=False),
        'Tags': tags(implemented=False),
    }
    attributes_schema = {'PrivateIpAddress': 'IP address of the network interface in its subnet.'}

    def body(self, values):
        subnet, address = self.properties['SubnetId'], self.properties['PrivateIpAddress']
        network = self.client().show(f'/subnets/{subnet}', 'subnet')['network_id']
        fixed = {'subnet_id': subnet, **({'ip_address': address} if address else {})}
        return {
            **super().body(values),
            'network_id': network,
            'admin_state_up': True,
            'fixed_ips': [fixed],
        }

    def changes(self, changed, diff):
        """Return the body of the update request.

        Without a GroupSet, the port gets the default security group of the project again.
        """
        if changed.get('security_groups', True) is None:
            found = self.client().list(
                '/security-groups',
                'security_groups',
                name='default',
                project_id=self.fetch()['project_id'],
            )
            changed['security_groups'] = [each['id'] for each in found]
        return changed

    def resolve_attribute(self, name):
        addresses = self.fetch()['fixed_ips'] if self.resource_id else None
        return addresses[0]['ip_address'] if addresses else None
