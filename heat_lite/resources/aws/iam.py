"""AWS::IAM::User, AWS::IAM::AccessKey."""

from heat_lite.common import exception
from heat_lite.engine.resource import Resource
from heat_lite.resources.heat.access_policy import AccessPolicy
from heat_lite.resources.stack_user import ACCESS, SECRET, StackUser
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import CACHE_NONE, integer, list_, map_, string, text


class User(StackUser):
    """A user who may see what his policies allow him to, and sign requests with his access keys."""

    resource_type = 'AWS::IAM::User'

    properties_schema = {
        'Groups': list_('Not used.'),
        'LoginProfile': map_('Not used: nobody logs in by a password.', {'Password': string('Not used.')}),
        'Path': string('Not used.'),
        'Policies': list_('What the user may see: resources of the type OS::Heat::AccessPolicy, by get_resource.'),
    }

    def _named(self):
        """The references of policies; those that are written here, in the words of Amazon, say nothing about resources of a stack."""
        return [each for each in self.properties['Policies'] or () if isinstance(each, str)]

    def _policies(self):
        wanted = self._named()
        return [each for each in self.stack.current_resources() if isinstance(each, AccessPolicy) and each.reference_id() in wanted]

    def handle_create(self):
        known = {each.reference_id() for each in self._policies()}
        unknown = [each for each in self._named() if each not in known]
        if unknown:
            raise exception.Error(f'{unknown[0]} is no OS::Heat::AccessPolicy of this stack')
        super().handle_create()

    def get_reference_id(self):
        return str(self.physical_resource_name_or_reference() if self.resource_id else self.name)

    def access_allowed(self, resource_name):
        return any(each.allows(resource_name) for each in self._policies())


class AccessKey(Resource):
    """A key by which requests are signed in the name of a user."""

    resource_type = 'AWS::IAM::AccessKey'

    properties_schema = {
        'Serial': integer('Not used.', implemented=False),
        'Status': string('Not used.', constraints=[AllowedValues(['Active', 'Inactive'])], implemented=False),
        'UserName': string('The user, by its reference.', required=True),
    }
    attributes_schema = {
        'SecretAccessKey': text('The secret that belongs to the key.', cache_mode=CACHE_NONE),
        'UserName': text('The user.', cache_mode=CACHE_NONE),
    }

    def _user(self):
        """The user of the stack; None where there is none of that name."""
        wanted = self.properties['UserName']
        known = (each for each in self.stack.current_resources() if isinstance(each, User))
        return next((each for each in known if each.reference_id() == wanted), None)

    def handle_create(self):
        user = self._user()
        if user is None:
            raise exception.NotFound(f'could not find user {self.properties["UserName"]}')
        if user.users is None:
            raise exception.Error('There are no access keys without Keystone')
        keypair = user.users.create_keypair(user.user_id)
        self.data_set('credential_id', keypair.id, redact=True)
        self.data_set(ACCESS, keypair.access, redact=True)
        self.data_set(SECRET, keypair.secret, redact=True)
        self.resource_id_set(keypair.access)

    def handle_delete(self):
        user, credential_id = self._user(), self.data().get('credential_id')
        if user is not None and user.users is not None and credential_id:
            user.users.delete_keypair(credential_id)

    def resolve_attribute(self, name):
        if name == 'UserName':
            return self.properties['UserName']
        return self.data().get(SECRET)
