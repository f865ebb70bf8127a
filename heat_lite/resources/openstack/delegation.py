"""The resource types of Keystone by which a user delegates rights, and logins of programs."""

import hashlib
import json
import re
import secrets

from heat_lite.resources.base.cloud import CloudResource, Rest
from heat_lite.resources.base.named_object import DeletedFirst
from heat_lite.resources.base.property_rules import missing, refuse
from heat_lite.template.schema import (
    OURS,
    boolean,
    boolean_attribute,
    description_property,
    integer,
    list_,
    list_attribute,
    live_text,
    name_property,
    reference,
    string,
)

#: keys in the data of the resource: the secret of a credential, and the user that owns it
SECRET, OWNER = 'secret', 'user_id'
ACCESS, ACCESS_KEY_LENGTH = 'access', 32
#: the field of trusts and credentials with the name of the resource, which Keystone keeps
MARK = 'stack_resource'
TIME = r'\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z?'


def expiry_property(noun):
    return string(
        f'Time in UTC at which the {noun} expires, for example 2030-01-31T12:00:00.', pattern=TIME
    )


def role_references(roles):
    """Return roles as requests name them. Keystone finds them: users may not list roles."""
    return [{'id' if re.fullmatch('[0-9a-f]{32}', each) else 'name': each} for each in roles or ()]


class Delegation(CloudResource):
    """Rights of a user, given to others for a time. Keystone changes none."""

    def normalize(self, found):
        """Return what Keystone shows with the roles of the template, if they are the same: Keystone
        names roles by id, and adds those that they imply.
        """
        roles = self.stored_properties().get('roles')
        shown = {each[key] for each in found['roles'] for key in ('id', 'name')}
        return {**found, 'roles': roles} if shown >= set(roles or [None]) else found


class SecretLogin(CloudResource):
    """A login with a secret that is made here."""

    has_secret_value = True

    def new_data(self):
        """Return the data of the resource, with the secret."""
        raise NotImplementedError

    def handle_create(self):
        """Generator: store the secret first, so that it is known also after a lost response."""
        if SECRET not in self.data():
            for key, value in self.new_data().items():
                self.data_set(key, value, redact=True)
            yield None
        yield from super().handle_create()


