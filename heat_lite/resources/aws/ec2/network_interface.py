"""AWS::EC2::NetworkInterface."""

from heat_lite.resources.aws.ec2.base import Ec2Object, tags
from heat_lite.resources.cloud import Rest
from heat_lite.template.schema import boolean, list_, string, text


class NetworkInterface(Ec2Object):
    """A network card that is there before the server that it is for."""

    resource_type = 'AWS::EC2::NetworkInterface'
    rest = Rest('neutron', '/ports', 'port')
    entity = None

    properties_schema = {
        'SubnetId': string('The subnet that it is in.', required=True, ref='neutron.subnet', sent=False),
        'PrivateIpAddress': string('Its address; without one, any of the subnet.', sent=False),
        'GroupSet': list_(
            'Its security groups, by their references.', update_allowed=True, resolves='neutron.security_group', wire='security_groups'
        ),
        'Description': string('What it is for; kept in the template only.', sent=False),
        'SourceDestCheck': boolean('Not used.', implemented=False, sent=False),
        'Tags': tags(implemented=False),
    }
    attributes_schema = {'PrivateIpAddress': text('Its address.')}

    def body(self, values):
        subnet, address = self.properties['SubnetId'], self.properties['PrivateIpAddress']
        network = self.client().show(f'/subnets/{subnet}', 'subnet')['network_id']
        fixed = {'subnet_id': subnet, **({'ip_address': address} if address else {})}
        return {**super().body(values), 'network_id': network, 'admin_state_up': True, 'fixed_ips': [fixed]}

    def changes(self, changed, diff):
        """Without groups it has that of the project, as at first."""
        if changed.get('security_groups', True) is None:
            found = self.client().list('/security-groups', 'security_groups', name='default', project_id=self.look()['project_id'])
            changed['security_groups'] = [each['id'] for each in found]
        return changed

    def resolve_attribute(self, name):
        addresses = self.look()['fixed_ips'] if self.resource_id else None
        return addresses[0]['ip_address'] if addresses else None
