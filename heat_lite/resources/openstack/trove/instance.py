"""OS::Trove::Instance."""

from heat_lite.common import exception, status
from heat_lite.resources.cloud import CloudResource, Rest
from heat_lite.resources.openstack.trove import networks
from heat_lite.template import support
from heat_lite.template.constraints import AllowedPattern, Length, Range
from heat_lite.template.schema import integer, list_, map_, string, text

READY = ('ACTIVE', 'HEALTHY')
FAILED = ('ERROR', 'FAILED')
DATABASE_NAME = r'[a-zA-Z0-9_\-]+[a-zA-Z0-9_@?#\s\-]*[a-zA-Z0-9_\-]+'
USER_NAME = r'[a-zA-Z0-9_]+[a-zA-Z0-9_@?#\s]*[a-zA-Z0-9_]+'


class Instance(CloudResource):
    """A database server."""

    resource_type = 'OS::Trove::Instance'
    support_status = support.since('2014.1')
    rest = Rest('trove', '/instances', 'instance', ready=READY, failed=FAILED, vanishes=True, stuck=FAILED)
    entity = 'instances'

    properties_schema = {
        'name': string(
            'Its name. Without one, one is made up from those of the stack and of the resource.',
            update_allowed=True,
            constraints=[Length(max=255)],
        ),
        'availability_zone': string('Where it lives.'),
        'databases': list_(
            'Its databases.',
            map_(
                None,
                {
                    'character_set': string('How texts are written in it.', default='utf8'),
                    'collate': string('How texts are sorted in it.', default='utf8_general_ci'),
                    'name': string('Its name.', required=True, constraints=[Length(max=64), AllowedPattern(DATABASE_NAME)]),
                },
            ),
            default=[],
            update_allowed=True,
        ),
        'datastore_type': string('The kind of database.', constraints=[Length(max=255)], sent=False),
        'datastore_version': string('Its version.', constraints=[Length(max=255)], sent=False),
        'flavor': string('How large it is, by name or id.', required=True, update_allowed=True, ref='trove.flavor', wire='flavorRef'),
        'networks': networks.schema(sent=False),
        'replica_count': integer('How many copies of another are made.', support=support.since('5.0.0')),
        'replica_of': string('The other that it is a copy of.', support=support.since('5.0.0')),
        'restore_point': string('The backup that it begins with.', sent=False),
        'size': integer('How many GiB it can keep.', required=True, update_allowed=True, constraints=[Range(min=1, max=150)], sent=False),
        'users': list_(
            'Who may use the databases.',
            map_(
                None,
                {
                    'databases': list_(
                        'The databases that the user may use.',
                        string(),
                        required=True,
                        update_allowed=True,
                        constraints=[Length(min=1)],
                    ),
                    'host': string('From where the user may connect.', default='%', update_allowed=True),
                    'name': string(
                        'The name of the user.',
                        required=True,
                        update_allowed=True,
                        constraints=[Length(max=16), AllowedPattern(USER_NAME)],
                    ),
                    'password': string('The password.', required=True, update_allowed=True, constraints=[AllowedPattern(USER_NAME)]),
                },
            ),
            default=[],
            update_allowed=True,
        ),
    }
    attributes_schema = {
        'hostname': text('The host that it is reached at.'),
        'href': text('Its address in the API.'),
    }

    def validate(self):
        super().validate()
        if self.properties['datastore_version'] and not self.properties['datastore_type']:
            raise exception.ResourcePropertyDependency(prop1='datastore_version', prop2='datastore_type')
        networks.check(self.properties['networks'])
        names = {each['name'] for each in self.properties['databases'] or ()}
        users = self.properties['users'] or ()
        if users and not names:
            raise exception.StackValidationFailed(f'Databases property is required if users property is provided for resource {self.name}.')
        for user in users:
            missing = sorted(set(user['databases'] or ()) - names)
            if missing:
                text = f'Database {missing} specified for user does not exist in databases for resource {self.name}.'
                raise exception.StackValidationFailed(text)

    # ------------------------------------------------------------ life

    def body(self, values):
        made = {**values, 'volume': {'size': self.properties['size']}, 'users': [_user(each) for each in values.get('users') or ()]}
        datastore = {'type': self.properties['datastore_type'], 'version': self.properties['datastore_version']}
        if datastore['type']:
            made['datastore'] = {key: value for key, value in datastore.items() if value}
        if self.properties['restore_point']:
            made['restorePoint'] = {'backupRef': self.properties['restore_point']}
        if self.properties['networks']:
            made['nics'] = networks.wire(self.properties['networks'])
        return made

    def changes(self, changed, diff):
        """Nearly everything has a request of its own."""
        return {'name': changed['name']} if 'name' in changed else {}

    def after(self, action, diff):
        if action != status.UPDATE:
            return
        if 'flavor' in diff:
            yield from self._act({'resize': {'flavorRef': diff['flavor']}})
        if 'size' in diff:
            yield from self._act({'resize': {'volume': {'size': diff['size']}}})
        if 'databases' in diff:
            yield from self._renew('databases', diff['databases'] or [])
        if 'users' in diff:
            yield from self._renew_users(diff['users'] or [])

    def change(self, values):
        yield from self.ask(self.client().update, self.object_path(), self.rest.key, values, 'PATCH')

    def _act(self, body):
        yield from self.until_ready(None)
        yield from self.ask(self.client().ask, 'POST', f'{self.object_path()}/action', body)
        yield 1
        yield from self.until_ready(None)

    def _renew(self, what, wanted):
        """A generator: databases that are new are made, those that are not wanted any more go."""
        path = f'{self.object_path()}/{what}'
        present = {each['name'] for each in self.client().list(path, what)}
        new = [each for each in wanted if each['name'] not in present]
        if new:
            yield from self.ask(self.client().ask, 'POST', path, {what: [dict(each) for each in new]})
        for name in sorted(present - {each['name'] for each in wanted}):
            yield from self.take_away(self.client().delete, f'{path}/{name}')

    def _renew_users(self, wanted):
        path = f'{self.object_path()}/users'
        before = {each['name']: each for each in self.held('users') or ()}
        kept = [each for each in wanted if each['name'] in before]
        yield from self._renew('users', [each if each['name'] in before else _user(each) for each in wanted])
        for each in kept:
            was = before[each['name']]
            if (each['password'], each['host']) != (was['password'], was['host']):
                values = {'user': {'name': each['name'], 'password': each['password'], 'host': each['host']}}
                yield from self.ask(self.client().ask, 'PUT', f'{path}/{each["name"]}', values)
            yield from self._let_use(f'{path}/{each["name"]}/databases', set(was['databases']), set(each['databases']))

    def _let_use(self, path, before, after):
        if after - before:
            names = [{'name': name} for name in sorted(after - before)]
            yield from self.ask(self.client().ask, 'PUT', path, {'databases': names})
        for name in sorted(before - after):
            yield from self.take_away(self.client().delete, f'{path}/{name}')

    # ------------------------------------------------------------ what others read

    def resolve_attribute(self, name):
        found = self.show() or {}
        if name == 'href':
            return next((each['href'] for each in found.get('links') or () if each['rel'] == 'self'), None)
        return found.get('hostname')


def _user(given):
    return {**given, 'databases': [{'name': name} for name in given['databases']]}
