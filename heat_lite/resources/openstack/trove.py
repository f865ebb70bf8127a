"""The resource types of Trove."""

import contextlib
import urllib.parse

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.resources.base import live_state
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import (
    conflict,
    empty,
    filled,
    for_each,
    given,
    missing,
    refuse,
)
from heat_lite.template.schema import (
    integer,
    list_,
    list_attribute,
    name_property,
    string,
)

NETWORK, PORT, FIXED_IP = 'network', 'port', 'fixed_ip'
#: where instances and clusters show their datastore
DATASTORE_KEYS = {'datastore_type': 'datastore.type', 'datastore_version': 'datastore.version'}


def networks_property(**options):
    return list_(
        'Networks of the database instance.',
        {
            FIXED_IP: string('Fixed IPv4 address on the network.', custom='ip_addr'),
            NETWORK: string('Network of the interface, by name or id.', ref='neutron.network'),
            PORT: string('Port of the interface, by name or id.', ref='neutron.port'),
        },
        default=[],
        **options,
    )


#: the rules of the networks of an instance, and of the instances of a cluster
EITHER = 'Either network or port must be provided.'
INSTANCE_RULE = for_each(
    'networks', refuse(EITHER, network=lambda value, read: given(value) == given(read(PORT)))
)
CLUSTER_RULE = for_each(
    'networks', refuse(EITHER, network=missing, port=missing), conflict(NETWORK, PORT)
)


def refuse_version(read, resource):
    """Raise StackValidationFailed for a version that its datastore does not have."""
    kind, version = read('datastore_type'), read('datastore_version')
    if not kind or not version:
        return
    path = f'/datastores/{urllib.parse.quote(kind, "")}/versions'
    names = [each['name'] for each in resource.client().list(path, 'versions')]
    if version not in names:
        raise exception.StackValidationFailed(
            f'Datastore version {version} for datastore type {kind} is not valid. Allowed versions '
            f'are {", ".join(names)}.'
        )


def networks_to_wire(networks):
    """Return the networks in the form of the request."""
    names = {NETWORK: 'net-id', PORT: 'port-id', FIXED_IP: 'v4-fixed-ip'}
    return [{names[key]: value for key, value in each.items() if value} for each in networks or ()]


READY = ('ACTIVE', 'HEALTHY')
FAILED = ('ERROR', 'FAILED')
DATABASE_NAME = r'[a-zA-Z0-9_\-]+[a-zA-Z0-9_@?#\s\-]*[a-zA-Z0-9_\-]+'
USER_NAME = r'[a-zA-Z0-9_]+[a-zA-Z0-9_@?#\s]*[a-zA-Z0-9_]+'


def _refuse_unknown_databases(read, resource):
    names = {each['name'] for each in read('databases') or ()}
    for user in read('users') or ():
        unknown = [name for name in user['databases'] if name not in names]
        if unknown:
            raise exception.StackValidationFailed(
                f'Database {unknown} specified for user does not exist in databases for resource '
                f'{resource.name}.'
            )


