"""OS::Heat::MultipartMime."""

from email import message
from email.mime import multipart

from heat_lite.common import exception
from heat_lite.resources.base import long_texts
from heat_lite.resources.base.software_config import Config, group
from heat_lite.template.schema import list_, string

TEXT, MULTIPART = 'text', 'multipart'
#: the default subtype of a text part
PLAIN = 'plain'


class MultipartMime(Config):
    """Several configurations in one MIME message for cloud-init."""

    resource_type = 'OS::Heat::MultipartMime'
    since = '2014.1'

    properties_schema = {
        'parts': list_(
            'Parts of the message.',
            {
                'config': string(
                    'Text of the part, or the ID of a software configuration that contains it.',
                    required=True,
                ),
                'filename': string('File name of the part.'),
                'type': string(
                    'Type of the part: text, or a multipart message.',
                    default=TEXT,
                    allowed=[TEXT, MULTIPART],
                ),
                'subtype': string('Subtype of a text part, such as x-shellscript or cloud-config.'),
            },
            default=[],
        ),
        'group': group(since='14.0.0'),
    }

    def content(self):
        parts: list[message.Message] = []
        for given in self.properties['parts'] or ():
            parts += self._parts(given)
            long_texts.check_parts(parts)
        return multipart.MIMEMultipart(_subparts=parts).as_string()

    def _parts(self, given):
        """Append the parts of a multipart message to the whole message."""
        content = self._content(given['config'])
        if given['type'] == TEXT:
            return [long_texts.text_part(content, given['subtype'] or PLAIN, given['filename'])]
        inner = long_texts.message_of(content)
        parts = inner.get_payload() if inner.is_multipart() else [inner]
        return [*map(long_texts.copied_part, parts)]

    def _content(self, given):
        """Return the content of the configuration with this id; if there is none, the text
        itself.
        """
        try:
            found = self.software.show_config(given)['config']
        except exception.NotFound:
            return given
        return found if isinstance(found, str) else ''
