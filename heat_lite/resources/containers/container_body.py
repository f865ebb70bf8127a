"""The requests that create containers, and the properties that their answers show."""

import posixpath
import re
import shlex

from heat_lite.resources.containers.sealed_text import unseal

MIB = 1 << 20
#: microseconds of a period in which a container may use ``cpus`` times as much CPU time
CPU_PERIOD = 100000
SECRETS = '/run/secrets'
#: variables that engines set by themselves
SET_BY_ENGINE = {'PATH', 'HOME', 'HOSTNAME', 'TERM', 'container'}
#: the networks of containers that are given none, of Docker and of Podman
DEFAULT_NETWORKS = ('bridge', 'podman')
#: the name of a volume that an engine has made for a path of an image
NAMELESS_VOLUME = re.compile('[0-9a-f]{64}')
SHELLS = ('sh', '/bin/sh')
#: security options that restrict a container
SAFE_OPTIONS = ('no-new-privileges', 'no-new-privileges:true')


def create_body(values, labels):
    """Return the body of the request that creates a container.

    It names the first network only: engines before API 1.44 accept no more.
    """
    body = {
        'Image': values['image'],
        'Cmd': texts(values['command']),
        'Entrypoint': texts(values['entrypoint']),
        'Env': environment(values['environment']),
        'WorkingDir': values['working_dir'],
        'User': values['user'],
        'Hostname': values['hostname'],
        'Domainname': values['domainname'],
        'Tty': values['tty'],
        'OpenStdin': values['stdin_open'],
        'Labels': labels,
        'StopSignal': values.get('stop_signal'),
        'ExposedPorts': {_port_key(each): {} for each in values.get('ports') or ()},
        'Healthcheck': _health_check(values.get('health_check')),
        'HostConfig': given_values(_host_config(values)),
    }
    networks = values['networks'] or ()
    if networks:
        first = networks[0]
        body['NetworkingConfig'] = {'EndpointsConfig': {first['network']: endpoint(first)}}
    return given_values(body)


def _host_config(values):
    return {
        **limits(values),
        **_memory(values),
        'GroupAdd': texts(values['group_add']),
        'LogConfig': _log_config(values),
        'PidMode': values['pid_mode'],
        'IpcMode': values['ipc_mode'],
        'DnsOptions': values['dns_options'],
        'PidsLimit': values['pids_limit'],
        'ShmSize': values['shm_size'] and values['shm_size'] * MIB,
        'Ulimits': [_ulimit(each) for each in values['ulimits'] or ()],
        'Sysctls': map_of_texts(values['sysctls']),
        'ReadonlyRootfs': values['read_only'],
        'Privileged': values['privileged'],
        'CapAdd': values['cap_add'],
        'CapDrop': values['cap_drop'],
        'SecurityOpt': values['security_opt'],
        'Devices': [device(each) for each in values['devices'] or ()],
        'Mounts': [_mount(each) for each in values['volumes'] or () if not each['host_path']],
        'Binds': [_bind(each) for each in values['volumes'] or () if each['host_path']],
        'Tmpfs': dict(each.partition(':')[::2] for each in values['tmpfs'] or ()),
        'Init': values['init'],
        'Dns': values['dns'],
        'DnsSearch': values['dns_search'],
        'ExtraHosts': [f'{name}:{ip}' for name, ip in map_of_texts(values['extra_hosts']).items()],
        'PortBindings': port_bindings(values.get('ports') or ()),
        'RestartPolicy': restart_policy(values.get('restart') or 'no'),
        'NetworkMode': _network_mode(values),
    }


def _memory(values):
    swap = values['memory_swap']
    return {
        'MemoryReservation': values['memory_reservation'] and values['memory_reservation'] * MIB,
        'MemorySwap': swap if swap is None or swap < 0 else swap * MIB,
        'OomScoreAdj': values['oom_score_adj'],
    }


def _log_config(values):
    return given_values(
        {'Type': values['log_driver'], 'Config': map_of_texts(values['log_options'])}
    )


def limits(values):
    """Return the limits that an engine can change of a running container."""
    return {
        'Memory': values['memory'] and values['memory'] * MIB,
        'CpuPeriod': CPU_PERIOD if values['cpus'] else None,
        'CpuQuota': cpu_quota(values['cpus']),
        'CpuShares': values['cpu_shares'],
        'CpusetCpus': values['cpu_set'],
    }


