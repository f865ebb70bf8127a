"""OS::Heat::MultipartMime."""

import email
from email.mime import multipart, text

from heat_lite.common import exception
from heat_lite.resources.software import Config, group
from heat_lite.template import support
from heat_lite.template.constraints import AllowedValues
from heat_lite.template.schema import list_, map_, string

TEXT, MULTIPART = 'text', 'multipart'
#: what a part of text is where nobody says it
PLAIN = 'plain'


class MultipartMime(Config):
    """Several configurations in one message, as cloud-init takes them."""

    resource_type = 'OS::Heat::MultipartMime'
    support_status = support.since('2014.1')

    properties_schema = {
        'parts': list_(
            'The parts of the message.',
            map_(
                None,
                {
                    'config': string('The text of the part, or the id of a software configuration that has it.', required=True),
                    'filename': string('The name of the file that the part becomes.'),
                    'type': string(
                        'Whether it is a text, or a message with parts of its own.',
                        default=TEXT,
                        constraints=[AllowedValues([TEXT, MULTIPART])],
                    ),
                    'subtype': string('What kind of text it is: x-shellscript, cloud-config and so on.'),
                },
            ),
            default=[],
        ),
        'group': group(support.since('14.0.0')),
    }

    def content(self):
        parts = [each for given in self.properties['parts'] or () for each in self._parts(given)]
        return multipart.MIMEMultipart(_subparts=parts).as_string()

    def _parts(self, given):
        """A message inside is taken apart: its parts are parts of the whole."""
        content = self._content(given['config'])
        if given['type'] == TEXT:
            return [_text(content, given['subtype'], given['filename'])]
        inner = email.message_from_string(content)
        return [_again(each) for each in inner.get_payload()] if inner.is_multipart() else [_again(inner)]

    def _content(self, given):
        """Of a configuration that is named by its id; else the text itself."""
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
    """A part of another message as one of this, without what else that one said of it."""
    content = part.get_payload(decode=True) or b''
    charset = part.get_content_charset() or 'utf-8'
    return _text(content.decode(charset, 'replace'), part.get_content_subtype(), part.get_filename())
