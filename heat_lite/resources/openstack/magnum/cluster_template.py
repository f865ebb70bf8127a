"""OS::Magnum::ClusterTemplate."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.magnum.base import MagnumResource
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues, CustomConstraint, Range
from heat_lite.template.schema import boolean, integer, map_, string


class ClusterTemplate(MagnumResource):
    """What clusters are made from."""

    resource_type = 'OS::Magnum::ClusterTemplate'
    support_status = support.since('9.0.0')
    rest = Rest('magnum', '/clustertemplates', None, id='uuid')
    entity = 'cluster_templates'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'coe': string('What runs the containers.', required=True, constraints=[AllowedValues(['kubernetes', 'swarm', 'mesos'])]),
        'external_network': string('The network outside, by name or id.', required=True, ref='neutron.network', wire='external_network_id'),
        'image': string('The image of the nodes, by name or id.', required=True, ref='glance.image', wire='image_id'),
        'dns_nameserver': string('The name server of the nodes.', constraints=[CustomConstraint('ip_addr')]),
        'docker_storage_driver': string(
            'How they are kept there.', default='devicemapper', constraints=[AllowedValues(['devicemapper', 'overlay'])]
        ),
        'docker_volume_size': integer('The disk for containers of each node, in GiB.', constraints=[Range(min=1)]),
        'fixed_network': string('The network inside, by name or id.', ref='neutron.network'),
        'fixed_subnet': string('The subnet inside, by name or id.', ref='neutron.subnet'),
        'flavor': string('The flavor of the nodes, by name or id.', ref='nova.flavor', wire='flavor_id'),
        'floating_ip_enabled': boolean('Whether nodes have floating addresses.', default=True),
        'http_proxy': string('The proxy for HTTP.'),
        'https_proxy': string('The proxy for HTTPS.'),
        'keypair': string('The key pair by which one logs in to them.', ref='nova.keypair', wire='keypair_id'),
        'labels': map_('Further settings.'),
        'master_flavor': string('The flavor of the masters, by name or id.', ref='nova.flavor', wire='master_flavor_id'),
        'master_lb_enabled': boolean('Whether there is a load balancer before the masters.', default=True),
        'network_driver': string('What connects the containers.'),
        'no_proxy': string('What is reached without a proxy.'),
        'public': boolean('Whether other projects may use it.', default=False, update_allowed=True),
        'registry_enabled': boolean('Whether clusters have a registry of images.', default=False),
        'server_type': string(
            'What the nodes are: virtual machines or bare metal.', default='vm', constraints=[AllowedValues(['vm', 'bm'])]
        ),
        'tls_disabled': boolean('Whether the API of the cluster goes without TLS.', default=False),
        'volume_driver': string('What gives them volumes.', constraints=[AllowedValues(['cinder', 'rexray'])]),
    }
