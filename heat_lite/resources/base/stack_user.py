"""StackUser: a resource with a user of its own in Keystone, who may do little: signal the resource, or read what is meant for it."""

from heat_lite.engine.resource import Resource

PASSWORD, CREDENTIAL, ACCESS, SECRET, USER = 'password', 'credential_id', 'access_key', 'secret_key', 'user_id'


class StackUser(Resource):
    """Where there is no Keystone there is no user either: then the resource's id is its name, and nobody asks who signals it."""

    uses_deferred_auth = True

    @property
    def users(self):
        """The users of the stack (see ``engine/credentials.py``); None where there is no Keystone."""
        users = self.stack.runtime.users
        return None if users is None else users(self.stack)

    @property
    def repeatable(self):
        return self.users is None

    def handle_create(self):
        self.create_user()

    def create_user(self):
        if self.users is None:
            self.keep_user(self.physical_resource_name())
            return
        user_id, password = self.users.create(self.physical_resource_name())
        self.keep_user(user_id)
        self.data_set(PASSWORD, password, redact=True)

    def keep_user(self, user_id):
        """The user is all that there is of the resource. Types that are something else besides override this, and ``user_id``."""
        self.resource_id_set(user_id)

    @property
    def user_id(self):
        return self.resource_id

    def create_keypair(self):
        """An access key, by which a URL can be signed that needs no token."""
        keypair = self.users.create_keypair(self.user_id)
        self.data_set(CREDENTIAL, keypair.id, redact=True)
        self.data_set(ACCESS, keypair.access, redact=True)
        self.data_set(SECRET, keypair.secret, redact=True)

    def handle_delete(self):
        self.delete_user()

    def delete_user(self):
        if self.users is None or self.user_id is None:
            return
        if CREDENTIAL in self.data():
            self.users.delete_keypair(self.data()[CREDENTIAL])
        self.users.delete(self.user_id)

    def handle_suspend(self):
        self._enable(False)

    def handle_resume(self):
        self._enable(True)

    def _enable(self, enabled):
        if self.users is not None and self.user_id is not None:
            self.users.enable(self.user_id, enabled)


class UserBeside(StackUser):
    """A resource that is something else besides its user: its own id is that of what it is."""

    def keep_user(self, user_id):
        self.data_set(USER, user_id)

    @property
    def user_id(self):
        return self.data().get(USER)
