"""Parts of objects that have requests of their own: metadata, and of types of volumes, shares and
servers (flavors) the extra specs and the access of projects.
"""

from heat_lite.clients import errors
from heat_lite.common import status
from heat_lite.resources.base.named_object import Relation
from heat_lite.template.schema import string


def update_specs(resource, action, diff, name, path='extra_specs'):
    """Generator: store the extra specs of the property ``name`` if they have changed."""
    if name not in diff:
        return
    path = f'{resource.object_path()}/{path}'
    before = {} if action == status.CREATE else resource.stored_property(name) or {}
    after = diff[name] or {}
    for key in sorted(before.keys() - after.keys()):
        yield from resource.delete_path(f'{path}/{key}')
    if after:
        create = resource.client().create
        yield from resource.call_with_retry(create, path, 'extra_specs', after)


def update_metadata(resource, action, diff):
    """Generator: replace the metadata if an update has changed them."""
    if action == status.UPDATE and 'metadata' in diff:
        body = {'metadata': diff['metadata'] or {}}
        yield from resource.send('PUT', f'{resource.object_path()}/metadata', body)


def update_access(resource, action, diff, name, noun):
    """Generator: give and take the access of projects, in the property ``name``, to a private type.

    ``noun`` is what the service calls a project.
    """
    if name not in diff or resource.properties['is_public']:
        return
    before = set() if action == status.CREATE else set(resource.stored_property(name) or ())
    after, path = set(diff[name] or ()), f'{resource.object_path()}/action'
    for verb, projects in (('remove', before - after), ('add', after - before)):
        for each in sorted(projects):
            body = {f'{verb}{noun.title()}Access': {noun: each}}
            yield from resource.send('POST', path, body)


def fetch_access(resource, path, key, noun='project'):
    """Return the ids of the projects with access to a type."""
    listed = resource.client().list(f'{resource.object_path()}/{path}', key)
    return [each[f'{noun}_id'] for each in listed]


def access_properties(kind, noun):
    """Return the properties of an access: the type, of the kind of a finder, and the project."""
    return {
        'project': string(
            'Project that can use it, by name or id.', required=True, ref='keystone.project'
        ),
        'type': string(f'Private {noun}, by name or id.', required=True, ref=kind),
    }


class TypeAccess(Relation):
    """The access of a project to a private type.

    ``path`` is that of the list of accesses and ends with its name, ``list_key`` the key of that
    list, ``noun`` what the service calls a project.
    """

    list_key: str
    noun = 'project'

    def relation_path(self, values):
        return f'{self.path.format_map(values)}?{values["project"]}'

    def connect(self):
        yield from self._act('add', self.properties, self.send)

    def disconnect(self):
        yield from self._act(
            'remove',
            self.stored_properties(),
            lambda *request: self.delete_if_present(self.client().request_json, *request),
        )

    def require_relation(self, path):
        path, _, project = path.rpartition('?')
        listed = self.client().list(path, self.list_key)
        if not any(project in each.values() for each in listed):
            raise errors.NotFound(f'The project {project} has no access at {path}.')

    def _act(self, verb, values, send):
        path = self.path.format_map(values).rpartition('/')[0]
        body = {f'{verb}{self.noun.title()}Access': {self.noun: values['project']}}
        yield from send('POST', f'{path}/action', body)
