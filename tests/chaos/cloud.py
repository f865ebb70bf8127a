"""A cloud in a folder that survives the processes that use it, and resource types of this cloud.

An object is a file whose name begins with the name of the object. The request and the response are
separate checkpoints: a process may be killed at either.
"""

import contextlib
import os
import pathlib
import time
import uuid

from heat_lite.common import exception
from heat_lite.engine.resource.resource import Resource
from heat_lite.template.schema import boolean, integer, number, string

SEPARATOR = '--'


class Cloud:
    """The objects and a log of the calls.

    ``checkpoint(name)`` is called before each call, and again after the call has taken effect but
    before its caller has the result.
    """

    folder: pathlib.Path | None = None

    def __init__(self):
        self.checkpoint = lambda name: None

    def names(self):
        """Return the names of all objects; a duplicate object repeats its name."""
        return sorted(
            path.name.partition(SEPARATOR)[0]
            for path in self.folder.iterdir()
            if not path.name.startswith('.')
        )

    def create(self, name, steps=0):
        self.checkpoint('before create')
        object_id = f'{name}{SEPARATOR}{uuid.uuid4().hex[:8]}'
        (self.folder / object_id).write_text(str(steps))
        self.log_call('create', object_id)
        self.checkpoint('after create')
        return object_id

    def release(self):
        """End the wait of objects that are held."""
        (self.folder / '.released').touch()

    def is_released(self):
        return (self.folder / '.released').exists()

    def find(self, name):
        self.checkpoint('before find')
        return [path.name for path in self.folder.glob(f'{name}{SEPARATOR}*')]

    def is_ready(self, object_id):
        """Return whether the object is ready; each poll brings it one step closer."""
        self.checkpoint('before show')
        path = self.folder / object_id
        left = int(path.read_text() or 0)
        if left:
            path.write_text(str(left - 1))
        return not left

    def update(self, object_id, steps=0):
        self.checkpoint('before update')
        (self.folder / object_id).write_text(str(steps))
        self.log_call('update', object_id)
        self.checkpoint('after update')

    def delete(self, object_id):
        self.checkpoint('before delete')
        with contextlib.suppress(FileNotFoundError):
            (self.folder / object_id).unlink()
        self.log_call('delete', object_id)
        self.checkpoint('after delete')

    # copies made by snapshots

    def copy(self, object_id):
        copy_id = f'.copy-{uuid.uuid4().hex[:8]}'
        (self.folder / copy_id).write_text(object_id)
        return copy_id

    def copies(self):
        return sorted(path.name for path in self.folder.glob('.copy-*'))

    def drop(self, copy_id):
        self.checkpoint('before drop')
        with contextlib.suppress(FileNotFoundError):
            (self.folder / copy_id).unlink()
        self.checkpoint('after drop')

    def log_call(self, call, object_id):
        with open(self.folder / '.calls', 'a') as calls:
            calls.write(f'{call} {object_id} {os.getpid()}\n')

    def calls(self, wanted):
        """Return (object, process id) of each call of one kind, in their order."""
        path = self.folder / '.calls'
        lines = path.read_text().splitlines() if path.exists() else ()
        return [tuple(line.split()[1:]) for line in lines if line.startswith(f'{wanted} ')]


cloud = Cloud()


class Thing(Resource):
    """A resource type in the style of Heat's plug-ins: handle_* and check_*_complete."""

    resource_type = 'Test::Thing'
    properties_schema = {
        'value': string('Can change.', update_allowed=True),
        'other': string('Replaces it.'),
        'steps': integer('Looks until it is ready.', default=1, update_allowed=True),
        'fail': boolean('Whether making it fails.', default=False, update_allowed=True),
        'wait': number('Seconds until the call.', default=0, update_allowed=True),
        'held': boolean('Whether the call waits for release().', default=False),
    }

    def handle_create(self):
        if self.properties['fail']:
            raise ValueError('told to fail')
        self.resource_id_set(cloud.create(self.physical_resource_name(), self.properties['steps']))
        return self.resource_id

    def check_create_complete(self, object_id):
        return cloud.is_ready(object_id)

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

    def object_exists(self):
        return (cloud.folder / self.resource_id).exists()

    def importable_state(self):
        return {}


class Generated(Thing):
    """The same type with a generator as handler; it looks for the object before it creates one."""

    resource_type = 'Test::Generated'

    def handle_create(self):
        until = time.monotonic() + self.properties['wait']
        while time.monotonic() < until:
            yield max(0, until - time.monotonic())
        while self.properties['held'] and not cloud.is_released():
            yield 0.05
        if self.properties['fail']:
            raise ValueError('told to fail')
        if self.resource_id is None:
            self.resource_id_set(
                cloud.create(self.physical_resource_name(), self.properties['steps'])
            )
        while not cloud.is_ready(self.resource_id):
            yield 0.005

    check_create_complete = None


class Slow(Generated):
    """A type whose other actions take ``wait`` seconds, too."""

    resource_type = 'Test::Slow'

    def handle_suspend(self):
        until = time.monotonic() + self.properties['wait']
        while time.monotonic() < until:
            yield 0.05
        cloud.update(self.resource_id)

    handle_resume = handle_check = handle_suspend

    def handle_snapshot(self):
        self.data_set('copy', cloud.copy(self.resource_id))


class Unknown(Thing):
    """A type whose objects cannot be looked up."""

    resource_type = 'Test::Unknown'
    find_existing = Resource.find_existing


class Copied(Thing):
    """A type whose snapshots keep a copy."""

    resource_type = 'Test::Copied'
    properties_schema = {
        **Thing.properties_schema,
        'slow': number('Seconds until a copy goes.', default=0),
    }

    def handle_snapshot(self):
        self.data_set('copy', cloud.copy(self.resource_id))

    def handle_delete_snapshot(self, data):
        until = time.monotonic() + self.properties['slow']
        while time.monotonic() < until:
            yield 0.05
        cloud.drop(data['resource_data']['copy'])


class Requested(Thing):
    """A type whose create takes until the test makes the object, whatever becomes of its engine."""

    resource_type = 'Test::Requested'

    def handle_create(self):
        cloud.log_call('request', self.physical_resource_name())
        while (found := super().find_existing()) is None:
            time.sleep(0.05)
        self.resource_id_set(found)
        return found

    def find_existing(self):
        cloud.log_call('look', self.physical_resource_name())
        return super().find_existing()


TYPES = (Thing, Generated, Slow, Unknown, Copied, Requested)