class Instance(CloudResource):
    """A database instance."""

    resource_type = 'OS::Trove::Instance'
    since = '2014.1'
    rest = Rest(
        'trove',
        '/instances',
        'instance',
        ready=READY,
        failed=FAILED,
        deletes_async=True,
        delete_failed=FAILED,
        update='PATCH',
    )
    entity = 'instances'
    observed_keys = {
        **DATASTORE_KEYS,
        'flavor': 'flavor.id',
        'replica_of': 'replica_of.id',
        'size': 'volume.size',
    }

    properties_schema = {
        'name': name_property(max=255),
        'availability_zone': string('Availability zone of the database instance.'),
        'databases': list_(
            'Databases of the instance.',
            {
                'character_set': string('Character set of the database.', default='utf8'),
                'collate': string('Collation of the database.', default='utf8_general_ci'),
                'name': string(
                    'Name of the database.', required=True, max=64, pattern=DATABASE_NAME
                ),
            },
            default=[],
            update_allowed=True,
        ),
        'datastore_type': string('Datastore type of the instance.', max=255, sent=False),
        'datastore_version': string('Datastore version of the instance.', max=255, sent=False),
        'flavor': string(
            'Flavor of the database instance, by name or id.',
            required=True,
            update_allowed=True,
            ref='trove.flavor',
            wire='flavorRef',
        ),
        'networks': networks_property(sent=False),
        'replica_count': integer('Number of replicas to create.', since='5.0.0'),
        'replica_of': string('Id of the instance that this one replicates.', since='5.0.0'),
        'restore_point': string('Id of the backup from which the instance is created.', sent=False),
        'size': integer(
            'Volume size of the database instance in GiB.',
            required=True,
            update_allowed=True,
            min=1,
            max=150,
            sent=False,
        ),
        'users': list_(
            'Database users of the instance.',
            {
                'databases': list_(
                    'Databases that the user can access.',
                    string(),
                    required=True,
                    update_allowed=True,
                    min=1,
                ),
                'host': string(
                    'Host from which the user can connect.', default='%', update_allowed=True
                ),
                'name': string(
                    'Name of the database user.',
                    required=True,
                    update_allowed=True,
                    max=16,
                    pattern=USER_NAME,
                ),
                'password': string(
                    'Password of the database user.',
                    required=True,
                    update_allowed=True,
                    pattern=USER_NAME,
                ),
            },
            default=[],
            update_allowed=True,
        ),
    }
    property_rules = (
        refuse(
            'Not allowed - datastore_version without datastore_type.',
            datastore_type=empty,
            datastore_version=filled,
        ),
        refuse(
            'Databases property is required if users property is provided for resource '
            '{resource.name}.',
            users=filled,
            databases=empty,
        ),
        _refuse_unknown_databases,
        INSTANCE_RULE,
        refuse_version,
    )
    attributes_schema = {
        'hostname': 'Host name of the instance.',
        'href': 'URL of the instance in the API of Trove.',
    }

    # ------------------------------------------------------------ actions

    def body(self, values):
        body = {
            **values,
            'volume': {'size': self.properties['size']},
            'users': [_user(each) for each in values.get('users') or ()],
        }
        datastore = {
            'type': self.properties['datastore_type'],
            'version': self.properties['datastore_version'],
        }
        if datastore['type']:
            body['datastore'] = {key: value for key, value in datastore.items() if value}
        if self.properties['restore_point']:
            body['restorePoint'] = {'backupRef': self.properties['restore_point']}
        if self.properties['networks']:
            body['nics'] = networks_to_wire(self.properties['networks'])
        return body

    def changes(self, changed, diff):
        """A generator: update the instance; most changes have a request of their own."""
        return {'name': changed['name']} if 'name' in changed else {}

    def follow_up(self, action, diff):
        if action != status.UPDATE:
            return
        if 'flavor' in diff:
            yield from self._act({'resize': {'flavorRef': diff['flavor']}})
        if 'size' in diff:
            yield from self._act({'resize': {'volume': {'size': diff['size']}}})
        if 'databases' in diff:
            yield from self._update_list('databases', diff['databases'] or [])
        if 'users' in diff:
            yield from self._update_users(diff['users'] or [])

    def _act(self, body):
        yield from self.wait_until_ready(None)
        yield from self.send('POST', f'{self.object_path()}/action', body)
        yield 1
        yield from self.wait_until_ready(None)

    def _update_list(self, kind, wanted):
        """A generator: create new databases or users and delete those that are not listed."""
        path = f'{self.object_path()}/{kind}'
        present = {each['name'] for each in self.client().list(path, kind)}
        new = [each for each in wanted if each['name'] not in present]
        if new:
            yield from self.send('POST', path, {kind: [dict(each) for each in new]})
        for name in sorted(present - {each['name'] for each in wanted}):
            yield from self.delete_path(f'{path}/{name}')

    def _update_users(self, wanted):
        path = f'{self.object_path()}/users'
        before = {each['name']: each for each in self.stored_property('users') or ()}
        kept = [each for each in wanted if each['name'] in before]
        yield from self._update_list(
            'users', [each if each['name'] in before else _user(each) for each in wanted]
        )
        for each in kept:
            was = before[each['name']]
            if (each['password'], each['host']) != (was['password'], was['host']):
                values = {
                    'user': {
                        'name': each['name'],
                        'password': each['password'],
                        'host': each['host'],
                    }
                }
                yield from self.send('PUT', f'{path}/{each["name"]}', values)
            yield from self._update_access(
                f'{path}/{each["name"]}/databases', set(was['databases']), set(each['databases'])
            )

    def _update_access(self, path, before, after):
        if after - before:
            names = [{'name': name} for name in sorted(after - before)]
            yield from self.send('PUT', path, {'databases': names})
        for name in sorted(before - after):
            yield from self.delete_path(f'{path}/{name}')

    # ------------------------------------------------------------ attributes

    def resolve_attribute(self, name):
        found = self.show() or {}
        if name == 'href':
            return next(
                (each['href'] for each in found.get('links') or () if each['rel'] == 'self'), None
            )
        return found.get('hostname')


def _user(given):
    return {**given, 'databases': [{'name': name} for name in given['databases']]}


IDLE = 'NONE'
DELETING = 'DELETING'


class TroveCluster(CloudResource):
    """A cluster of database instances."""

    resource_type = 'OS::Trove::Cluster'
    since = '2015.1'
    rest = Rest('trove', '/clusters', 'cluster', deletes_async=True)
    entity = 'clusters'
    observed_keys = {**DATASTORE_KEYS, 'instances': 'instances'}

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
            {
                'availability_zone': string('Availability zone of the instance.', since='14.0.0'),
                'flavor': string(
                    'Flavor of the instance, by name or id.', required=True, ref='trove.flavor'
                ),
                'networks': networks_property(since='10.0.0'),
                'volume_size': integer(
                    'Volume size of the instance in GiB.', required=True, min=1, max=150
                ),
            },
            required=True,
            sent=False,
        ),
    }
    property_rules = (for_each('instances', CLUSTER_RULE), refuse_version)
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
            if _task(found) == IDLE:
                return
            for each in found.get('instances') or ():
                if each.get('status') in ('ERROR', 'FAILED'):
                    raise exception.ResourceInError(
                        resource_status=each['status'], status_reason=f'instance {each.get("id")}'
                    )
            found = None
            yield 1

    def delete_object(self):
        """A generator: delete the cluster after its task has ended.

        The deletion is a task itself.
        """
        with contextlib.suppress(errors.NotFound):
            while _task((yield from self.call_with_retry(self.fetch))) not in (IDLE, DELETING):
                yield 1
        yield from super().delete_object()

    def normalize(self, found):
        """Return the cluster with instances as the template gives them: Trove shows no networks."""
        instances = [
            {'flavor': each['flavor']['id'], 'volume_size': (each.get('volume') or {}).get('size')}
            for each in found['instances']
        ]
        wanted = self.stored_properties().get('instances') or ()
        shown = [{key: each[key] for key in ('flavor', 'volume_size')} for each in wanted]
        is_same = live_state.is_equal(None, shown, instances)
        return {**found, 'instances': wanted if is_same else instances}

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
        body['nics'] = networks_to_wire(given['networks'])
    return body


def _task(found):
    task = found.get('task') or {}
    return task.get('name') if isinstance(task, dict) else task
