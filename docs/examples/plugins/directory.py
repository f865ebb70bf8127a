"""An example of a ``cloud_backend``: users in a file authenticate requests, without Keystone.

The file that EXAMPLE_DIRECTORY names maps the name of a user to its password's hash and its roles
by project. ``password_entry`` makes the hash. See docs/plugins.md.
"""

import hashlib
import hmac
import json
import os
import pathlib
import secrets

COST = {'n': 2**14, 'r': 8, 'p': 1}


def password_entry(password):
    """Return the entry of a password in the file: a salt and the hash, as hexadecimal texts."""
    salt = secrets.token_bytes(16)
    return [salt.hex(), _hash(password, salt).hex()]


def _hash(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt, **COST)


class DirectoryBackend:
    """Authenticates the user of X-Auth-User by the password in X-Auth-Key.

    ``context``: the credentials of the request (``username``, ``password``, ``auth_token``), and
    ``project_id``, the project of its URL. Nothing of it is validated.
    """

    #: compared for an unknown user, so that an answer takes as long as for a known one
    UNKNOWN = {'password': password_entry(secrets.token_hex()), 'roles': {}}

    def __init__(self, context):
        self.context = context

    def authenticated(self):
        """Return the identity of the requester; None to refuse the request."""
        users = json.loads(pathlib.Path(os.environ['EXAMPLE_DIRECTORY']).read_text())
        name, project = self.context.username or '', self.context.project_id
        user = users.get(name, self.UNKNOWN)
        salt, expected = map(bytes.fromhex, user['password'])
        if not hmac.compare_digest(_hash(self.context.password or '', salt), expected):
            return None
        roles = user['roles'].get(project)
        if not roles:
            return None
        return {'user_id': name, 'user_name': name, 'project_id': project, 'roles': roles}
