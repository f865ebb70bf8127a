"""OS::Heat::MultipartMime."""

from email import message
from email.mime import multipart, text

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
            return [_text(content, given['subtype'], given['filename'])]
        inner = long_texts.message_of(content)
        return (
            [_again(each) for each in inner.get_payload()]
            if inner.is_multipart()
            else [_again(inner)]
        )

    def _content(self, given):
        """Return the content of the configuration with this id; if there is none, the text
        itself.
        """
        try:
            found = self.software.show_config(given)['config']
        except exception.NotFound:
            return given
        return found if isinstance(found, str) else ''


def _text(content, subtype, filename):
    made = text.MIMEText(content, subtype or PLAIN)
    if filename:
        made.add_header('Content-Disposition', 'attachment', filename=filename)
    return made


def _again(part):
    """Return a part of another message as a part of this one, without its other headers."""
    content = part.get_payload(decode=True) or b''
    charset = part.get_content_charset() or 'utf-8'
    return _text(
        content.decode(charset, 'replace'), part.get_content_subtype(), part.get_filename()
    )
