"""Options of the service: host, processes, directories, regions, notifications."""

import socket

from oslo_config import cfg

#: Heat's default of ``cloud_backend``: its clients of OpenStack services, which are built in here
HEAT_CLOUD_BACKEND = 'heat.engine.clients.OpenStackClients'
#: Heat's default of ``keystone_backend``, which names the client that is built in here
HEAT_KEYSTONE_BACKEND = 'heat.engine.clients.os.keystone.heat_keystoneclient.KsClientWrapper'

DEFAULT = [
    cfg.StrOpt(
        'host',
        default=socket.gethostname(),
        sample_default='<Hostname>',
        help='Name of this node in the list of engines. The name need not be a host name.',
    ),
    cfg.IntOpt(
        'num_engine_workers',
        min=1,
        help='Number of engine processes. If unset, one per CPU core is started, but at least two.',
    ),
    cfg.IntOpt(
        'periodic_interval',
        default=60,
        help='Number of seconds between two heartbeats of an engine, unless the option '
        'heartbeat_interval of group [heat_lite] is shorter.',
    ),
    cfg.IntOpt(
        'engine_life_check_timeout',
        default=2,
        help='Timeout in seconds of the RPC that checks whether another engine is alive.',
    ),
    cfg.StrOpt(
        'environment_dir',
        default='/etc/heat/environment.d',
        help='Directory of the environment files that apply to every stack.',
    ),
    cfg.StrOpt(
        'template_dir',
        default='/etc/heat/templates',
        help='Directory of the templates that implement template resources.',
    ),
    cfg.ListOpt(
        'plugin_dirs',
        default=[
            '/usr/lib64/heat',
            '/usr/lib/heat',
            '/usr/local/lib/heat',
            '/usr/local/lib64/heat',
        ],
        help='Directories that are searched for plug-in modules with resource types.',
    ),
    cfg.StrOpt(
        'cloud_backend',
        help='Class that authenticates requests if the option flavor of group [paste_deploy] is '
        'custombackend (docs/plugins.md), e.g. heat_lite_plugins.directory.DirectoryBackend. '
        'Without it the API does not start with that flavor, and no engine starts with a class '
        'that it cannot load. The class does not replace the clients of OpenStack services.',
    ),
    cfg.StrOpt(
        'keystone_backend',
        default=HEAT_KEYSTONE_BACKEND,
        help='Class of the Keystone client. The only one is built in, and has the name of the '
        'default. No engine starts with another class.',
    ),
    cfg.StrOpt(
        'region_name_for_services',
        help='Region whose endpoints are used when a stack or a request names no region.',
    ),
    cfg.StrOpt(
        'region_name_for_shared_services',
        help='Region of the services that all regions share. If set, the services of '
        'shared_services_types are used in this region, whatever region a stack names.',
    ),
    cfg.ListOpt(
        'shared_services_types',
        default=['image', 'volumev3'],
        help='Types of the services, as in the service catalog, that all regions share.',
    ),
    cfg.BoolOpt(
        'convergence_engine',
        default=False,
        help='Let all engines run handlers of the resources of each new stack. Otherwise the '
        'engine that holds the stack lock processes all resources of the stack. A stack keeps its '
        'kind; heat-lite-manage migrate_convergence_1 changes that of existing stacks.',
    ),
    cfg.StrOpt(
        'default_notification_level',
        default='INFO',
        help='Level of the notifications that are sent about stacks.',
    ),
    cfg.StrOpt(
        'default_publisher_id',
        help='Publisher id of the notifications. If unset, it is the topic and the host name.',
    ),
]

REVISION = [
    cfg.StrOpt(
        'heat_revision',
        default='unknown',
        help="Name of the operator's build, which the API shows in build_info. If it is unknown, it"
        ' is the version of heat_lite with the commit.',
    )
]

GROUPS = {'DEFAULT': DEFAULT, 'revision': REVISION}
