"""A cloud in a folder, which outlives those who use it and records what they do; and resource types that live in it.

An object is a file: its name begins with the name of the object. Asking for it and hearing of the answer are two moments, and somebody may
die at either: see ``moment``.
"""

import contextlib
import pathlib
import time
import uuid

from heat_lite.common import exception
from heat_lite.engine.resource import Resource
from heat_lite.template.schema import boolean, integer, number, string

SEPARATOR = '--'


class Cloud:
    """``moment(name)`` is called wherever something may happen to the caller: before a call, and after it, when the answer is under way."""

    folder: pathlib.Path | None = None

    def __init__(self):
        self.moment = lambda name: None

    def names(self):
        """The names of all objects; one that was made twice is there twice."""
        return sorted(path.name.partition(SEPARATOR)[0] for path in self.folder.iterdir() if not path.name.startswith('.'))

    def create(self, name, steps=0):
        self.moment('before create')
        made = f'{name}{SEPARATOR}{uuid.uuid4().hex[:8]}'
        (self.folder / made).write_text(str(steps))
        self._note('create', made)
        self.moment('after create')
        return made

    def find(self, name):
        self.moment('before find')
        return [path.name for path in self.folder.glob(f'{name}{SEPARATOR}*')]

    def is_ready(self, made):
        """It takes some looks until an object is ready."""
        self.moment('before show')
        path = self.folder / made
        left = int(path.read_text() or 0)
        if left:
            path.write_text(str(left - 1))
        return not left

    def update(self, made, steps=0):
        self.moment('before update')
        (self.folder / made).write_text(str(steps))
        self._note('update', made)
        self.moment('after update')

    def delete(self, made):
        self.moment('before delete')
        with contextlib.suppress(FileNotFoundError):
            (self.folder / made).unlink()
        self._note('delete', made)
        self.moment('after delete')

    # copies, which snapshots keep

    def copy(self, made):
        kept = f'.copy-{uuid.uuid4().hex[:8]}'
        (self.folder / kept).write_text(made)
        return kept

    def copies(self):
        return sorted(path.name for path in self.folder.glob('.copy-*'))

    def drop(self, kept):
        self.moment('before drop')
        with contextlib.suppress(FileNotFoundError):
            (self.folder / kept).unlink()
        self.moment('after drop')

    def _note(self, what, made):
        with open(self.folder / '.calls', 'a') as calls:
            calls.write(f'{what} {made}\n')


cloud = Cloud()


class Thing(Resource):
    """In the style of Heat's plug-ins: a handler, and a question whether it is complete."""

    resource_type = 'Test::Thing'
    properties_schema = {
        'value': string('Can change.', update_allowed=True),
        'other': string('Replaces it.'),
        'steps': integer('Looks until it is ready.', default=1, update_allowed=True),
        'fail': boolean('Whether making it fails.', default=False, update_allowed=True),
        'wait': number('Seconds until the call.', default=0, update_allowed=True),
    }

    def handle_create(self):
        if self.properties['fail']:
            raise ValueError('told to fail')
        self.resource_id_set(cloud.create(self.physical_resource_name(), self.properties['steps']))
        return self.resource_id

    def check_create_complete(self, made):
        return cloud.is_ready(made)

    def find_existing(self):
        return next(iter(cloud.find(self.physical_resource_name())), None)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        if self.needs_replace_with_prop_diff(set(prop_diff), None, None):
            raise exception.UpdateReplace(self.name)
        cloud.update(self.resource_id, self.properties['steps'])

    def check_update_complete(self, _token):
        return cloud.is_ready(self.resource_id)

    def handle_delete(self):
        if self.resource_id is not None:
            cloud.delete(self.resource_id)

    def handle_suspend(self):
        cloud.update(self.resource_id)

    handle_resume = handle_check = handle_snapshot = handle_suspend


class Generated(Thing):
    """The same as a generator, which looks before it makes."""

    resource_type = 'Test::Generated'

    def handle_create(self):
        until = time.monotonic() + self.properties['wait']
        while time.monotonic() < until:
            yield max(0, until - time.monotonic())
        if self.properties['fail']:
            raise ValueError('told to fail')
        if self.resource_id is None:
            self.resource_id_set(cloud.create(self.physical_resource_name(), self.properties['steps']))
        while not cloud.is_ready(self.resource_id):
            yield 0.005

    check_create_complete = None


class Unknown(Thing):
    """One that cannot be looked for."""

    resource_type = 'Test::Unknown'
    find_existing = Resource.find_existing


class Kept(Thing):
    """One of which snapshots keep a copy."""

    resource_type = 'Test::Kept'
    properties_schema = {**Thing.properties_schema, 'slow': number('Seconds until a copy goes.', default=0)}

    def handle_snapshot(self):
        self.data_set('copy', cloud.copy(self.resource_id))

    def handle_delete_snapshot(self, data):
        until = time.monotonic() + self.properties['slow']
        while time.monotonic() < until:
            yield 0.05
        cloud.drop(data['resource_data']['copy'])


TYPES = (Thing, Generated, Unknown, Kept)
