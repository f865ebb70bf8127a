"""GroupBalancer: a load balancer in front of the members of groups.

The groups name their balancers in LoadBalancerNames. A balancer does not store the members: it
reads them from the groups, so a balancer that is replaced or updated has them, too.
"""

from heat_lite.common import exception
from heat_lite.resources.base.stack_resource import StackResource

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
    """Raise StackValidationFailed if the group names something that is no GroupBalancer."""
    for name in group.properties[NAMES] or ():
        if not name or not isinstance(name, str):
            continue  # known at run time
        if name not in group.stack.definitions:
            raise exception.StackValidationFailed(
                f'{NAMES} of {group.name}: the stack has no resource "{name}"'
            )
        if not isinstance(group.stack.resource_for(name), GroupBalancer):
            raise exception.StackValidationFailed(
                f"Unsupported resource '{name}' in {NAMES}: only "
                'AWS::ElasticLoadBalancing::LoadBalancer takes the members of a group. For a pool, '
                'map OS::Heat::ScaledResource to a template with an OS::Octavia::PoolMember'
            )


def reload_all(group, excluded=()):
    """Generator: reload the balancers that a group names.

    ``excluded``: names of members that get no requests.
    """
    names = group.properties[NAMES] or ()
    if not names:
        return
    known = {} if group.nested() is None else group.member_references()
    references = [each for name, each in known.items() if name not in excluded]
    for balancer in _balancers(group, names):
        yield from balancer.reload(group.name, references)


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
