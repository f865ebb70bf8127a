"""The conversion of a service of a compose file to the properties of a container."""

import re
from typing import TYPE_CHECKING

from heat_lite.authoring import compose_values as values
from heat_lite.common.value_types import Value, Values

if TYPE_CHECKING:
    from heat_lite.authoring import compose


def _own_names(names: str) -> dict[str, str]:
    """Return the keys whose property has the same name."""
    return {name: name for name in names.split()}


#: keys of a service, and the property that takes the value as it is
SAME = {
    **_own_names(
        'image working_dir hostname domainname init read_only tty stdin_open privileged cap_add '
        'cap_drop security_opt stop_signal'
    ),
    'container_name': 'name',
}
TEXTS = {'user': 'user', 'cpuset': 'cpu_set', 'pid': 'pid_mode', 'ipc': 'ipc_mode'}
NUMBERS = _own_names('cpu_shares pids_limit oom_score_adj')
LISTS = {
    **_own_names('dns dns_search'),
    'dns_opt': 'dns_options',
    **_own_names('group_add tmpfs'),
}
SIZES = {
    'mem_limit': 'memory',
    'mem_reservation': 'memory_reservation',
    'memswap_limit': 'memory_swap',
    'shm_size': 'shm_size',
}
KNOWN = {*SAME, *TEXTS, *NUMBERS, *LISTS, *SIZES, *values.SERVICE_KEYS}
#: restart policies of deploy
RESTARTS = {'none': 'no', 'on-failure': 'on-failure', 'any': 'always'}
DEPLOY_KEYS = ('replicas', 'resources', 'update_config', 'mode', 'restart_policy')
#: parts of deploy without a meaning outside of a swarm
DEPLOY_IGNORED = ('endpoint_mode', 'rollback_config', 'labels')


