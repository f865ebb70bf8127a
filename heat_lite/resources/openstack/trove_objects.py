"""The types of Trove beside instances: configurations, databases and users."""

from heat_lite.clients import errors
from heat_lite.common import status
from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.openstack.trove import DATABASE_NAME
from heat_lite.template.schema import OURS, description_property, list_, map_, name_property, string


class Configuration(CloudResource):
    """A configuration group: settings of the database servers that use it."""

    resource_type = 'OS::Trove::Configuration'
    since = OURS
    rest = Rest('trove', '/configurations', 'configuration')

    properties_schema = {
        'name': name_property(max=255),
        'values': map_('Settings by name.', required=True, update_allowed=True),
        'datastore_type': string('Datastore type of the servers.', max=255, sent=False),
        'datastore_version': string('Datastore version of the servers.', max=255, sent=False),
        'description': description_property(),
    }

    def body(self, values):
        given = {
            key: self.properties[f'datastore_{key}']
            for key in ('type', 'version')
            if self.properties[f'datastore_{key}']
        }
        return {**values, **({'datastore': given} if given else {})}

    def update_object(self, values):
        """Generator: replace the configuration: Trove answers with nothing."""
        names = ('name', 'description', 'values')
        complete = {name: self.properties[name] for name in names if self.properties[name]}
        complete.setdefault('name', self.physical_resource_name())
        yield from self.send('PUT', self.object_path(), {self.rest.key: complete})


class InstancePart(CloudResource):
    """A database or a user of an instance, which Trove makes by lists and shows by lists."""

    def create_object(self, values):
        path, key = self.collection(), self.rest.list_key
        yield from self.send('POST', path, {key: [values]})
        return values

    def fetch(self):
        return self._found(self.resource_id)

    def _found(self, name):
        found = self.client().list(self.collection(), self.rest.list_key)
        match = next((each for each in found if each['name'] == name), None)
        if match is None:
            raise errors.NotFound(f'The instance has no {self.rest.key} {name}.')
        return match

    def list_by_name(self, name):
        try:
            return [self._found(name)]
        except errors.NotFound:
            return []

    def objects(self):
        """Return None: the instances of stacks describe most of them."""
        return None


def _instance_property(noun):
    return string(
        f'Instance of the {noun}, by name or id.', required=True, ref='trove.instance', sent=False
    )


class Database(InstancePart):
    """A database of an instance that this or another stack has made."""

    resource_type = 'OS::Trove::Database'
    since = OURS
    rest = Rest('trove', '/instances/{instance}/databases', 'database', id='name')

    properties_schema = {
        'name': string('Name of the database.', required=True, max=64, pattern=DATABASE_NAME),
        'instance': _instance_property('database'),
        'character_set': string('Character set of the database.'),
        'collate': string('Collation of the database.'),
    }


class User(InstancePart):
    """A user of an instance that this or another stack has made."""

    resource_type = 'OS::Trove::User'
    since = OURS
    rest = Rest('trove', '/instances/{instance}/users', 'user', id='name')

    properties_schema = {
        'name': string('Name of the user.', required=True, max=16),
        'instance': _instance_property('user'),
        'password': string('Password of the user.', required=True, update_allowed=True),
        'databases': list_('Names of the databases that the user may use.', string()),
        'host': string('Host or pattern of hosts from which the user logs in.'),
    }

    def body(self, values):
        names = self.properties['databases'] or ()
        return {**values, 'databases': [{'name': name} for name in names]}

    def changes(self, changed, diff):
        """Return nothing: the password has a request of its own."""
        return {}

    def follow_up(self, action, diff):
        if action == status.UPDATE and 'password' in diff:
            body = {'user': {'password': diff['password']}}
            yield from self.send('PUT', self.object_path(), body)
