"""The properties that containers and jobs share."""

from heat_lite.resources.containers.engine_object import ENDPOINT_PROPERTY, LABELS_PROPERTY
from heat_lite.template.constraints import AllowedPattern, CustomConstraint, Range
from heat_lite.template.schema import boolean, integer, list_, map_, name_property, number, string

PORT = Range(1, 65535)
NAMESPACE = 'a namespace such as host or container:NAME'
MODE = AllowedPattern('0?[0-7]{3,4}', 'an octal number such as 0644')


def _path(description, **options):
    return string(description, constraints=[AllowedPattern('/.+', 'an absolute path')], **options)


#: the schemas of the rights of a file
_OWNERSHIP = {
    'mode': string('Permissions of the file, in octal.', constraints=[MODE]),
    'uid': integer('Number of the user who owns the file.', default=0),
    'gid': integer('Number of the group that owns the file.', default=0),
}


_CONFIGS = list_(
    'Configuration files that the container gets.',
    {
        'config': string('Reference of the config, or its text.', required=True),
        'target': _path('Path of the file in the container.', required=True),
        **_OWNERSHIP,
    },
    default=[],
)


_NAMESPACES = {
    'pid_mode': string(
        'Process namespace: host, which requires the option allow_privileged, or container:NAME.',
        constraints=[AllowedPattern('host|container:.+', NAMESPACE)],
    ),
    'ipc_mode': string(
        'Namespace of shared memory: private, shareable, none, container:NAME, or host, which '
        'requires the option allow_privileged.',
        constraints=[AllowedPattern('private|shareable|none|host|container:.+', NAMESPACE)],
    ),
    'security_opt': list_(
        'Security options, such as no-new-privileges. Others require the option allow_privileged.',
        string(),
        default=[],
    ),
}


#: the schemas of the process: image, command, environment, user
PROCESS_PROPERTIES = {
    'name': name_property(update_allowed=False),
    'docker_endpoint': ENDPOINT_PROPERTY,
    'image': string(
        'Image of the container, by name or id. It is pulled if the container engine does not '
        'have it.',
        required=True,
    ),
    'command': list_('Command and its arguments, instead of those of the image.'),
    'entrypoint': list_('Entry point, instead of that of the image.'),
    'environment': map_('Environment variables.', default={}),
    'working_dir': string('Working directory of the command.'),
    'user': string('User of the command, as USER or USER:GROUP.'),
    'group_add': list_('Further groups of the user, by name or number.', default=[]),
    'hostname': string('Host name of the container.'),
    'domainname': string('Domain of the host name.'),
    'tty': boolean('Whether the container has a terminal.', default=False),
    'stdin_open': boolean('Whether the standard input stays open.', default=False),
    'init': boolean('Whether an init process reaps the processes of the container.'),
    'log_driver': string('Driver of the logs, such as json-file, journald or none.'),
    'log_options': map_(
        'Options of the driver of the logs, such as max-size. The option path requires the '
        'option allow_host_paths of the service.',
        default={},
    ),
    'labels': LABELS_PROPERTY,
}


#: the schemas of limits; those of memory and CPUs change in place
LIMIT_PROPERTIES = {
    'memory': integer('Memory limit in MiB.', update_allowed=True, min=6),
    'cpus': number('Number of CPUs that the container may use.', update_allowed=True, min=0.01),
    'cpu_shares': integer('Relative weight among containers.', update_allowed=True),
    'cpu_set': string('CPUs on which the container runs, such as 0-2,7.', update_allowed=True),
    'memory_reservation': integer('Memory in MiB that the engine tries to leave.'),
    'memory_swap': integer('Memory and swap together in MiB; -1 for swap without a limit.'),
    'oom_score_adj': integer(
        'Preference of the kernel to kill the container when memory runs out.',
        min=-1000,
        max=1000,
    ),
    'pids_limit': integer('Number of processes.'),
    'shm_size': integer('Size of /dev/shm in MiB.'),
    'ulimits': list_(
        'Limits of resources.',
        {
            'name': string('Name of the limit, such as nofile.', required=True),
            'soft': integer('Soft limit.', required=True),
            'hard': integer('Hard limit. By default, it is the soft limit.'),
        },
        default=[],
    ),
    'sysctls': map_('Kernel parameters of the namespaces of the container.', default={}),
    'read_only': boolean('Whether the file system of the image is read-only.', default=False),
}


