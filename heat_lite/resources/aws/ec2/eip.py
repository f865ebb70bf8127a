"""AWS::EC2::EIP."""

from heat_lite.resources.aws.ec2.base import ATTACHMENT, TABLE_OF_SUBNET, OnNetwork, named
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import string, text

ADDRESS = 'address'


class EIP(OnNetwork):
    """An address outside; its reference is the address itself."""

    resource_type = 'AWS::EC2::EIP'
    default_client_name = 'nova'

    properties_schema = {
        'Domain': string(
            'Not used: each address is one of the network outside.',
            constraints=[AllowedValues(['vpc'])],
            support=support.deprecated('9.0.0'),
        ),
        'InstanceId': string('The server that it stands for.', update_allowed=True, ref='nova.server'),
    }
    attributes_schema = {'AllocationId': text('Its id.')}

    def implied_dependencies(self, others):
        """What leads outside: a server that nothing leads to gets no such address."""
        return [*named(self, others, ATTACHMENT), *named(self, others, TABLE_OF_SUBNET)]

    def handle_create(self):
        if self.resource_id is None:
            values = {'floating_network_id': self.outside(), 'description': self.physical_resource_name()}
            made = yield from self.ask(self.client().create, '/floatingips', 'floatingip', values)
            self.resource_id_set(made['id'])
        self.data_set(ADDRESS, self.look()['floating_ip_address'])
        if self.properties['InstanceId']:
            yield from self.lead_in(self.resource_id, self.port_of_server(self.properties['InstanceId']))

    def find_existing(self):
        """It has no name, but what it was said to be for."""
        known = self.physical_resource_name()
        found = self.client().list('/floatingips', 'floatingips', description=known)
        return next((each['id'] for each in found if each.get('description') == known), None)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if 'InstanceId' in prop_diff:
            server = prop_diff['InstanceId']
            yield from self.lead_in(self.resource_id, self.port_of_server(server) if server else None)

    def handle_delete(self):
        if self.resource_id is not None:
            yield from self.take_away(self.client().delete, f'/floatingips/{self.resource_id}')

    def handle_check(self):
        self.look()

    def look(self):
        return self.client().show(f'/floatingips/{self.resource_id}', 'floatingip')

    def get_reference_id(self):
        return self.data().get(ADDRESS) or self.name

    def resolve_attribute(self, name):
        return self.resource_id
