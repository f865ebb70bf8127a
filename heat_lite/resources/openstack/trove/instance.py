"""OS::Trove::Instance."""

from heat_lite.common import exception, status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.property_rules import empty, filled, refuse
from heat_lite.resources.openstack.trove import nics
from heat_lite.template.schema import integer, list_, map_, name_property, string, text

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
    )
    entity = 'instances'

    properties_schema = {
        'name': name_property(max=255),
        'availability_zone': string('Availability zone of the database instance.'),
        'databases': list_(
            'Databases of the instance.',
            map_(
                None,
                {
                    'character_set': string('Character set of the database.', default='utf8'),
                    'collate': string('Collation of the database.', default='utf8_general_ci'),
                    'name': string(
                        'Name of the database.', required=True, max=64, pattern=DATABASE_NAME
                    ),
                },
            ),
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
        'networks': nics.schema(sent=False),
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
            map_(
                None,
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
            ),
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
        nics.INSTANCE_RULE,
        nics.refuse_version,
    )
    attributes_schema = {
        'hostname': text('Host name of the instance.'),
        'href': text('URL of the instance in the API of Trove.'),
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
            body['nics'] = nics.to_wire(self.properties['networks'])
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

    def update_object(self, values):
        yield from self.call_with_retry(
            self.client().update, self.object_path(), self.rest.key, values, 'PATCH'
        )

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