class ApplicationCredential(SecretLogin, DeletedFirst, Delegation):
    """An application credential: a login of a program, with rights of the user who creates it.

    It belongs to that user, also in a stack that others of the project change.
    """

    resource_type = 'OS::Keystone::ApplicationCredential'
    since = OURS
    rest = Rest('keystone', '/users/{owner}/application_credentials', 'application_credential')

    properties_schema = {
        'name': name_property(update_allowed=False),
        'access_rules': list_(
            'Requests that the credential allows. If omitted, all of them.',
            {
                'method': string(
                    'Method of the request.',
                    required=True,
                    allowed=['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
                ),
                'path': string(
                    'Path of the request, for example /v2.1/servers; * stands for a part of it and '
                    '** for several.',
                    required=True,
                ),
                'service': string('Type of the service, for example "compute".', required=True),
            },
        ),
        'description': description_property(update_allowed=False),
        'expires_at': expiry_property('credential'),
        'roles': list_(
            'Roles of the credential, by name or id, among those that the user has in the project. '
            'If omitted, all of these.',
            string(),
        ),
        'secret': string('Secret of the credential. If omitted, one is generated.', min=1),
        'unrestricted': boolean(
            'Whether the credential can create and delete trusts and further credentials.',
            default=False,
        ),
    }
    attributes_schema = {
        'expires_at': 'Time at which the credential expires.',
        'project_id': 'Id of the project of the credential.',
        'roles': list_attribute('Roles of the credential.'),
        'secret': live_text(
            'Secret of the credential; null for one that the stack has not created.'
        ),
        'user_id': 'Id of the user that owns the credential.',
    }

    def owner(self):
        """Return the id of the user that owns the credential."""
        return self.data().get(OWNER) or self.stack.clients().session().get_user_id()

    def collection(self):
        return self.rest.path.format(owner=self.owner())

    def new_data(self):
        secret = self.properties['secret'] or secrets.token_urlsafe(40)
        return {SECRET: secret, OWNER: self.owner()}

    def body(self, values):
        roles = role_references(self.properties['roles'])
        return {**values, **({'roles': roles} if roles else {}), SECRET: self.data()[SECRET]}

    def objects(self):
        found = self.client().list(self.collection(), 'application_credentials')
        return {each['id']: each for each in found}

    def resolve_attribute(self, name):
        if name == SECRET:
            return self.data().get(SECRET)
        return self.owner() if name == OWNER else super().resolve_attribute(name)


class Trust(Delegation):
    """A trust: the right of another user, the trustee, to act with roles of the trustor."""

    resource_type = 'OS::Keystone::Trust'
    since = OURS
    rest = Rest('keystone', '/OS-TRUST/trusts', 'trust', mark=MARK)

    properties_schema = {
        'impersonation': boolean(
            'Whether services take requests of the trustee for those of the trustor.', default=False
        ),
        'project': reference(
            'keystone.project',
            'Project of the roles, by name or id. The default is that of the stack.',
        ),
        'roles': list_(
            'Roles that the trust delegates, by name or id.', string(), required=True, min=1
        ),
        'trustee': string(
            'User that receives the roles, by name or id.',
            required=True,
            ref='keystone.user',
            wire='trustee_user_id',
        ),
        'allow_redelegation': boolean(
            'Whether the trustee can delegate the roles further.', default=False
        ),
        'expires_at': expiry_property('trust'),
        'redelegation_count': integer('Number of further delegations.', min=0),
        'remaining_uses': integer(
            'Number of tokens that the trustee can get. If omitted, it is not limited.', min=1
        ),
    }
    attributes_schema = {
        'expires_at': 'Time at which the trust expires.',
        'impersonation': boolean_attribute('Whether the trustee acts as the trustor.'),
        'project_id': 'Id of the project of the roles.',
        'roles': list_attribute('Roles that the trust delegates.'),
        'trustee_user_id': 'Id of the trustee.',
        'trustor_user_id': 'Id of the trustor.',
    }

    def body(self, values):
        session = self.stack.clients().session()
        return {
            'trustor_user_id': session.get_user_id(),
            'project_id': session.get_project_id(),
            **values,
            'roles': role_references(values['roles']),
        }

    def list_by_name(self, name):
        """Return the trusts of the user, who may list no others."""
        user = self.stack.clients().session().get_user_id()
        return self.client().list(self.collection(), 'trusts', trustor_user_id=user)


class KeystoneCredential(CloudResource):
    """A credential of a user, which Keystone keeps for other services."""

    rest = Rest('keystone', '/credentials', 'credential', update='PATCH', mark=MARK)

    attributes_schema = {
        'project_id': 'Id of the project of the credential.',
        'user_id': 'Id of the user that owns the credential.',
    }

    def body(self, values):
        return {OWNER: self.stack.clients().session().get_user_id(), **values}

    def list_by_name(self, name):
        """Return the credentials of the user who owns this one."""
        user = self.stored_property('user') or self.stack.clients().session().get_user_id()
        return self.client().list(self.collection(), 'credentials', user_id=user)

    def show(self):
        """Return the credential without its secret."""
        found = super().show()
        return found and {name: value for name, value in found.items() if name != 'blob'}

    def objects(self):
        return {}  # they belong to users


def _owner_properties():
    return {
        'project': reference('keystone.project', 'Project of the credential, by name or id.'),
        'user': string(
            'User that owns the credential, by name or id. The default is the user of the request.',
            ref='keystone.user',
            wire=OWNER,
        ),
    }


class Credential(KeystoneCredential):
    """A secret of a user that Keystone keeps, for example the seed of one-time passwords."""

    resource_type = 'OS::Keystone::Credential'
    since = OURS

    properties_schema = {
        'blob': string('Secret, in the format of its type.', required=True, update_allowed=True),
        'type': string('Type of the credential, for example "totp" or "cert".', required=True),
        **_owner_properties(),
    }
    property_rules = (
        refuse(
            'A credential of the type ec2 needs a project. OS::Keystone::EC2Credential makes one '
            'with a secret of its own.',
            type=('ec2',),
            project=missing,
        ),
    )


class EC2Credential(SecretLogin, KeystoneCredential):
    """An access key with its secret, for the interfaces of EC2 and S3."""

    resource_type = 'OS::Keystone::EC2Credential'
    since = OURS

    properties_schema = _owner_properties()
    attributes_schema = {
        **KeystoneCredential.attributes_schema,
        ACCESS: live_text('Access key.'),
        SECRET: live_text('Secret of the access key; null for one that the stack has not created.'),
    }

    def object_path(self):
        return f'{self.collection()}/{_credential_id(self.resource_id)}'

    def standing_for(self, object_id):
        return super().standing_for(_credential_id(object_id))

    def new_data(self):
        return {ACCESS: secrets.token_hex(16), SECRET: secrets.token_hex(16)}

    def body(self, values):
        keys = {name: self.data()[name] for name in (ACCESS, SECRET)}
        project = self.stack.clients().session().get_project_id()
        values = {'project_id': project, 'type': 'ec2', 'blob': json.dumps(keys), **values}
        return super().body(values)

    def resolve_attribute(self, name):
        return (
            self.data().get(name) if name in (ACCESS, SECRET) else super().resolve_attribute(name)
        )


def _credential_id(given):
    """Return the id of a credential: an access key stands for its digest, which Keystone takes."""
    is_key = len(given) == ACCESS_KEY_LENGTH
    return hashlib.sha256(given.encode()).hexdigest() if is_key else given
