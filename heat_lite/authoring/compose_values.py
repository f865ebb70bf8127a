"""The values of a compose file: each function returns what a property of a template takes."""

import math
import re
import shlex
from collections.abc import Iterator

from heat_lite.common.value_types import Value, Values, without_none

NETWORK_KEYS = (
    'name driver driver_opts internal attachable enable_ipv6 ipam labels external'.split()
)
VOLUME_KEYS = 'name driver driver_opts labels external'.split()
SERVICE_KEYS = (
    'build command entrypoint environment labels extra_hosts sysctls cpus ulimits '
    'stop_grace_period healthcheck ports networks network_mode volumes secrets configs depends_on '
    'deploy scale devices restart logging links platform'
).split()
#: keys of a service that say nothing about its containers, or what is so anyway
SERVICE_IGNORED = 'expose develop attach pull_policy annotations'.split()
BUILD_KEYS = 'context dockerfile dockerfile_inline args target labels platforms'.split()
#: keys that only make a build faster, or say what it may use of the machine
BUILD_IGNORED = 'cache_from cache_to no_cache pull tags provenance sbom'.split()
UNITS = {'': 1, 'b': 1, 'k': 1 << 10, 'm': 1 << 20, 'g': 1 << 30}
SECONDS = {'us': 1e-6, 'ms': 1e-3, 's': 1, 'm': 60, 'h': 3600}


def given(properties: Values) -> Values:
    """Return properties without those that are not given."""
    return {name: each for name, each in properties.items() if each not in (None, [], {}, '')}


def container_of(resource: Values) -> Values:
    """Return the properties of a container, or of the containers of a group."""
    properties = resource.get('properties') or {}
    return (properties.get('resource_def') or {}).get('properties') or properties


def is_privileged(properties: Values) -> bool:
    """Return whether a container needs the option allow_privileged."""
    modes = (properties.get(name) for name in ('network_mode', 'pid_mode', 'ipc_mode'))
    options = set(properties.get('security_opt') or ()) - {'no-new-privileges:true'}
    return bool(
        properties.get('privileged')
        or properties.get('cap_add')
        or options - {'no-new-privileges'}
        or 'host' in modes
    )


def external(declared: Values) -> bool | str:
    """Return whether a network or volume exists already, or its name; compose 2 had a map."""
    found = declared.get('external')
    return found.get('name') or True if isinstance(found, dict) else bool(found)


def text(given: Value) -> str | None:
    return None if given is None else str(given)


def integer(given: Value) -> int | None:
    return None if given is None else whole_number(given)


def whole_number(given: Value) -> int:
    try:
        return int(given)
    except ValueError:
        raise ValueError(f'"{given}" is not a whole number') from None


def names(given: Value) -> list[str]:
    """Return a list of names: one text, a list, or the keys of a map."""
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)


def mapping(given: Value) -> Values:
    """Return a map: a map, or a list of NAME=VALUE."""
    if isinstance(given, dict):
        return given
    pairs = (str(each).partition('=') for each in given or ())
    return {name: value if sign else None for name, sign, value in pairs}


def hosts(given: Value) -> dict[str, str]:
    """Return ``{name: address}``: a map, or a list of NAME:ADDRESS or NAME=ADDRESS."""
    if isinstance(given, dict):
        return {name: ','.join(names(each)) for name, each in given.items()}
    pairs = (re.split('[:=]', each, maxsplit=1) for each in given or ())
    return {name: _address(name, *rest) for name, *rest in pairs}


def _address(name: str, address: str = '') -> str:
    if not address:
        raise ValueError(f'"{name}" is not NAME:ADDRESS')
    return address.strip('[]')


def command(given: Value) -> list[str] | None:
    return None if given is None else shlex.split(given) if isinstance(given, str) else list(given)


def number(given: Value) -> float | None:
    try:
        return None if given is None else float(given)
    except ValueError:
        raise ValueError(f'"{given}" is not a number') from None


def mebibytes(given: Value) -> int | None:
    """Return a size such as 512m in MiB."""
    if given is None or str(given) == '-1':
        return given and -1
    found = re.fullmatch(r'([\d.]+)\s*([kmg]?)i?b?', str(given).strip().lower())
    if found is None:
        raise ValueError(f'"{given}" is not a size such as 512m')
    return math.ceil(float(found[1]) * UNITS[found[2]] / UNITS['m'])


