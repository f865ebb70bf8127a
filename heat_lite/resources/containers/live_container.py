"""What an engine shows of a container, as the properties that can change while it runs."""

from heat_lite.resources.containers import container_body


def live_values(shown, networks):
    """Return the properties of a container as the engine shows them.

    ``networks``: those of the template. Without any the container is in the default one.
    """
    host = shown.get('HostConfig') or {}
    policy, period = host.get('RestartPolicy') or {}, host.get('CpuPeriod')
    values = {
        'memory': (host.get('Memory') or 0) // container_body.MIB,
        'cpu_shares': host.get('CpuShares') or 0,
        'cpu_set': host.get('CpusetCpus') or '',
        'cpus': (host.get('CpuQuota') or 0) / period if period else 0,
        'restart': _restart(policy),
    }
    return {**values, 'networks': _networks(shown, networks)} if networks else values


def _restart(policy):
    name, retries = policy.get('Name') or 'no', policy.get('MaximumRetryCount')
    return f'{name}:{retries}' if name == 'on-failure' and retries else name


def _networks(shown, given):
    """Return the networks of the template in which the container is, and further ones."""
    there = dict((shown.get('NetworkSettings') or {}).get('Networks') or {})
    found = []
    for each in given:
        connection = there.pop(each['network'], None)
        if connection is not None and _has_address(each, connection):
            found.append(each)
    return [*found, *({'network': name} for name in sorted(there))]


def _has_address(given, connection):
    wanted = given['ip_address']
    return not wanted or not connection.get('IPAddress') or connection['IPAddress'] == wanted
