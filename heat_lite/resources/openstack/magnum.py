"""The resource types of Magnum."""

from heat_lite.common import status
from heat_lite.resources.base import json_patch
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import above, given, needs_version, refuse
from heat_lite.template import support
from heat_lite.template.schema import (
    OURS,
    boolean,
    integer,
    integer_attribute,
    list_attribute,
    map_,
    name_property,
    parent,
    reference,
    string,
    switch,
)


class MagnumResource(CloudResource):
    """An object that is updated by a JSON patch."""

    def update_object(self, values):
        yield from self.send(
            'PATCH', self.object_path(), json_patch.operations(self.fetch(), values)
        )


READY = (
    'CREATE_COMPLETE',
    'UPDATE_COMPLETE',
    'ADOPT_COMPLETE',
    'CHECK_COMPLETE',
    'RESUME_COMPLETE',
    'ROLLBACK_COMPLETE',
)
FAILED = ('CREATE_FAILED', 'UPDATE_FAILED', 'ROLLBACK_FAILED')


def _of_nodes(path):
    """Return where objects with nodes are, and the states that they have."""
    return Rest(
        'magnum',
        path,
        None,
        ready=READY,
        failed=FAILED,
        deletes_async=True,
        delete_failed=('DELETE_FAILED',),
        id='uuid',
    )


class Cluster(MagnumResource):
    """A container cluster."""

    resource_type = 'OS::Magnum::Cluster'
    since = '9.0.0'
    rest = _of_nodes('/clusters')
    entity = 'clusters'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'cluster_template': reference(
            'magnum.cluster_template', 'Cluster template, by name or id.', required=True
        ),
        'create_timeout': integer(
            'Timeout of the creation in minutes.', default=60, update_allowed=True, min=0
        ),
        'discovery_url': string('URL by which the nodes discover each other.', update_allowed=True),
        'keypair': string('Key pair for access to the nodes of the cluster.', ref='nova.keypair'),
        'master_count': integer('Number of master nodes.', default=1, update_allowed=True, min=1),
        'node_count': integer('Number of worker nodes.', default=1, update_allowed=True, min=1),
    }
    attributes_schema = {
        'api_address': 'URL of the API of the cluster.',
        'cluster_template_id': 'Id of the cluster template.',
        'coe_version': 'Version of the container orchestration engine.',
        'container_version': 'Version of the container runtime.',
        'create_timeout': integer_attribute(
            'Timeout of the creation that Magnum shows, in minutes.'
        ),
        'discovery_url': 'Discovery URL that Magnum shows.',
        'keypair': 'Key pair that Magnum shows.',
        'master_addresses': list_attribute('IP addresses of the master nodes.'),
        'master_count': integer_attribute('Number of master nodes that Magnum shows.'),
        'name': 'Name of the cluster.',
        'node_addresses': list_attribute('IP addresses of the worker nodes.'),
        'node_count': integer_attribute('Number of worker nodes that Magnum shows.'),
        'stack_id': 'Id of the stack with which Magnum created the cluster.',
        'status': 'Status of the cluster.',
        'status_reason': 'Reason of the status of the cluster.',
    }


class NodeGroup(MagnumResource):
    """A node group: further nodes of a container cluster, of one flavor and role."""

    resource_type = 'OS::Magnum::NodeGroup'
    since = OURS
    rest = _of_nodes('/clusters/{cluster}/nodegroups')
    entity = 'nodegroups'

    properties_schema = {
        'cluster': parent('magnum.cluster', 'Cluster of the nodes, by name or id.'),
        'name': name_property(update_allowed=False),
        'docker_volume_size': integer('Size of the volume for containers in GiB.', min=1),
        'flavor': reference(
            'nova.flavor', 'Flavor of the nodes, by name or id. If omitted, that of the cluster.'
        ),
        'image': reference(
            'glance.image', 'Image of the nodes, by name or id. If omitted, that of the cluster.'
        ),
        'labels': map_('Labels: further settings of the nodes.'),
        'max_node_count': integer(
            'Largest number of nodes for the autoscaler.', update_allowed=True, min=1
        ),
        'merge_labels': boolean('Whether the labels of the cluster apply, too.', default=False),
        'min_node_count': integer(
            'Smallest number of nodes for the autoscaler.', default=0, update_allowed=True, min=0
        ),
        'node_count': integer('Number of nodes.', default=1, update_allowed=True, min=0),
        'role': string('Role of the nodes.', default='worker'),
    }
    property_rules = (
        needs_version('1.9', 'cluster', cluster=given),
        refuse(
            'max_node_count is less than min_node_count.', min_node_count=above('max_node_count')
        ),
    )
    attributes_schema = {
        'node_addresses': list_attribute('IP addresses of the nodes.'),
        'status': 'Status of the node group.',
    }

    def changes(self, changed, diff):
        changed.pop('node_count', None)  # see follow_up
        return changed

    def follow_up(self, action, diff):
        if action == status.UPDATE and 'node_count' in diff:
            path = f'/clusters/{self.stored_property("cluster")}/actions/resize'
            body = {'node_count': diff['node_count'], 'nodegroup': self.resource_id}
            yield from self.send('POST', path, body)


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
        'external_network': reference(
            'neutron.network', 'External network of the cluster, by name or id.', required=True
        ),
        'image': reference('glance.image', 'Image of the nodes, by name or id.', required=True),
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
        'flavor': reference('nova.flavor', 'Flavor of the worker nodes, by name or id.'),
        'floating_ip_enabled': boolean('Whether the nodes have floating IPs.', default=True),
        'http_proxy': string('Proxy for HTTP requests of the nodes.'),
        'https_proxy': string('Proxy for HTTPS requests of the nodes.'),
        'keypair': reference('nova.keypair', 'Key pair for access to the nodes, by name.'),
        'labels': map_('Labels: further settings of the cluster.'),
        'master_flavor': reference('nova.flavor', 'Flavor of the master nodes, by name or id.'),
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


class BayModel(ClusterTemplate):
    """The former name of a cluster template."""

    resource_type = 'OS::Magnum::BayModel'
    support_status = support.SupportStatus(
        support.HIDDEN,
        '11.0.0',
        previous=support.SupportStatus(
            support.DEPRECATED,
            '9.0.0',
            previous=support.history('supported 5.0.0'),
            substitute=ClusterTemplate,
        ),
    )
