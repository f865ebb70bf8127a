"""OS::Magnum::Cluster."""

from heat_lite.resources.base.cloud import Rest
from heat_lite.resources.openstack.magnum.base import MagnumResource
from heat_lite.template.schema import (
    integer,
    integer_attribute,
    list_attribute,
    name_property,
    string,
    text,
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


class Cluster(MagnumResource):
    """A container cluster."""

    resource_type = 'OS::Magnum::Cluster'
    since = '9.0.0'
    rest = Rest(
        'magnum',
        '/clusters',
        None,
        ready=READY,
        failed=FAILED,
        deletes_async=True,
        delete_failed=('DELETE_FAILED',),
        id='uuid',
    )
    entity = 'clusters'

    properties_schema = {
        'name': name_property(update_allowed=False),
        'cluster_template': string(
            'Cluster template, by name or id.',
            required=True,
            ref='magnum.cluster_template',
            wire='cluster_template_id',
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
        'api_address': text('URL of the API of the cluster.'),
        'cluster_template_id': text('Id of the cluster template.'),
        'coe_version': text('Version of the container orchestration engine.'),
        'container_version': text('Version of the container runtime.'),
        'create_timeout': integer_attribute(
            'Timeout of the creation that Magnum shows, in minutes.'
        ),
        'discovery_url': text('Discovery URL that Magnum shows.'),
        'keypair': text('Key pair that Magnum shows.'),
        'master_addresses': list_attribute('IP addresses of the master nodes.'),
        'master_count': integer_attribute('Number of master nodes that Magnum shows.'),
        'name': text('Name of the cluster.'),
        'node_addresses': list_attribute('IP addresses of the worker nodes.'),
        'node_count': integer_attribute('Number of worker nodes that Magnum shows.'),
        'stack_id': text('Id of the stack with which Magnum created the cluster.'),
        'status': text('Status of the cluster.'),
        'status_reason': text('Reason of the status of the cluster.'),
    }
