"""OS::Neutron::LocalIP and OS::Neutron::LocalIPAssociation."""

from heat_lite.resources.base.property_rules import one_of
from heat_lite.resources.openstack.neutron.base import (
    MARK,
    NeutronResource,
    neutron_rest,
    project_property,
)
from heat_lite.template.schema import (
    OURS,
    description_property,
    name_property,
    parent,
    reference,
    string,
)

EXTENSION = 'local_ip'


class LocalIP(NeutronResource):
    """A local IP: an address that leads to another port on each compute host."""

    resource_type = 'OS::Neutron::LocalIP'
    since = OURS
    rest = neutron_rest('/local_ips', 'local_ip', EXTENSION, mark=MARK)

    properties_schema = {
        'name': name_property(),
        'description': description_property(),
        'ip_mode': string(
            'Whether the address of packets is translated or passed through.',
            default='translate',
            allowed=['translate', 'passthrough'],
        ),
        'local_ip_address': string(
            'Address of the local IP. If omitted, that of the port or one of the network.',
            custom='ip_addr',
        ),
        'local_port': reference(
            'neutron.port', 'Port whose address becomes the local IP, by name or id.'
        ),
        'network': reference(
            'neutron.network', 'Network that the local IP is allocated from, by name or id.'
        ),
        'project': project_property('local IP'),
    }
    property_rules = (one_of('local_port', 'network'),)
    attributes_schema = {
        'local_ip_address': 'Address of the local IP that Neutron shows.',
        'local_port_id': 'Id of the port that holds the address.',
    }


class LocalIPAssociation(NeutronResource):
    """The association of a port with a local IP, for the compute host of the port."""

    resource_type = 'OS::Neutron::LocalIPAssociation'
    since = OURS
    rest = neutron_rest(
        '/local_ips/{local_ip}/port_associations', 'port_association', EXTENSION, id='fixed_port_id'
    )
    unique_by = ('fixed_port',)

    properties_schema = {
        'fixed_port': reference(
            'neutron.port', 'Port that the local IP leads to, by name or id.', required=True
        ),
        'local_ip': parent('neutron.local_ip', 'Local IP that leads to the port, by name or id.'),
        'fixed_ip': string('Address of the port, if it has several.', custom='ip_addr'),
    }
    attributes_schema = {
        'host': 'Compute host of the port.',
        'local_ip_address': 'Address that leads to the port.',
    }