def cpu_quota(cpus):
    # not cut off: 1.15 * 100000 is 114999.99999999999, which the live state would tell as a drift
    return round(cpus * CPU_PERIOD) if cpus else None


def given_values(body):
    """Return a body without what is not given."""
    return {name: value for name, value in body.items() if value not in (None, '', [], {}, False)}


def texts(values):
    return None if values is None else [text_of(each) for each in values]


def environment(values):
    """Return variables as NAME=VALUE; one without a value has none."""
    return [
        name if value is None else f'{name}={text_of(value)}'
        for name, value in sorted((values or {}).items())
    ]


def text_of(value):
    """Return a value as JSON has it, but a text without quotes, and an empty one for null."""
    if isinstance(value, bool):
        return str(value).lower()
    return '' if value is None else str(value)


def map_of_texts(values):
    return {name: text_of(value) for name, value in (values or {}).items()}


def _health_check(given):
    if not given:
        return None
    return {
        'Test': _test(texts(given['command'])),
        'Interval': _nanoseconds(given['interval']),
        'Timeout': _nanoseconds(given['timeout']),
        'Retries': given['retries'],
        'StartPeriod': _nanoseconds(given['start_period']),
    }


def _test(command):
    """Return a command in the form of a health check.

    Podman splits the arguments of CMD at spaces, so a command with spaces is run by a shell.
    """
    if not any(re.search(r'\s', each) for each in command):
        return ['CMD', *command]
    is_shell = len(command) == 3 and command[0] in SHELLS and command[1] == '-c'
    return ['CMD-SHELL', command[2] if is_shell else shlex.join(command)]


def _nanoseconds(seconds):
    return int(float(seconds) * 1e9)


def _ulimit(given):
    soft, hard = given['soft'], given['hard']
    return {'Name': given['name'], 'Soft': soft, 'Hard': soft if hard is None else hard}


def device(given):
    """Return a device of the host in the form of the request."""
    return {
        'PathOnHost': given['path_on_host'],
        'PathInContainer': given['path_in_container'] or given['path_on_host'],
        'CgroupPermissions': given['permissions'],
    }


def _mount(given):
    mount = {'Type': 'volume', 'Source': given['volume'], 'Target': given['path']}
    return {**mount, 'ReadOnly': True} if given['read_only'] else mount


def _bind(given):
    """Return a mount of the host as PATH:PATH:MODE: engines make a folder that is missing."""
    mode = 'ro' if given['read_only'] else 'rw'
    return f'{given["host_path"]}:{given["path"]}:{mode}'


def _port_key(given):
    return f'{given["container_port"]}/{given["protocol"]}'


def port_bindings(ports):
    """Return the published ports in the form of the request; no host port means any."""
    bindings = {}
    for each in ports:
        host = {'HostIp': each['host_ip'] or '', 'HostPort': str(each['host_port'] or '')}
        bindings.setdefault(_port_key(each), []).append(host)
    return bindings


def restart_policy(text):
    """Return a policy such as on-failure:3 in the form of the request."""
    name, _, retries = text.partition(':')
    return {'Name': name, 'MaximumRetryCount': int(retries or 0)}


def _network_mode(values):
    networks = values['networks']
    return values['network_mode'] or (networks[0]['network'] if networks else None)


def endpoint(given):
    """Return the connection to a network in the form of the request."""
    addresses = {'IPv4Address': given['ip_address'], 'IPv6Address': given['ipv6_address']}
    fixed = {name: value for name, value in addresses.items() if value}
    result = {'Aliases': given['aliases'] or []}
    return {**result, 'IPAMConfig': fixed} if fixed else result


def files(values, secret):
    """Return the files to put into the container (see ``archives.pack_files``)."""
    found = {each['path']: _file(each, each['content'], '0644') for each in values['files'] or ()}
    for each in values['configs'] or ():
        found[each['target']] = _file(each, unseal(each['config'], secret), '0444')
    for each in values['secrets'] or ():
        path = posixpath.join(SECRETS, each['target'])
        found[path] = _file(each, unseal(each['secret'], secret), '0400')
    return found


def _file(given, content, mode):
    owner = {'uid': given['uid'], 'gid': given['gid']}
    return {'content': content, 'mode': given['mode'] or mode, **owner}


