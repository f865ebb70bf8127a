"""Who has which roles, and where: what users, groups and the assignments of roles share."""

from heat_lite.common import exception
from heat_lite.resources.cloud import ServiceResource


def check(resource):
    """Each role is had in a project or in a domain, not in both. Raises what is wrong."""
    for number, role in enumerate(resource.properties['roles'] or ()):
        if role['project'] is not None and role['domain'] is not None:
            raise exception.ResourcePropertyConflict('project', 'domain')
        if role['project'] is None and role['domain'] is None:
            raise exception.StackValidationFailed(f'Either project or domain must be specified for role {_told(resource, number)}')


def _told(resource, number):
    """The role as the template names it."""
    return resource.stack.resolve(resource.definition.properties)['roles'][number]['role']


def assign(resource, actor, before, after):
    """A generator: takes away what ``actor`` (``users/ID``) no longer has, and gives what is new."""
    client, gone, wanted = resource.client(), _paths(actor, before), _paths(actor, after)
    for path in sorted(gone - wanted):
        yield from resource.take_away(client.ask, 'DELETE', path)
    for path in sorted(wanted - gone):
        yield from resource.ask(client.ask, 'PUT', path)


def _paths(actor, roles):
    return {f'{_place(role)}/{actor}/roles/{role["role"]}' for role in roles or ()}


def _place(role):
    return f'/projects/{role["project"]}' if role['project'] is not None else f'/domains/{role["domain"]}'


class RoleAssignment(ServiceResource):
    """``actor`` is the property that names who has the roles."""

    actor: str

    def validate(self):
        super().validate()
        check(self)

    def get_reference_id(self):
        """Its physical id is that of somebody else."""
        return self.name

    def handle_create(self):
        actor = self.properties[self.actor]
        yield from assign(self, f'{self.actor}s/{actor}', (), self.properties['roles'])
        self.resource_id_set(actor)

    def handle_update(self, definition, tmpl_diff, prop_diff):
        before, after = self.held(self.actor), self.properties[self.actor]
        if before != after:
            yield from self.handle_delete()
        yield from assign(self, f'{self.actor}s/{after}', () if before != after else self.held('roles'), self.properties['roles'])
        self.resource_id_set(after)

    def handle_delete(self):
        if self.resource_id is not None:
            yield from assign(self, f'{self.actor}s/{self.held(self.actor)}', self.held('roles'), ())
