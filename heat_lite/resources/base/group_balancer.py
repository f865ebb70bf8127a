"""Load balancers in front of the members of groups, which the groups name in LoadBalancerNames.

A GroupBalancer does not store the members: it reads them from the groups, so a balancer that is
replaced or updated has them, too. Other names are pools of Octavia (see ``pool_members``).
"""

from heat_lite.common import exception
from heat_lite.resources.base import pool_members
from heat_lite.resources.base.stack_resource import StackResource
from heat_lite.template import checks
from heat_lite.template.unknown import Unknown

NAMES = 'LoadBalancerNames'
#: Several groups may end at the same time, each with a template that lacks the others' members.
RELOADS = 5


class GroupBalancer(StackResource):
    """A load balancer that is a nested stack. Types use ``group_members`` in their template."""

    #: the members of groups that change just now, ``{name of the group: references}``
    changing_groups: dict[str, list[str]] | None = None

    def group_members(self):
        """Return the references of the healthy members of all groups that name this balancer."""
        found = dict(self.changing_groups or {})
        for each in self.stack.current_resources():
            if each.name in found or NAMES not in each.properties_schema:
                continue
            if self.name in (each.properties[NAMES] or ()) and each.nested() is not None:
                found[each.name] = list(each.member_references().values())
        return list(dict.fromkeys(reference for name in sorted(found) for reference in found[name]))

    def reload(self, group, references):
        """Generator: put the members of a group into the configuration of the balancer.

        Raises ResourceFailure if the update of the nested stack fails.
        """
        self.changing_groups = {group: references}
        try:
            wanted = None
            for _ in range(RELOADS):
                yield from self.settle()
                known, wanted = wanted, self.child_template()
                if known == wanted:
                    return
                yield from self.update_with_template(wanted)
        finally:
            self.changing_groups = None


def validate(group):
    """Raise StackValidationFailed if the group names neither a GroupBalancer nor a pool."""
    checks.require_scalars(group.properties_schema, group.properties, [NAMES])
    definitions = group.stack.definitions
    for name in group.properties[NAMES] or ():
        if isinstance(name, Unknown):
            name = name.source_among(definitions)
        if not name or not isinstance(name, str):
            continue  # known at run time
        if name not in definitions:
            pool_members.find(group, name)
        elif definitions[name].resource_type == pool_members.POOL:
            if name not in group.definition.requires(definitions):
                raise exception.StackValidationFailed(
                    f'{NAMES} of {group.name} has the name of the pool "{name}" as text: refer to '
                    'it by get_resource or Ref'
                )
        elif not isinstance(group.stack.resource_for(name), GroupBalancer):
            raise exception.StackValidationFailed(
                f"Unsupported resource '{name}' in {NAMES}: only "
                f'AWS::ElasticLoadBalancing::LoadBalancer and {pool_members.POOL} take the members '
                'of a group'
            )


def reload_all(group, excluded=()):
    """Generator: reload the balancers that a group names.

    ``excluded``: names of members that get no requests.
    """
    names = group.properties[NAMES] or ()
    if not names:
        return
    references = _references(group, excluded)
    for balancer in _balancers(group, names):
        yield from balancer.reload(group.name, list(references.values()))
    yield from pool_members.synchronize(group, _pools(group, names), references)


def leave_pools(group, leaving):
    """Generator: take members that are being deleted out of the pools, so that they get no
    requests. A GroupBalancer is reloaded afterwards.
    """
    names = group.properties[NAMES] or ()
    if leaving and names:
        references = _references(group, leaving)
        yield from pool_members.synchronize(group, _pools(group, names), references)


def _references(group, excluded):
    known = {} if group.nested() is None else group.member_references()
    return {name: each for name, each in known.items() if name not in excluded}


def _pools(group, names):
    """Return the ids of the pools among the names."""
    return {
        pool_members.find(group, name)
        for name in names
        if name and name not in group.stack.definitions
    }


def remove_group(group):
    """Generator: take the members of a group that is being deleted out of its balancers."""
    if group.name not in group.stack.definitions:  # it is not replaced
        for balancer in _balancers(group, group.properties[NAMES] or ()):
            yield from balancer.reload(group.name, [])


def _balancers(group, names):
    """Yield the balancers that exist, in the order of the names."""
    for name in dict.fromkeys(names):
        if name in group.stack.definitions:
            found = group.stack.resource_for(name)
            if isinstance(found, GroupBalancer) and found.nested() is not None:
                yield found
