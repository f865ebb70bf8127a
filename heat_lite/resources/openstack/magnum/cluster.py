"""OS::Magnum::Cluster."""

from heat_lite.resources.cloud import Rest
from heat_lite.resources.openstack.magnum.base import MagnumResource
from heat_lite.template import support
from heat_lite.template.constraints import Range
from heat_lite.template.schema import integer, integer_attribute, list_attribute, string, text

READY = ('CREATE_COMPLETE', 'UPDATE_COMPLETE', 'ADOPT_COMPLETE', 'CHECK_COMPLETE', 'RESUME_COMPLETE', 'ROLLBACK_COMPLETE')
FAILED = ('CREATE_FAILED', 'UPDATE_FAILED', 'ROLLBACK_FAILED')


class Cluster(MagnumResource):
    """A cluster that runs containers."""

    resource_type = 'OS::Magnum::Cluster'
    support_status = support.since('9.0.0')
    rest = Rest('magnum', '/clusters', None, ready=READY, failed=FAILED, vanishes=True, stuck=('DELETE_FAILED',), id='uuid')
    entity = 'clusters'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.'),
        'cluster_template': string(
            'What it is made from, by name or id.', required=True, ref='magnum.cluster_template', wire='cluster_template_id'
        ),
        'create_timeout': integer('Minutes that making it may take.', default=60, update_allowed=True, constraints=[Range(min=0)]),
        'discovery_url': string('Where nodes find each other.', update_allowed=True),
        'keypair': string('The key pair by which one logs in to its nodes.', ref='nova.keypair'),
        'master_count': integer('How many masters it has.', default=1, update_allowed=True, constraints=[Range(min=1)]),
        'node_count': integer('How many nodes it has.', default=1, update_allowed=True, constraints=[Range(min=1)]),
    }
    attributes_schema = {
        'api_address': text('The address of its API.'),
        'cluster_template_id': text('What it is made from.'),
        'coe_version': text('The version of what runs the containers.'),
        'container_version': text('The version of what containers run in.'),
        'create_timeout': integer_attribute('Minutes that making it may take.'),
        'discovery_url': text('Where nodes find each other.'),
        'keypair': text('The key pair by which one logs in to its nodes.'),
        'master_addresses': list_attribute('The addresses of its masters.'),
        'master_count': integer_attribute('How many masters it has.'),
        'name': text('Its name.'),
        'node_addresses': list_attribute('The addresses of its nodes.'),
        'node_count': integer_attribute('How many nodes it has.'),
        'stack_id': text('The stack that it is made by.'),
        'status': text('Its status.'),
        'status_reason': text('Why it has its status.'),
    }
