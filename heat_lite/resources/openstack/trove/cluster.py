"""OS::Trove::Cluster."""

import contextlib

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import for_each
from heat_lite.resources.openstack.trove import nics
from heat_lite.template.schema import integer, list_, list_attribute, map_, name_property, string

READY = 'NONE'
DELETING = 'DELETING'


class TroveCluster(CloudResource):
    """A cluster of database instances."""

    resource_type = 'OS::Trove::Cluster'
    since = '2015.1'
    rest = Rest('trove', '/clusters', 'cluster', deletes_async=True)
    entity = 'clusters'

    properties_schema = {
        'name': name_property(update_allowed=False, max=255),
        'datastore_type': string(
            'Datastore type of the cluster.', required=True, max=255, sent=False
        ),
        'datastore_version': string(
            'Datastore version of the cluster.', required=True, max=255, sent=False
        ),
        'instances': list_(
            'Instances of the cluster.',
            map_(
                None,
                {
                    'availability_zone': string(
                        'Availability zone of the instance.', since='14.0.0'
                    ),
                    'flavor': string(
                        'Flavor of the instance, by name or id.', required=True, ref='trove.flavor'
                    ),
                    'networks': nics.schema(since='10.0.0'),
                    'volume_size': integer(
                        'Volume size of the instance in GiB.', required=True, min=1, max=150
                    ),
                },
            ),
            required=True,
            sent=False,
        ),
    }
    property_rules = (for_each('instances', nics.CLUSTER_RULE), nics.refuse_version)
    attributes_schema = {
        'instances': list_attribute('Ids of the instances.'),
        'ip': list_attribute('IP addresses of the instances.'),
    }

    def body(self, values):
        datastore = {
            'type': self.properties['datastore_type'],
            'version': self.properties['datastore_version'],
        }
        return {
            **values,
            'datastore': datastore,
            'instances': [_instance(each) for each in self.properties['instances']],
        }

    def wait_until_ready(self, found):
        """A generator: wait until the cluster has no task."""
        while True:
            found = found or (yield from self.call_with_retry(self.fetch))
            if _task(found) == READY:
                return
            for each in found.get('instances') or ():
                if each.get('status') in ('ERROR', 'FAILED'):
                    raise exception.ResourceInError(
                        resource_status=each['status'], status_reason=f'instance {each.get("id")}'
                    )
            found = None
            yield 1

    def handle_delete(self):
        """A generator: delete the cluster after its task has ended.

        The deletion is a task itself.
        """
        if self.resource_id is None:
            return
        with contextlib.suppress(errors.NotFound):
            while _task((yield from self.call_with_retry(self.fetch))) not in (READY, DELETING):
                yield 1
        yield from super().handle_delete()

    def resolve_attribute(self, name):
        found = self.show() or {}
        if name == 'instances':
            return [each['id'] for each in found.get('instances') or ()]
        return super().resolve_attribute(name)


def _instance(given):
    body = {'flavorRef': given['flavor'], 'volume': {'size': given['volume_size']}}
    if given['availability_zone']:
        body['availability_zone'] = given['availability_zone']
    if given['networks']:
        body['nics'] = nics.to_wire(given['networks'])
    return body


def _task(found):
    task = found.get('task') or {}
    return task.get('name') if isinstance(task, dict) else task
