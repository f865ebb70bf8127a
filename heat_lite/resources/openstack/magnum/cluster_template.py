"""OS::Magnum::ClusterTemplate."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.base.property_rules import given, refuse
from heat_lite.resources.openstack.magnum.base import MagnumResource
from heat_lite.template.schema import boolean, integer, map_, name_property, string, switch


def _supports(driver, *engines):
    """Return the rule that the engines use the volume driver only."""
    return refuse(
        'Volume driver type {volume_driver} is not supported by COE:{coe}, expecting a '
        f"['{driver}'] volume driver.",
        coe=engines,
        volume_driver=lambda value, read: given(value) and value != driver,
    )


class ClusterTemplate(MagnumResource):
    """A cluster template."""

    resource_type = 'OS::Magnum::ClusterTemplate'
    since = '9.0.0'
    rest = Rest('magnum', '/clustertemplates', None, id='uuid')
    entity = 'cluster_templates'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'coe': string(
            'Container orchestration engine.',
            required=True,
            allowed=['kubernetes', 'swarm', 'mesos'],
        ),
        'external_network': string(
            'External network of the cluster, by name or id.',
            required=True,
            ref='neutron.network',
            wire='external_network_id',
        ),
        'image': string(
            'Image of the nodes, by name or id.', required=True, ref='glance.image', wire='image_id'
        ),
        'dns_nameserver': string('DNS server of the nodes.', custom='ip_addr'),
        'docker_storage_driver': string(
            'Storage driver of the container runtime.',
            default='devicemapper',
            allowed=['devicemapper', 'overlay'],
        ),
        'docker_volume_size': integer(
            'Size of the volume for containers on each node in GiB.', min=1
        ),
        'fixed_network': string(
            'Internal network of the nodes, by name or id.', ref='neutron.network'
        ),
        'fixed_subnet': string(
            'Internal subnet of the nodes, by name or id.', ref='neutron.subnet'
        ),
        'flavor': string(
            'Flavor of the worker nodes, by name or id.', ref='nova.flavor', wire='flavor_id'
        ),
        'floating_ip_enabled': boolean('Whether the nodes have floating IPs.', default=True),
        'http_proxy': string('Proxy for HTTP requests of the nodes.'),
        'https_proxy': string('Proxy for HTTPS requests of the nodes.'),
        'keypair': string(
            'Key pair for access to the nodes, by name.', ref='nova.keypair', wire='keypair_id'
        ),
        'labels': map_('Labels: further settings of the cluster.'),
        'master_flavor': string(
            'Flavor of the master nodes, by name or id.', ref='nova.flavor', wire='master_flavor_id'
        ),
        'master_lb_enabled': boolean(
            'Whether a load balancer distributes requests to the master nodes.', default=True
        ),
        'network_driver': string('Network driver of the containers.'),
        'no_proxy': string('Hosts that the nodes reach without a proxy.'),
        'public': switch('Whether all projects can use the cluster template.', default=False),
        'registry_enabled': boolean('Whether the cluster has an image registry.', default=False),
        'server_type': string(
            'Type of the nodes: virtual machines or bare metal.', default='vm', allowed=['vm', 'bm']
        ),
        'tls_disabled': boolean(
            'Whether TLS is disabled for the API of the cluster.', default=False
        ),
        'volume_driver': string('Volume driver of the containers.', allowed=['cinder', 'rexray']),
    }
    property_rules = (
        _supports('cinder', 'kubernetes'),
        _supports('rexray', 'swarm', 'mesos'),
    )
