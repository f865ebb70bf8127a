"""DockerInc::Docker::Container, with the properties and attributes of Heat's contrib plug-in."""

import re
from collections.abc import Mapping

from heat_lite.common.value_texts import as_json
from heat_lite.resources.containers import container_body
from heat_lite.resources.containers.container_body import text_of
from heat_lite.resources.containers.process import ProcessContainer
from heat_lite.template import checks
from heat_lite.template.schema import (
    boolean,
    integer,
    list_,
    live_text,
    map_,
    map_attribute,
    string,
)
from heat_lite.template.unknown import Unknown

CAPABILITIES = (
    'SETPCAP',
    'SYS_MODULE',
    'SYS_RAWIO',
    'SYS_PACCT',
    'SYS_ADMIN',
    'SYS_NICE',
    'SYS_RESOURCE',
    'SYS_TIME',
    'SYS_TTY_CONFIG',
    'MKNOD',
    'AUDIT_WRITE',
    'AUDIT_CONTROL',
    'MAC_OVERRIDE',
    'MAC_ADMIN',
    'NET_ADMIN',
    'SYSLOG',
    'CHOWN',
    'NET_RAW',
    'DAC_OVERRIDE',
    'FOWNER',
    'DAC_READ_SEARCH',
    'FSETID',
    'KILL',
    'SETGID',
    'SETUID',
    'LINUX_IMMUTABLE',
    'NET_BIND_SERVICE',
    'NET_BROADCAST',
    'IPC_LOCK',
    'IPC_OWNER',
    'SYS_CHROOT',
    'SYS_PTRACE',
    'SYS_BOOT',
    'LEASE',
    'SETFCAP',
    'WAKE_ALARM',
    'BLOCK_SUSPEND',
    'ALL',
)
PERMITTED = 'CgroupPermissions'
PERMISSIONS = ('r', 'w', 'm', 'rw', 'rm', 'wm', 'rwm')
ALL_LINES = 'all'
HOST_IP = r'[0-9A-Fa-f:.\[\]]*'
HOST_PORT = '([0-9]+(-[0-9]+)?)?'
PORT = '[0-9]+(-[0-9]+)?(/(tcp|udp|sctp))?'


def _capability(description):
    return list_(
        description,
        string('Capability, as in Linux without CAP_.', allowed=CAPABILITIES),
        default=[],
    )