class Service:
    """One service of a compose file. ``conversion`` takes what cannot be carried over."""

    def __init__(self, conversion: 'compose.Conversion', name: str, given: Values) -> None:
        self._conversion, self._name, self._given = conversion, name, given
        self._place = f'services.{name}'
        self._deploy: Values = given.get('deploy') or {}

    def properties(self) -> Values:
        """Return the properties of a container, also those that are not given."""
        given, report = self._given, self._conversion.report
        report(self._place, given, KNOWN, values.SERVICE_IGNORED)
        report(f'{self._place}.deploy', self._deploy, DEPLOY_KEYS, DEPLOY_IGNORED)
        properties = {
            **{new: given.get(old) for old, new in SAME.items()},
            **{new: values.text(given.get(old)) for old, new in TEXTS.items()},
            **{new: values.integer(given.get(old)) for old, new in NUMBERS.items()},
            **{new: values.names(given.get(old)) for old, new in LISTS.items()},
            **{new: values.mebibytes(given.get(old)) for old, new in SIZES.items()},
            'command': values.command(given.get('command')),
            'entrypoint': values.command(given.get('entrypoint')),
            'environment': values.mapping(given.get('environment')),
            'labels': values.mapping(given.get('labels')),
            'extra_hosts': values.hosts(given.get('extra_hosts')),
            'sysctls': values.mapping(given.get('sysctls')),
            'cpus': values.number(given.get('cpus')),
            'ulimits': values.ulimits(given.get('ulimits')),
            'stop_grace_period': values.whole_seconds(given.get('stop_grace_period')),
            'health_check': self._health_check(),
            'ports': self._ports(),
            'networks': self._networks(),
            'network_mode': self._network_mode(),
            'volumes': self._mounts(),
            'devices': [values.device(each) for each in given.get('devices') or ()],
            'secrets': self._files_of('secrets', 'secret'),
            'configs': self._files_of('configs', 'config'),
            'restart': self._restart(),
            **self._logging(),
        }
        properties['pid_mode'] = self._namespace(properties['pid_mode'])
        properties['ipc_mode'] = self._namespace(properties['ipc_mode'])
        properties['tmpfs'] += values.tmpfs_mounts(given.get('volumes'))
        return {**properties, **values.given(self._limits())}

    def replicas(self) -> int:
        """Return the number of containers."""
        if self._deploy.get('mode') in ('global', 'global-job'):
            return 1
        counts = {'replicas': self._given.get('scale', 1), **self._deploy}
        return values.whole_number(counts['replicas'])

    def needed(self, services: Values) -> list[str]:
        """Return the services that must be there before this one."""
        links = (str(each).partition(':')[0] for each in self._given.get('links') or ())
        modes = (str(self._given.get(key)) for key in ('network_mode', 'pid', 'ipc'))
        shared = {each.partition(':')[2] for each in modes if each.startswith('service:')}
        wanted = dict.fromkeys([*values.dependencies(self._given.get('depends_on')), *links])
        for name in sorted(wanted.keys() - services.keys()):
            self._cannot('depends_on', f'the service {name} is not converted')
        return [name for name in wanted if name in services and name not in shared]

    def _cannot(self, key: str, why: str) -> None:
        self._conversion.cannot(f'{self._place}.{key}', why)

    def _restart(self) -> str | None:
        given = self._given.get('restart')
        policy = self._deploy.get('restart_policy')
        if given is None and policy:
            name = RESTARTS.get(policy.get('condition', 'any'))
            count = policy.get('max_attempts')
            return f'{name}:{count}' if name == 'on-failure' and count else name
        return 'no' if given is False else given

    def _limits(self) -> Values:
        """Return the limits of deploy."""
        parts = self._deploy.get('resources') or {}
        limits, reserved = parts.get('limits') or {}, parts.get('reservations') or {}
        place = f'{self._place}.deploy.resources'
        self._conversion.report(place, parts, {'limits', 'reservations'})
        self._conversion.report(f'{place}.limits', limits, {'cpus', 'memory', 'pids'})
        self._conversion.report(f'{place}.reservations', reserved, {'memory'}, {'cpus'})
        return {
            'cpus': values.number(limits.get('cpus')),
            'memory': values.mebibytes(limits.get('memory')),
            'pids_limit': values.integer(limits.get('pids')),
            'memory_reservation': values.mebibytes(reserved.get('memory')),
        }

    def _logging(self) -> Values:
        given = self._given.get('logging') or {}
        self._conversion.report(f'{self._place}.logging', given, {'driver', 'options'})
        return {'log_driver': given.get('driver'), 'log_options': given.get('options')}

    def _health_check(self) -> Values | None:
        given = self._given.get('healthcheck') or {}
        if given.get('test') is None and given.keys() - {'disable'} and not given.get('disable'):
            self._cannot('healthcheck', 'it has no "test": write the command of the image into it')
        known = 'test interval timeout retries start_period disable'.split()
        self._conversion.report(f'{self._place}.healthcheck', given, known, ('start_interval',))
        return values.health_check(given)

    def _ports(self) -> list[Values]:
        found: list[Values] = []
        for each in self._given.get('ports') or ():
            try:
                found.extend(values.port(each))
            except ValueError as error:
                self._cannot('ports', str(error))
        return found

    # ------------------------------------------------------------ networks

    def _network_mode(self) -> Value:
        return self._namespace(self._given.get('network_mode'))

    def _namespace(self, given: Value) -> Value:
        """Return the namespace of the host, or that of the container of another service."""
        kind, _, name = str(given or '').partition(':')
        if kind == 'service':
            return {'list_join': ['', ['container:', {'get_resource': name}]]}
        return given

    def _networks(self) -> list[Values] | None:
        if self._given.get('network_mode'):
            return None
        networks = self._given.get('networks') or ['default']
        options = networks if isinstance(networks, dict) else dict.fromkeys(networks)
        ordered = sorted(options.items(), key=lambda each: -int((each[1] or {}).get('priority', 0)))
        return [self._connection(name, more or {}) for name, more in ordered]

    def _connection(self, name: str, more: Values) -> Values:
        known = ('aliases', 'ipv4_address', 'ipv6_address')
        self._conversion.report(
            f'{self._place}.networks.{name}', more, known, ('priority', 'gw_priority')
        )
        names = [self._name, *(more.get('aliases') or ())]
        if self._given.get('container_name'):
            names.append(self._given['container_name'])
        connection = {
            'network': self._conversion.reference('networks', name),
            'aliases': list(dict.fromkeys(names)),
            'ip_address': more.get('ipv4_address'),
            'ipv6_address': more.get('ipv6_address'),
        }
        return values.given(connection)

    # ------------------------------------------------------------ volumes and files

    def _mounts(self) -> list[Values]:
        found = []
        for each in self._given.get('volumes') or ():
            mount = values.mount(each)
            source, path = mount.pop('source'), mount['path']
            if isinstance(each, dict):
                self._report_mount(each)
            if mount.pop('type') == 'tmpfs':
                continue
            if source is None:
                found.append({'volume': self._anonymous(path), **mount})
            elif re.match(r'[./~]', source):
                found.append({'host_path': source, **mount})
            else:
                found.append({'volume': self._conversion.reference('volumes', source), **mount})
        return found

    def _report_mount(self, given: Values) -> None:
        known = ('type', 'source', 'target', 'read_only', 'tmpfs')
        ignored = ('consistency', 'bind', 'volume') if given.get('type') != 'image' else ()
        self._conversion.report(f'{self._place}.volumes', given, known, ignored)
        if given.get('type') not in (None, 'bind', 'volume', 'tmpfs'):
            self._cannot('volumes', f'{given["target"]} has the type {given["type"]}')
        if (given.get('volume') or {}).get('subpath'):
            self._cannot('volumes', f'{given["target"]} is a part of a volume')

    def _anonymous(self, path: str) -> Values:
        """Return the reference of a volume of its own for a path."""
        name = f'{self._name}_{re.sub("[^a-zA-Z0-9]+", "_", path).strip("_")}_volume'
        self._conversion.add(name, 'Volume', {})
        return {'get_resource': name}

    def _files_of(self, section: str, key: str) -> list[Values]:
        found = []
        for each in self._given.get(section) or ():
            more = each if isinstance(each, dict) else {'source': each}
            source = more['source']
            name = f'{source}_{key}'
            if name not in self._conversion.resources:
                self._cannot(section, f'{source} has no text')
                continue
            target = more.get('target') or source
            if key == 'config' and not target.startswith('/'):
                target = f'/{target}'
            file = {
                key: {'get_resource': name},
                'target': target,
                'uid': values.integer(more.get('uid')),
                'gid': values.integer(more.get('gid')),
                'mode': None if more.get('mode') is None else f'{values.octal(more["mode"]):04o}',
            }
            found.append(values.given(file))
        return found
