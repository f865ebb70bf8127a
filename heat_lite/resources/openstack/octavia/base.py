"""What the types of the load balancing service share: a load balancer that is being changed refuses everything for a while."""

from heat_lite.resources.cloud import CloudResource, Rest


def waited_for(path, key):
    """Where an object is that is changed in the background, and busy meanwhile, as is the load balancer that it belongs to."""
    return Rest('octavia', path, key, status='provisioning_status', ready=('ACTIVE',), retry_conflict=True, vanishes=True, stuck=('ERROR',))


class OctaviaResource(CloudResource):
    """An object that belongs to a load balancer, or is one."""
