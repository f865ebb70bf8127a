"""HeatLite::Container::Secret and HeatLite::Container::Config.

Both are texts that become files in containers. Their reference carries the text, encrypted with
the key of the service: so it passes through templates, nested stacks and the database unread, and
a container that uses it is replaced when the text changes.
"""

import hashlib
import secrets
import string as characters

from cryptography import exceptions
from cryptography.hazmat.primitives.ciphers import aead

from heat_lite.common import exception, status
from heat_lite.engine.resource.resource import Resource
from heat_lite.template.schema import OURS, integer, string

PREFIX = 'heat-lite-sealed:'
CONTENT = 'content'
ALPHABET = characters.ascii_letters + characters.digits


def seal(content, secret):
    """Return a text encrypted; equal texts give equal results."""
    return PREFIX + _cipher(secret).encrypt(content.encode(), None).hex()


def unseal(reference, secret):
    """Return the text of a reference; a text that is not sealed is returned as it is.

    Raises Invalid for a reference that was sealed with another key.
    """
    if not reference.startswith(PREFIX):
        return reference
    try:
        return _cipher(secret).decrypt(bytes.fromhex(reference[len(PREFIX) :]), None).decode()
    except (exceptions.InvalidTag, ValueError):
        raise exception.Invalid(
            reason='the text of a secret or config cannot be read: it was encrypted with another '
            'auth_encryption_key. Update the stack that has the secret'
        ) from None


def _cipher(secret):
    return aead.AESSIV(hashlib.sha256(b'container texts' + secret).digest())


class SealedText(Resource):
    """A text whose reference carries it encrypted."""

    local = True

    def content(self):
        """Return the text of the properties."""
        return self.properties[CONTENT]

    def handle_create(self):
        self.data_set(CONTENT, self.content(), redact=True)
        self.resource_id_set(self.physical_resource_name())

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if CONTENT in prop_diff:
            self.data_set(CONTENT, self.content(), redact=True)

    def handle_delete(self):
        self.data_delete(CONTENT)

    def get_reference_id(self):
        content = self.data().get(CONTENT)
        if content is None:
            return super().get_reference_id()
        return seal(content, self.stack.runtime.secret)

    def resolve_attribute(self, name):
        content = self.data().get(CONTENT)
        if content is None or self.action == status.INIT:
            return None
        return content if name == CONTENT else hashlib.sha256(content.encode()).hexdigest()


class Config(SealedText):
    """A configuration file for containers."""

    resource_type = 'HeatLite::Container::Config'
    since = OURS

    properties_schema = {CONTENT: string('Text of the file.', required=True, update_allowed=True)}
    attributes_schema = {
        CONTENT: 'Text of the file.',
        'sha256': 'SHA-256 digest of the text.',
    }


class Secret(SealedText):
    """A secret for containers: given, or generated.

    The database has it encrypted. Containers get it as a file below /run/secrets.
    """

    resource_type = 'HeatLite::Container::Secret'
    since = OURS
    has_secret_value = True

    properties_schema = {
        CONTENT: string(
            'Text of the secret. If omitted, letters and digits are generated.', update_allowed=True
        ),
        'length': integer(
            'Number of characters of a generated secret.', default=32, min=8, max=512
        ),
    }
    attributes_schema = {
        CONTENT: 'Text of the secret, for programs that cannot read it from a file.',
        'sha256': 'SHA-256 digest of the secret.',
    }

    def content(self):
        given = self.properties[CONTENT]
        if given is not None:
            return given
        return self.data().get(CONTENT) or ''.join(
            secrets.choice(ALPHABET) for _ in range(self.properties['length'])
        )