class DockerContainer(ProcessContainer):
    """A container as in the contrib plug-in; HeatLite::Container::Container does more."""

    resource_type = 'DockerInc::Docker::Container'
    structured = ('volumes', 'port_bindings')

    properties_schema = {
        'docker_endpoint': string(
            'URL of the container engine. The operator has to allow it. If omitted, the engine of '
            'the service is used.'
        ),
        'hostname': string('Host name of the container.', default=''),
        'user': string('User of the command.', default=''),
        'memory': integer('Memory limit in bytes.'),
        'port_specs': list_(
            'Ports that the container exposes, such as 80 or 53/udp.', string(pattern=PORT)
        ),
        'privileged': boolean(
            'Whether the container has all rights on the host. Requires the option '
            'allow_privileged.',
            default=False,
        ),
        'tty': boolean('Whether the container has a terminal.', default=False),
        'open_stdin': boolean('Whether the standard input is open.', default=False),
        'stdin_once': boolean(
            'Whether the standard input is closed after the first client.', default=False
        ),
        'env': list_('Environment variables as NAME=VALUE.'),
        'cmd': list_('Command and its arguments.', default=[]),
        'dns': list_('Addresses of DNS servers.'),
        'image': string('Name of the image.', required=True),
        'volumes': map_(
            'Paths of the host, or volumes, and the paths in the container at which they are '
            'mounted. Paths of the host require the option allow_host_paths.',
            default={},
        ),
        'volumes_from': list_('Containers whose volumes are mounted.'),
        'port_bindings': map_(
            'Ports of the container and the ports of the host for them: a number, ADDRESS:NUMBER, '
            'a pair of both, a map with HostIp and HostPort, or a list of these.'
        ),
        'links': map_('Containers to link to, and their names in this container.'),
        'name': string('Name of the container.'),
        'restart_policy': map_(
            'Restart policy.',
            {
                'Name': string(
                    'Name of the policy.', default='no', allowed=['no', 'on-failure', 'always']
                ),
                'MaximumRetryCount': integer(
                    'Number of restarts with the policy on-failure.', default=0
                ),
            },
            default={},
        ),
        'cap_add': _capability('Capabilities to add. Requires the option allow_privileged.'),
        'cap_drop': _capability('Capabilities to drop.'),
        'read_only': boolean('Whether the file system is read-only.', default=False),
        'cpu_shares': integer('Relative weight among containers.', default=0),
        'devices': list_(
            'Devices of the host. Requires the option allow_host_paths.',
            {
                'path_on_host': string(
                    'Path of the device on the host.', required=True, min=0, max=255
                ),
                'path_in_container': string(
                    'Path of the device in the container. By default, that on the host.',
                    min=0,
                    max=255,
                ),
                'permissions': string(
                    'Permissions: read, write, mknod.', default='rwm', allowed=PERMISSIONS
                ),
            },
            default=[],
        ),
        'cpu_set': string('CPUs on which the container runs.'),
    }
    attributes_schema = {
        'info': map_attribute('Data of the container.'),
        'network_info': map_attribute('Network settings of the container.'),
        'network_ip': 'IP address of the container.',
        'network_gateway': 'Gateway of the container.',
        'network_tcp_ports': 'TCP ports of the container, separated by commas.',
        'network_udp_ports': 'UDP ports of the container, separated by commas.',
        'logs': live_text('Logs of the container.'),
        'logs_head': live_text('First line of the logs.'),
        'logs_tail': live_text('Last line of the logs.'),
    }

    def validate(self):
        super().validate()
        for name, read in (('volumes', _bind), ('port_bindings', _binding)):
            for key, each in (self.properties[name] or {}).items():
                read(key, each)

    def host_uses(self):
        values = self.properties
        for path in values['volumes'] or {}:
            if container_body.is_host_path(path):
                yield 'host_paths', f'volumes mount {path} of the host'
        if values['devices']:
            yield 'host_paths', 'devices are those of the host'
        for name in ('privileged', 'cap_add'):
            if values[name]:
                yield 'privileged', f'{name} extends the rights of the container'

    def container_body(self):
        values = self.properties
        bindings = dict(_binding(*each) for each in (values['port_bindings'] or {}).items())
        exposed = {_port(each) for each in values['port_specs'] or ()} | set(bindings)
        body = {
            'Image': values['image'],
            'Cmd': container_body.texts(values['cmd']),
            'Env': container_body.texts(values['env']),
            'Hostname': values['hostname'],
            'User': values['user'],
            'Tty': values['tty'],
            'OpenStdin': values['open_stdin'],
            'StdinOnce': values['stdin_once'],
            'ExposedPorts': dict.fromkeys(sorted(exposed), {}),
            'Labels': self.labels(),
            'HostConfig': {**self._host_config(), 'PortBindings': bindings},
        }
        return container_body.given_values(body)

    def _host_config(self):
        values = self.properties
        policy = values['restart_policy'] or {}
        config = {
            'Memory': values['memory'],
            'CpuShares': values['cpu_shares'],
            'CpusetCpus': values['cpu_set'],
            'Privileged': values['privileged'],
            'Dns': container_body.texts(values['dns']),
            'Binds': [_bind(*each) for each in (values['volumes'] or {}).items()],
            'VolumesFrom': container_body.texts(values['volumes_from']),
            'Links': [
                f'{name}:{alias}'
                for name, alias in container_body.map_of_texts(values['links']).items()
            ],
            'RestartPolicy': {
                'Name': policy.get('Name') or 'no',
                'MaximumRetryCount': policy.get('MaximumRetryCount') or 0,
            },
            'CapAdd': values['cap_add'],
            'CapDrop': values['cap_drop'],
            'ReadonlyRootfs': values['read_only'],
            'Devices': [container_body.device(each) for each in values['devices'] or ()],
        }
        return {name: value for name, value in config.items() if value}

    def container_files(self):
        return {}

    def container_networks(self):
        return ()

    # ------------------------------------------------------------ live state

    shown_at = {
        'memory': 'HostConfig.Memory',
        'cpu_shares': 'HostConfig.CpuShares',
        'cpu_set': 'HostConfig.CpusetCpus',
        'privileged': 'HostConfig.Privileged',
        'read_only': 'HostConfig.ReadonlyRootfs',
        'tty': 'Config.Tty',
        'open_stdin': 'Config.OpenStdin',
        'dns': 'HostConfig.Dns',
        'volumes_from': 'HostConfig.VolumesFrom',
        'cap_add': 'HostConfig.CapAdd',
        'cap_drop': 'HostConfig.CapDrop',
        'restart_policy': 'HostConfig.RestartPolicy',
    }

    def described(self, found):
        """Return the properties without what the image gives; those of the template where the
        engine shows the same in another form.
        """
        stored, image = self.stored_properties() or {}, self.image_config(found)
        host, config = found['HostConfig'], found['Config']
        values = {**super().described(found), 'image': self.shown_image(found)}
        for name in ('dns', 'volumes_from', 'cap_add', 'cap_drop'):
            values[name] = values[name] or []
        values['memory'] = values['memory'] or None
        policy = values['restart_policy'] or {}
        if stored or policy.get('Name') not in ('', 'no', None):
            values['restart_policy'] = {**policy, 'Name': policy.get('Name') or 'no'}
        else:
            values['restart_policy'] = {}
        for name, key, nothing in (('cmd', 'Cmd', []), ('user', 'User', '')):
            is_own = stored.get(name) or config.get(key) != image.get(key)
            values[name] = (config.get(key) if is_own else None) or nothing
        if stored.get('hostname') or not found['Id'].startswith(config['Hostname']):
            values['hostname'] = config['Hostname']
        if config.get('StdinOnce'):  # Podman does not show it
            values['stdin_once'] = True
        mounts = container_body.shown_values(found)['volumes']
        return {
            **values,
            'env': _shown_env(config, image, stored.get('env')),
            'port_specs': _shown_specs(host, config, image, stored.get('port_specs')),
            'port_bindings': _shown_bindings(host, stored.get('port_bindings') or {}),
            'volumes': dict(_shown_mount(each, stored.get('volumes') or {}) for each in mounts),
            'devices': _shown_devices(host, stored.get('devices') or []),
            'links': {
                name.strip('/'): alias.rpartition('/')[2]
                for name, alias in (each.split(':') for each in host.get('Links') or ())
            },
        }

    # ------------------------------------------------------------ attributes

    def resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name.startswith('logs'):
            lines = self.read_logs(1 if name == 'logs_tail' else ALL_LINES)
            return lines.split('\n')[0] if name == 'logs_head' else lines.removesuffix('\n')
        return self.attribute_of(self.show(), name)

    def attribute_of(self, shown, name):
        settings = shown.get('NetworkSettings') or {}
        if name in ('info', 'network_info'):
            return shown if name == 'info' else settings
        if name in ('network_ip', 'network_gateway'):
            key = 'IPAddress' if name == 'network_ip' else 'Gateway'
            of_networks = (each.get(key) for each in (settings.get('Networks') or {}).values())
            return settings.get(key) or next(filter(None, of_networks), '')
        protocol = name.split('_')[1]
        ports = (port.split('/') for port in settings.get('Ports') or {})
        return ','.join(sorted((port for port, kind in ports if kind == protocol), key=int))