#: the schemas of rights; most of them need an option of the operator
RIGHT_PROPERTIES = {
    'privileged': boolean(
        'Whether the container has all rights on the host. Requires the option allow_privileged.',
        default=False,
    ),
    'cap_add': list_(
        'Capabilities to add. Requires the option allow_privileged.', string(), default=[]
    ),
    'cap_drop': list_('Capabilities to drop.', string(), default=[]),
    **_NAMESPACES,
    'devices': list_(
        'Devices of the host. Requires the option allow_host_paths.',
        {
            'path_on_host': string('Path of the device on the host.', required=True),
            'path_in_container': string('Path of the device in the container.'),
            'permissions': string('Permissions: read, write, mknod.', default='rwm'),
        },
        default=[],
    ),
}


#: the schemas of volumes
MOUNT_PROPERTIES = {
    'volumes': list_(
        'Volumes and folders to mount.',
        {
            'volume': string('Volume to mount, by name.'),
            'host_path': string(
                'File or folder of the host to mount. Requires the option allow_host_paths.'
            ),
            'path': string('Path in the container.', required=True),
            'read_only': boolean('Whether the mount is read-only.', default=False),
        },
        default=[],
    ),
    'tmpfs': list_(
        'Paths with a file system in memory, perhaps with options: /run:size=64m.',
        string(),
        default=[],
    ),
}


#: the schemas of files and secrets
FILE_PROPERTIES = {
    'files': list_(
        'Files that are put into the container before it starts.',
        {
            'path': _path('Path of the file in the container.', required=True),
            'content': string('Text of the file.', default=''),
            **_OWNERSHIP,
        },
        default=[],
    ),
    'secrets': list_(
        'Secrets that the container gets as files.',
        {
            'secret': string('Reference of the secret, or its text.', required=True),
            'target': string(
                'Path of the file; a name without a slash is below /run/secrets.',
                required=True,
            ),
            **_OWNERSHIP,
        },
        default=[],
    ),
    'configs': _CONFIGS,
}


def network_properties():
    """Return the schemas of networks, ports and names."""
    address = [CustomConstraint('ip_addr')]
    return {
        'networks': list_(
            'Networks of the container. Without one, it is in the default network of the engine.',
            {
                'network': string('Network, by name.', required=True),
                'aliases': list_('Further names in the network.', string(), default=[]),
                'ip_address': string('Fixed IPv4 address.', constraints=address),
                'ipv6_address': string('Fixed IPv6 address.', constraints=address),
            },
            default=[],
            update_allowed=True,
        ),
        'network_mode': string(
            'Network namespace instead of networks: bridge, none, host, or container:NAME. The one '
            'of the host requires the option allow_privileged.',
            constraints=[AllowedPattern('bridge|none|host|container:.+', NAMESPACE)],
        ),
        'dns_options': list_('Options of the search for names.', string(), default=[]),
        'dns': list_('Addresses of DNS servers.', string(), default=[]),
        'dns_search': list_('Domains in which names are searched.', string(), default=[]),
        'extra_hosts': map_('Further host names and their addresses.', default={}),
    }


#: the schemas of a container that serves: its published ports
PORT_PROPERTIES = {
    'ports': list_(
        'Ports of the container that are published at the host.',
        {
            'container_port': integer('Port in the container.', required=True, constraints=[PORT]),
            'host_port': integer(
                'Port at the host. If omitted, a free one is chosen.', constraints=[PORT]
            ),
            'host_ip': string('Address at the host. If omitted, all addresses are used.'),
            'protocol': string(
                'Protocol of the port.', default='tcp', allowed=['tcp', 'udp', 'sctp']
            ),
        },
        default=[],
    )
}


#: the schema of the health check
HEALTH_PROPERTIES = {
    'health_check': map_(
        'Command that tells whether the container is healthy. The create waits until it is.',
        {
            'command': list_(
                'Command and its arguments; it succeeds in a healthy container.',
                required=True,
                min=1,
            ),
            'interval': number('Seconds between two checks.', default=2, min=0.1),
            'timeout': number('Seconds after which a check has failed.', default=10, min=0.1),
            'retries': integer(
                'Number of failures in a row that make the container unhealthy.',
                default=5,
                min=1,
            ),
            'start_period': number(
                'Seconds after the start in which failures do not count.', default=0
            ),
        },
    )
}


#: the schemas of the restart and the stop of a container
SERVICE_PROPERTIES = {
    'restart': string(
        'Restart policy: no, always, unless-stopped, on-failure or on-failure:RETRIES.',
        default='no',
        update_allowed=True,
        pattern='no|always|unless-stopped|on-failure(:[0-9]+)?',
    ),
    'stop_signal': string('Signal that ends the container.'),
    'stop_grace_period': integer(
        'Seconds that the container has to end before it is killed.',
        default=10,
        update_allowed=True,
        min=0,
    ),
}
