"""AWS::IAM::User, AWS::IAM::AccessKey."""

from heat_lite.common import exception
from heat_lite.engine.resource.resource import Resource
from heat_lite.resources.base import common_properties
from heat_lite.resources.base.common_properties import not_implemented
from heat_lite.resources.base.stack_user import SECRET, StackUser, store_keypair
from heat_lite.resources.heat.access_policy import AccessPolicy
from heat_lite.template.schema import integer, list_, live_text, map_, string


class User(StackUser):
    """A stack user, which signs requests with its access keys. It may read the resources of its
    stack that all of its policies allow; without policies all of them.
    """

    resource_type = 'AWS::IAM::User'

    properties_schema = {
        'Groups': list_(common_properties.NOT_IMPLEMENTED),
        'LoginProfile': map_(
            common_properties.NOT_IMPLEMENTED,
            {'Password': string(common_properties.NOT_IMPLEMENTED)},
        ),
        'Path': string(common_properties.NOT_IMPLEMENTED),
        'Policies': list_(
            'Names of OS::Heat::AccessPolicy resources, by Ref: the user may read the resources '
            'that all of them allow, and without any all resources of the stack.'
        ),
    }

    def _named(self):
        """Return the references of policies.

        Inline IAM policies are ignored, as in Heat: they do not refer to resources of a stack.
        """
        return [each for each in self.properties['Policies'] or () if isinstance(each, str)]

    def _policies(self):
        wanted = self._named()
        return [
            each
            for each in self.stack.current_resources()
            if isinstance(each, AccessPolicy) and each.reference_id() in wanted
        ]

    # the user of an interrupted create gets a new password
    repeatable = True

    def find_existing(self):
        self.user_may_be_lost = True
        return self.find_lost_user()

    def handle_create(self):
        known = {each.reference_id() for each in self._policies()}
        unknown = [each for each in self._named() if each not in known]
        if unknown:
            raise exception.Error(f'{unknown[0]} is no OS::Heat::AccessPolicy of this stack')
        super().handle_create()

    def get_reference_id(self):
        return str(self.physical_resource_name_or_reference() if self.resource_id else self.name)

    def access_allowed(self, resource_name):
        found = self._policies()
        # a policy that is gone allows nothing
        return len(found) == len(set(self._named())) and all(
            each.allows(resource_name) for each in found
        )


class AccessKey(Resource):
    """An access key of a user, which signs requests."""

    resource_type = 'AWS::IAM::AccessKey'
    # a key whose response was lost is unknown to all, and deleted with its user
    repeatable = True

    properties_schema = {
        'Serial': not_implemented(integer),
        'Status': not_implemented(string, allowed=['Active', 'Inactive']),
        'UserName': string('Reference of the user.', required=True),
    }
    attributes_schema = {
        'SecretAccessKey': live_text('Secret of the access key.'),
        'UserName': live_text('Reference of the user that owns the key.'),
    }

    def _user(self):
        """Return the user in the stack; None if the reference is unknown."""
        wanted = self.properties['UserName']
        known = (each for each in self.stack.current_resources() if isinstance(each, User))
        return next((each for each in known if each.reference_id() == wanted), None)

    def handle_create(self):
        if self.resource_id is not None:
            return
        user = self._user()
        if user is None:
            raise exception.NotFound(f'could not find user {self.properties["UserName"]}')
        if user.users is None:
            raise exception.Error('Access keys require Keystone, which is not configured')
        keypair = user.users.create_keypair(user.user_id)
        store_keypair(self, keypair.id, keypair.access, keypair.secret)
        self.resource_id_set(keypair.access)

    def handle_delete(self):
        user, credential_id = self._user(), self.data().get('credential_id')
        if user is not None and user.users is not None and credential_id:
            user.users.delete_keypair(credential_id)

    def resolve_attribute(self, name):
        if name == 'UserName':
            return self.properties['UserName']
        return self.data().get(SECRET)
