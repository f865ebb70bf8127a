"""An example of a plug-in: notes, stored as files in a folder. See docs/plugins.md.

A plug-in for Heat has the same code except for the first import.
"""

import os
import pathlib
import tempfile
import uuid

from heat_lite.plugin import (
    attributes,
    client_plugin,
    constraints,
    properties,
    resource,
    support,
    template,
)

SUBJECTS = ('shopping', 'work')


class Note(resource.Resource):
    """A note about a subject."""

    support_status = support.SupportStatus(version='1.0.0')
    default_client_name = 'notes'
    entity = 'notes'

    PROPERTIES = (SUBJECT, TEXT, POLLS) = ('subject', 'text', 'polls')
    ATTRIBUTES = (PATH,) = ('path',)

    properties_schema = {
        SUBJECT: properties.Schema(
            properties.Schema.STRING,
            'The subject of the note.',
            required=True,
            constraints=[constraints.CustomConstraint('example.subject')],
        ),
        TEXT: properties.Schema(
            properties.Schema.STRING, 'The text of the note.', default='', update_allowed=True
        ),
        POLLS: properties.Schema(
            properties.Schema.INTEGER,
            'The number of polls until the note is ready.',
            default=1,
            constraints=[constraints.Range(min=0)],
        ),
    }
    attributes_schema = {
        PATH: attributes.Schema('The path of the file of the note.', type=attributes.Schema.STRING)
    }

    def handle_create(self):
        note = self.client().notes.create(
            f'{self.physical_resource_name()}.{self.properties[self.SUBJECT]}',
            self.properties[self.TEXT],
        )
        self.resource_id_set(note)
        self.data_set('polled', '0')
        return note

    def check_create_complete(self, note):
        polled = int(self.data()['polled'])
        self.data_set('polled', str(polled + 1))
        return polled >= self.properties[self.POLLS]

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        if self.TEXT in prop_diff:
            self.client().notes.update(self.resource_id, prop_diff[self.TEXT])

    def handle_signal(self, details=None):
        """Append the signal to the text."""
        note = self.client().notes.get(self.resource_id)
        self.client().notes.update(self.resource_id, f'{note["text"]}\n{details}')

    def _resolve_attribute(self, name):
        if name == self.PATH:
            return self.client().notes.get(self.resource_id)[name]


class Folder:
    """A collection of objects, as in the client of a service."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def create(self, name, text):
        self.path.mkdir(parents=True, exist_ok=True)
        return self.update(f'{name}.{uuid.uuid4().hex[:6]}', text)

    def update(self, note, text):
        (self.path / note).write_text(text)
        return note

    def get(self, note):
        file = self.path / note
        return {'path': str(file), 'text': file.read_text()}

    def delete(self, note):
        (self.path / note).unlink()


class Client:
    """The client with its collections."""

    def __init__(self, path):
        self.notes = Folder(path)


class NotesPlugin(client_plugin.ClientPlugin):
    """The client plug-in: creates the client and classifies its errors."""

    def _create(self):
        return Client(
            os.environ.get('EXAMPLE_NOTES') or os.path.join(tempfile.gettempdir(), 'example-notes')
        )

    def is_not_found(self, ex):
        return isinstance(ex, FileNotFoundError)

    def check_subject(self, subject):
        """Raises LookupError for an unknown subject."""
        if subject not in SUBJECTS:
            raise LookupError(f'The subject must be one of {", ".join(SUBJECTS)}')


class SubjectConstraint(constraints.BaseCustomConstraint):
    """The subject of a note."""

    expected_exceptions = (LookupError,)
    resource_client_name = 'notes'
    resource_getter_name = 'check_subject'


class Shout(template.Function):
    """{shout: text}: the text in upper case, with an exclamation mark."""

    __slots__ = ()

    def result(self, scope):
        return f'{template.resolve(self.args, scope).upper()}!'


def resource_mapping():
    return {'Example::Notes::Note': Note}


def client_mapping():
    return {'notes': NotesPlugin}


def constraint_mapping():
    return {'example.subject': SubjectConstraint}


def template_mapping():
    return {(template.HOT, 'example-1'): template.version('example-1', functions={'shout': Shout})}