def _port(given):
    port = str(given)
    return port if '/' in port else f'{port}/tcp'


def _binding(port, given):
    """Return a port of the container and the ports of the host for it, as the request has them.

    Raises StackValidationFailed for another form than those of ``port_bindings``.
    """
    hosts = list(_hosts(given)) or [('', '')]
    if not re.fullmatch(PORT, str(port)) or not all(
        re.fullmatch(HOST_IP, text_of(ip)) and re.fullmatch(HOST_PORT, text_of(number))
        for ip, number in hosts
    ):
        text = f'{as_json(given)} is no port of the host for the port {port} of the container'
        raise checks.property_error(text, ('properties', 'port_bindings', port))
    return _port(port), [
        {'HostIp': text_of(ip), 'HostPort': text_of(number)} for ip, number in hosts
    ]


def _hosts(given):
    """Yield pairs of an address and a port."""
    if isinstance(given, Mapping) and given.keys() <= {'HostIp', 'HostPort'}:
        yield given.get('HostIp'), given.get('HostPort')
    elif not isinstance(given, list | tuple):
        yield _split(given)
    elif len(given) == 2 and isinstance(given[0], str) and not given[0].isdigit():
        yield given
    else:
        for each in given:
            yield from _hosts(each)


def _split(given):
    if not isinstance(given, str):
        return '', given
    address, _, port = given.rpartition(':')
    return address, port


