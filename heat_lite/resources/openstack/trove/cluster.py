"""OS::Trove::Cluster."""

import contextlib

from heat_lite.clients import errors
from heat_lite.common import exception
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.resources.openstack.trove import networks
from heat_lite.template import support
from heat_lite.template.constraints import Length, Range
from heat_lite.template.schema import integer, list_, list_attribute, map_, string

READY = 'NONE'
DELETING = 'DELETING'


class Cluster(CloudResource):
    """Databases that work together."""

    resource_type = 'OS::Trove::Cluster'
    support_status = support.since('2015.1')
    rest = Rest('trove', '/clusters', 'cluster', vanishes=True)
    entity = 'clusters'

    properties_schema = {
        'name': string('Its name. Without one, one is made up from those of the stack and of the resource.', constraints=[Length(max=255)]),
        'datastore_type': string('The kind of database.', required=True, constraints=[Length(max=255)], sent=False),
        'datastore_version': string('Its version.', required=True, constraints=[Length(max=255)], sent=False),
        'instances': list_(
            'Its databases.',
            map_(
                None,
                {
                    'availability_zone': string('Where it lives.', support=support.since('14.0.0')),
                    'flavor': string('How large it is, by name or id.', required=True, ref='trove.flavor'),
                    'networks': networks.schema(support=support.since('10.0.0')),
                    'volume_size': integer('How many GiB it can keep.', required=True, constraints=[Range(min=1, max=150)]),
                },
            ),
            required=True,
            sent=False,
        ),
    }
    attributes_schema = {
        'instances': list_attribute('The ids of its databases.'),
        'ip': list_attribute('Their addresses.'),
    }

    def validate(self):
        super().validate()
        if self.properties['datastore_type'] and not self.properties['datastore_version']:
            raise exception.ResourcePropertyDependency(prop1='datastore_type', prop2='datastore_version')
        for each in self.properties['instances'] or ():
            networks.check(each['networks'])

    def body(self, values):
        datastore = {'type': self.properties['datastore_type'], 'version': self.properties['datastore_version']}
        return {**values, 'datastore': datastore, 'instances': [_instance(each) for each in self.properties['instances']]}

    def until_ready(self, found):
        """It is ready when it has no task."""
        while True:
            found = found or (yield from self.ask(self.look))
            if _task(found) == READY:
                return
            for each in found.get('instances') or ():
                if each.get('status') in ('ERROR', 'FAILED'):
                    raise exception.ResourceInError(resource_status=each['status'], status_reason=f'instance {each.get("id")}')
            found = None
            yield 1

    def handle_delete(self):
        """Not while it has a task; being deleted is one."""
        if self.resource_id is None:
            return
        with contextlib.suppress(errors.NotFound):
            while _task((yield from self.ask(self.look))) not in (READY, DELETING):
                yield 1
        yield from super().handle_delete()

    def resolve_attribute(self, name):
        found = self.show() or {}
        if name == 'instances':
            return [each['id'] for each in found.get('instances') or ()]
        return super().resolve_attribute(name)


def _instance(given):
    made = {'flavorRef': given['flavor'], 'volume': {'size': given['volume_size']}}
    if given['availability_zone']:
        made['availability_zone'] = given['availability_zone']
    if given['networks']:
        made['nics'] = networks.wire(given['networks'])
    return made


def _task(found):
    task = found.get('task') or {}
    return task.get('name') if isinstance(task, dict) else task