def seconds(given: Value) -> float | None:
    """Return a duration such as 1m30s in seconds."""
    if given is None or isinstance(given, int | float):
        return given
    parts = re.findall(r'([\d.]+)(us|ms|s|m|h)', given)
    if not parts:
        raise ValueError(f'"{given}" is not a duration such as 1m30s')
    return sum(float(count) * SECONDS[unit] for count, unit in parts)


def whole_seconds(given: Value) -> int | None:
    found = seconds(given)
    return None if found is None else math.ceil(found)


def device(given: Value) -> Values:
    """Return a device: PATH, PATH:PATH, PATH:PATH:PERMISSIONS, or a map."""
    if isinstance(given, dict):
        parts = [given['source'], given.get('target'), given.get('permissions')]
    else:
        parts = [*str(given).split(':'), None, None][:3]
    keys = ('path_on_host', 'path_in_container', 'permissions')
    return {key: each for key, each in zip(keys, parts, strict=True) if each}


def ulimits(given: Value) -> list[Values]:
    return [
        {'name': name, 'soft': each['soft'], 'hard': each['hard']}
        if isinstance(each, dict)
        else {'name': name, 'soft': each}
        for name, each in (given or {}).items()
    ]


def health_check(given: Value) -> Values | None:
    """Return a check; None for none or a disabled one."""
    if not given or given.get('disable') or given.get('test') in (None, ['NONE'], 'NONE'):
        return None
    test = given['test']
    if isinstance(test, str):
        found = ['/bin/sh', '-c', test]
    elif test[0] == 'CMD-SHELL':
        found = ['/bin/sh', '-c', *test[1:]]
    else:
        found = list(test[1:]) if test[0] == 'CMD' else list(test)
    check = {'command': found, 'retries': given.get('retries')}
    for key in ('interval', 'timeout', 'start_period'):
        check[key] = seconds(given.get(key))
    return without_none(check)


def port(given: Value) -> Iterator[Values]:
    """Yield published ports: a number, HOST:CONTAINER, ranges, or a map."""
    if isinstance(given, dict):
        address, outside = given.get('host_ip'), given.get('published')
        inside, protocol = given['target'], given.get('protocol')
    else:
        text, _, protocol = str(given).partition('/')
        front, _, inside = text.rpartition(':')
        address, _, outside = front.rpartition(':')
    inner = _range(inside)
    outer = _range(outside) if outside not in (None, '') else [None] * len(inner)
    if len(inner) == 1 < len(outer):
        outer = outer[:1]  # a port of the range
    if len(outer) != len(inner):
        raise ValueError(f'"{given}": the ranges differ in length')
    for container_port, host_port in zip(inner, outer, strict=True):
        yield _port(container_port, host_port, (address or '').strip('[]'), protocol)


def _range(text: Value) -> list[int]:
    first, _, last = str(text).partition('-')
    return list(range(whole_number(first), whole_number(last or first) + 1))


def _port(container_port: int, host_port: int | None, host_ip: str, protocol: str | None) -> Values:
    found = {
        'container_port': container_port,
        'host_port': host_port or None,
        'host_ip': host_ip or None,
        'protocol': protocol or None,
    }
    return without_none(found)


def mount(given: Value) -> Values:
    """Return ``{'source', 'path', 'type', 'read_only'}`` of a mount in its short or long form."""
    if isinstance(given, dict):
        found = {key: given.get(key) for key in ('source', 'type')}
        path, read_only = given['target'], given.get('read_only')
    else:
        parts = str(given).split(':')
        found = {'source': parts[0] if len(parts) > 1 else None, 'type': None}
        path = parts[min(1, len(parts) - 1)]
        read_only = len(parts) > 2 and 'ro' in parts[2].split(',')
    return {**found, 'path': path, **({'read_only': True} if read_only else {})}


def tmpfs_mounts(given: Value) -> list[str]:
    """Return the mounts of a list that are file systems in memory, as PATH or PATH:OPTIONS."""
    found = []
    for each in given or ():
        if isinstance(each, dict) and each.get('type') == 'tmpfs':
            size = (each.get('tmpfs') or {}).get('size')
            options = f':size={mebibytes(size)}m' if size else ''
            found.append(f'{each["target"]}{options}')
    return found


def dependencies(given: Value) -> dict[str, str | None]:
    """Return ``{service: condition}``."""
    if isinstance(given, dict):
        return {name: (each or {}).get('condition') for name, each in given.items()}
    return dict.fromkeys(given or ())


def octal(given: Value) -> int:
    """Return a mode: YAML reads 0440 as a number, "0440" is a text."""
    return given if isinstance(given, int) else int(given, 8)