def host_uses(values):
    """Yield pairs (option, what) of what a container uses of its host."""
    for each in values['volumes'] or ():
        path = each['host_path'] or each['volume']
        if each['host_path'] or is_host_path(path):
            yield 'host_paths', f'volumes mount {path} of the host'
    if values['devices']:
        yield 'host_paths', 'devices are those of the host'
    # Podman writes the logs there. It reads NAME=VALUE, and the name in any case.
    if any(name.partition('=')[0].lower() == 'path' for name in values['log_options'] or ()):
        yield 'host_paths', 'log_options name a file of the host'
    if values['privileged']:
        yield 'privileged', 'privileged is true'
    if values['cap_add']:
        yield 'privileged', 'cap_add adds capabilities'
    for name in ('network_mode', 'pid_mode', 'ipc_mode'):
        if values[name] == 'host':
            yield 'privileged', f'{name} is that of the host'
    if any(each['network'] == 'host' for each in values['networks'] or ()):
        yield 'privileged', 'networks contain that of the host'
    if set(values['security_opt'] or ()) - set(SAFE_OPTIONS):
        yield 'privileged', 'security_opt weakens the container'


def is_host_path(text):
    """Return whether engines take a text for a path of the host, and not for a volume."""
    return bool(text) and (text.startswith(('.', '~')) or '/' in text or '\\' in text)


def exclusive_uses(values):
    """Return what only one container can have: names, published ports, fixed addresses."""
    found = {('name', values['name'])} if values.get('name') else set()
    for each in values.get('ports') or ():
        if each['host_port']:
            found.add(('port', each['host_port'], each['protocol']))
    for each in values.get('networks') or ():
        found.update(
            (each['network'], each[name]) for name in ('ip_address', 'ipv6_address') if each[name]
        )
    return found


def at_path(shown, path):
    """Return the value at a path such as IPAM.Config.0.Subnet; None if there is none."""
    for key in path.split('.'):
        if isinstance(shown, list):
            shown = shown[int(key)] if int(key) < len(shown) else None
        else:
            shown = (shown or {}).get(key)
    return shown


def labels(shown):
    """Return the labels of an object that an engine shows."""
    return shown.get('Labels') or at_path(shown, 'Config.Labels') or {}


def shown_values(shown):
    """Return what a container has, by the names of its properties."""
    given = at_path(shown, 'Config.Env') or ()
    ports = at_path(shown, 'HostConfig.PortBindings') or {}
    return {
        'environment': dict(each.partition('=')[::2] for each in given),
        'working_dir': at_path(shown, 'Config.WorkingDir') or '/',
        'volumes': [
            _shown_mount(each)
            for each in shown.get('Mounts') or ()
            if not NAMELESS_VOLUME.fullmatch(each.get('Name') or '')
        ],
        'ports': [_shown_port(key, each) for key in sorted(ports) for each in ports[key] or ()],
    }


def _shown_mount(each):
    key, source = ('volume', 'Name') if each.get('Name') else ('host_path', 'Source')
    return {key: each[source], 'path': each['Destination'], 'read_only': not each.get('RW', True)}


def _shown_port(key, each):
    number, _, protocol = key.partition('/')
    host = {'host_port': int(each['HostPort'])} if each.get('HostPort') else {}
    return {'container_port': int(number), **host, 'protocol': protocol or 'tcp'}


def live_values(shown, networks):
    """Return the properties of a container as the engine shows them.

    ``networks``: those of the template. Without any the container is in the default one.
    """
    host = shown.get('HostConfig') or {}
    policy, period = host.get('RestartPolicy') or {}, host.get('CpuPeriod')
    values = {
        'memory': (host.get('Memory') or 0) // MIB,
        'cpu_shares': host.get('CpuShares') or 0,
        'cpu_set': host.get('CpusetCpus') or '',
        'cpus': (host.get('CpuQuota') or 0) / period if period else 0,
        'restart': _live_restart(policy),
    }
    return {**values, 'networks': _live_networks(shown, networks)} if networks else values


def _live_restart(policy):
    name, retries = policy.get('Name') or 'no', policy.get('MaximumRetryCount')
    return f'{name}:{retries}' if name == 'on-failure' and retries else name


def joined_networks(shown):
    """Return the networks of a container but the default one."""
    there = at_path(shown, 'NetworkSettings.Networks') or {}
    return [{'network': name} for name in sorted(there) if name not in DEFAULT_NETWORKS]


def _live_networks(shown, given):
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
