"""Members of groups in Octavia pools that the groups name in LoadBalancerNames.

Octavia keeps the members: the name of a pool member is that of the group and the reference of the
instance. So the members of a group are found again after a crash, and those of others stay.
"""

import contextlib

from heat_lite.clients import errors
from heat_lite.common import exception, status
from heat_lite.resources.base.service_retry import ServiceRetry, retry_delays

POOL, LISTENER, MEMBER = 'OS::Octavia::Pool', 'OS::Octavia::Listener', 'member'
#: the port of members of a pool without a listener: by protocol of the pool, else HTTP's
PORTS, DEFAULT_PORT = {'HTTPS': 443, 'TERMINATED_HTTPS': 443}, 80
ACTIVE, FAILED = 'ACTIVE', 'ERROR'
#: the longest beginning of a name, in characters: the reference of the instance follows
MAX_PREFIX = 200
#: the name of the data of a group: its pools, which its properties may no longer name
POOLS = 'load_balancer_pools'


class PoolMembers:
    """The members of one group in one pool."""

    def __init__(self, group, pool):
        self._group = group
        self._pool = pool
        self._octavia = group.client('octavia')
        self._path = f'/lbaas/pools/{pool}/members'
        self._prefix = f'{(group.physical_resource_name() or group.name)[:MAX_PREFIX]}:'

    def synchronize(self, references, address):
        """Generator: make the instances the members of the group, and wait until they are.

        ``references``: ``{name of the instance: reference}``; ``address(name)``: the address of an
        instance without a port in Neutron, or None. Raises ResourceInError for a failed member.
        """
        known = yield from self._known()
        wanted = {f'{self._prefix}{reference}': name for name, reference in references.items()}
        former = [each['id'] for name, each in known.items() if name not in wanted]
        present = [each['id'] for name, each in known.items() if name in wanted]
        yield from self._delete(former)
        missing = [name for name in wanted if name not in known]
        port = (yield from self._port()) if missing else None
        for name in missing:
            instance = wanted[name]
            endpoint = self._endpoint(references[instance]) or {'address': address(instance)}
            if not endpoint['address']:
                raise exception.Error(
                    f'The instance {references[instance]} of the group "{self._group.name}" '
                    f'has no address: it cannot be a member of the pool {self._pool}'
                )
            values = {'name': name, 'protocol_port': port, **endpoint}
            made = yield from self._call(self._octavia.create, self._path, MEMBER, values)
            present.append(made['id'])
        yield from self._wait_until_active(present)

    def remove(self):
        """Generator: delete the members of the group, if the pool exists."""
        with contextlib.suppress(errors.NotFound):
            known = yield from self._known()
            yield from self._delete([each['id'] for each in known.values()])

    def _known(self):
        """Generator: return the pool members of the group by their names."""
        found = yield from self._call(self._octavia.list, self._path, 'members')
        return {
            each['name']: each for each in found if (each['name'] or '').startswith(self._prefix)
        }

    def _delete(self, members):
        """Generator: delete members, and wait until they do not exist."""
        for member in members:
            with contextlib.suppress(errors.NotFound):
                yield from self._call(self._octavia.delete, f'{self._path}/{member}')
        for member in members:
            with contextlib.suppress(errors.NotFound):
                yield from self._wait(member, None)

    def _wait_until_active(self, members):
        for member in members:
            yield from self._wait(member, ACTIVE)

    def _wait(self, member, state):
        """Generator: wait for a state. Raises ResourceInError for a member that fails."""
        for pause in retry_delays():
            found = yield from self._call(self._octavia.show, f'{self._path}/{member}', MEMBER)
            if found['provisioning_status'] == FAILED:
                raise exception.ResourceInError(
                    resource_status=FAILED,
                    status_reason=f'the member {member} of the pool {self._pool} has failed',
                )
            if found['provisioning_status'] == state:
                return
            yield pause

    def _port(self):
        """Generator: return the port of the listener of the pool, or the default."""
        pool = yield from self._call(self._octavia.show, f'/lbaas/pools/{self._pool}', 'pool')
        for each in (pool.get('listeners') or ())[:1]:
            path = f'/lbaas/listeners/{each["id"]}'
            listener = yield from self._call(self._octavia.show, path, 'listener')
            return listener['protocol_port']
        return PORTS.get(pool['protocol'], DEFAULT_PORT)

    def _endpoint(self, server):
        """Return the address and the subnet of a server's first port; None without a port."""
        ports = self._group.client('neutron').list('/ports', 'ports', device_id=server)
        for fixed in (each for port in ports for each in port['fixed_ips']):
            return {'address': fixed['ip_address'], 'subnet_id': fixed['subnet_id']}
        return None

    def _call(self, call, *args):
        """Generator: return the response; wait while the load balancer is immutable."""
        retry = ServiceRetry(self._group, retry_conflict=True, service='octavia')
        return (yield from retry.until_answered(call, *args))


def find(group, text):
    """Return the id of a pool by its id or name. Raises StackValidationFailed without one."""
    try:
        return group.stack.clients().find('octavia.pool', text)
    except (errors.NoCloud, errors.NoSuchObject, errors.NotFound) as error:
        raise exception.StackValidationFailed(
            f'LoadBalancerNames of {group.name}: "{text}" is neither a load balancer of the stack '
            f'nor a pool: {error}'
        ) from None


def synchronize(group, pools, references):
    """Generator: make the instances members of the pools, and leave former pools."""
    pools = sorted(pools)
    yield from remove(group, keep=pools)
    if pools:
        group.data_set(POOLS, ','.join(pools))
    for pool in pools:
        yield from PoolMembers(group, pool).synchronize(references, group.member_address)


def remove(group, keep=()):
    """Generator: delete the members of a group from its pools, but those to ``keep``."""
    for pool in filter(None, group.data().get(POOLS, '').split(',')):
        if pool not in keep:
            yield from PoolMembers(group, pool).remove()
    if not keep and POOLS in group.data():
        group.data_delete(POOLS)


def deleted_pools(stack):
    """Return the ids of the pools that are deleted with the stack, and their members with them."""
    if stack.action != status.DELETE:
        return []
    return [
        stack.resource_for(name).resource_id
        for name, definition in stack.definitions.items()
        if definition.resource_type == POOL and definition.deletion_policy == 'Delete'
    ]


def listeners(group, others):
    """Return the names of the listeners of the pools that the group refers to: a listener that
    takes the pool as its default pool has the port of the members.
    """
    names = set(others)
    pools = {
        name for name in others[group.name].requires(names) if others[name].resource_type == POOL
    }
    return [
        name
        for name, definition in others.items()
        if definition.resource_type == LISTENER
        and pools & (required := definition.requires(names))
        and group.name not in required
    ]