def _bind(source, target):
    """Return a mount as SOURCE:TARGET:MODE; the target may be a map with bind, mode and ro.

    Raises StackValidationFailed for another one.
    """
    given = target if isinstance(target, Mapping) else {'bind': target}
    path = given.get('bind')
    if not isinstance(path, str | Unknown):
        text = f'{as_json(target)} is neither a path in the container nor a map with "bind"'
        raise checks.property_error(text, ('properties', 'volumes', source))
    if given is not target:
        return f'{source}:{path}'
    return f'{source}:{path}:{given.get("mode") or ("ro" if given.get("ro") else "rw")}'


def _shown_env(config, image, wanted):
    shown, given = set(config.get('Env') or ()), set(image.get('Env') or ())
    own = {
        each for each in shown - given if each.partition('=')[0] not in container_body.SET_BY_ENGINE
    }
    is_same = wanted is not None and own <= {*container_body.texts(wanted)} <= shown
    return wanted if is_same else sorted(own)


def _shown_specs(host, config, image, wanted):
    """Return the ports that a container exposes, but those that are published."""
    exposed = {*(config.get('ExposedPorts') or ())}
    own = exposed - {*(image.get('ExposedPorts') or ())} - {*_published(host)}
    is_same = wanted is not None and own <= {_port(each) for each in wanted} <= exposed
    return wanted if is_same else sorted(own)


def _published(host):
    ports = host.get('PortBindings') or {}
    return {port: hosts for port, hosts in ports.items() if hosts}


def _shown_bindings(host, wanted):
    given = {_port(port): (port, each) for port, each in wanted.items()}
    found = {}
    for port, hosts in _published(host).items():
        key, value = given.get(port, (port, None))
        is_same = port in given and _is_bound(_binding(key, value)[1], hosts)
        found[key] = value if is_same else hosts
    return found


def _is_bound(wanted, hosts):
    """Return whether the ports of the host are the given ones; none means any."""
    return len(wanted) == len(hosts) and all(
        each['HostIp'] in (there.get('HostIp') or '', '0.0.0.0')
        and each['HostPort'] in ('', there['HostPort'])
        for each, there in zip(wanted, hosts, strict=True)
    )


def _shown_mount(mount, wanted):
    source = mount.get('volume') or mount['host_path']
    path, mode = mount['path'], 'ro' if mount['read_only'] else 'rw'
    if source in wanted:
        _, target, options = f'{_bind(source, wanted[source])}:rw'.removeprefix(source).split(':')[
            :3
        ]
        if (target, 'ro' in options.split(',')) == (path, mount['read_only']):
            return source, wanted[source]
    return source, {'bind': path, 'mode': mode}


def _shown_devices(host, wanted):
    shown = host.get('Devices') or []
    pairs = zip(map(container_body.device, wanted), shown, strict=False)
    # Podman shows no permissions
    if len(wanted) == len(shown) and all(
        given == {**each, PERMITTED: each[PERMITTED] or given[PERMITTED]} for given, each in pairs
    ):
        return wanted
    return [
        {'path_on_host': each['PathOnHost'], 'path_in_container': each['PathInContainer']}
        for each in shown
    ]
