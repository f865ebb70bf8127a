"""Types of volumes, shares and servers (flavors): their extra specs, and the access of projects."""

from heat_lite.common import status


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
