"""The base of the Octavia types. An immutable load balancer answers requests with a conflict."""

from heat_lite.resources.base.cloud import CloudResource, Rest


def async_rest(path, key):
    """A Rest for objects that Octavia changes in the background.

    Their requests are retried while the load balancer is immutable.
    """
    return Rest(
        'octavia',
        path,
        key,
        status='provisioning_status',
        ready=('ACTIVE',),
        retry_conflict=True,
        deletes_async=True,
        delete_failed=('ERROR',),
    )


#: {key in requests: key of the list that Octavia shows instead}
PARENTS = {'loadbalancer_id': 'loadbalancers', 'listener_id': 'listeners', 'pool_id': 'pools'}


class OctaviaResource(CloudResource):
    """A load balancer, or an object that belongs to one."""

    def normalize(self, found):
        """Return the object with the ids of its parents under the keys of the request."""
        parents = {key: found[shown][0]['id'] for key, shown in PARENTS.items() if found.get(shown)}
        return {**super().normalize(found), **parents}
