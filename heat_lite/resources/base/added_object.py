"""Objects that nothing tells from their like: what a create has made is what it adds to a list.

The ids that are listed before the create are stored with the resource.
Tests: tests/functional/test_lost_responses.py.
"""

from heat_lite.common import exception
from heat_lite.resources.base.cloud import CloudResource

#: key in the data of the resource; the number of objects beyond which they are not noted, and the
#: length of the beginning of each id that is
BEFORE, MOST, LENGTH = 'ids_before', 4000, 8


def note(resource, list_ids):
    """Generator: store which objects there are, before the first request to create another."""
    if BEFORE not in resource.data():
        ids = list_ids()
        if len(ids) <= MOST:
            resource.data_set(BEFORE, ' '.join(each[:LENGTH] for each in ids))
            yield None  # stores them before the request


def find(resource, list_ids):
    """Return the id of the object that was added since ``note``; None if there is none. Objects of
    other resources do not count. Raises Interrupted if it may be one of several.
    """
    before = resource.data().get(BEFORE)
    if before is None:
        return None
    known = set(before.split())
    added = {each for each in list_ids() if each[:LENGTH] not in known}
    added -= resource.stack.records.owned(added)
    if len(added) > 1:
        raise exception.Interrupted(
            'its engine stopped, or the connection broke, before the result of the create was '
            f'known; it may be any of {", ".join(sorted(added))}. Delete it, or import it'
        )
    return next(iter(added), None)


class AddedObject(CloudResource):
    """An object that is found as the one that its create has added to the list."""

    def listed(self):
        """Return the ids of the objects that the create may have made."""
        rest = self.rest
        found = self.client().list(self.collection(), rest.list_key)
        return [each[rest.id] for each in found if not self.drift(each)]

    def create_object(self, values):
        yield from note(self, self.listed)
        made = yield from super().create_object(values)
        self.data_delete(BEFORE)
        return made

    def can_be_found(self):
        return True

    def find_existing(self):
        return find(self, self.listed)
