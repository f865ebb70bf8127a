"""The service itself: where it runs, its processes, its directories."""

import socket

from oslo_config import cfg

DEFAULT = [
    cfg.StrOpt(
        'host',
        default=socket.gethostname(),
        sample_default='<Hostname>',
        help='Name of this node. Engines are listed under it; it need not be a host name.',
    ),
    cfg.IntOpt('num_engine_workers', min=1, help='Engine processes. Unset: one for each core, and at least two.'),
    cfg.IntOpt('periodic_interval', default=60, help='Seconds between two beats by which an engine reports that it lives.'),
    cfg.IntOpt('engine_life_check_timeout', default=2, help='Seconds to wait for another engine when asking whether it still lives.'),
    cfg.StrOpt('environment_dir', default='/etc/heat/environment.d', help='Directory of environment files that apply to every stack.'),
    cfg.StrOpt('template_dir', default='/etc/heat/templates', help='Directory of the templates that back template resource types.'),
    cfg.ListOpt(
        'plugin_dirs',
        default=['/usr/lib64/heat', '/usr/lib/heat', '/usr/local/lib/heat', '/usr/local/lib64/heat'],
        help='Directories searched for modules that bring further resource types.',
    ),
    cfg.StrOpt('cloud_backend', help='Accepted for the sake of existing files. The clients of the cloud cannot be exchanged this way.'),
    cfg.StrOpt('keystone_backend', help='Accepted for the sake of existing files. The client of Keystone cannot be exchanged this way.'),
    cfg.StrOpt('region_name_for_services', help='Region whose endpoints are used when a stack names none.'),
    cfg.StrOpt('region_name_for_shared_services', help='Region of the services that all regions share.'),
    cfg.ListOpt('shared_services_types', default=['image', 'volumev3'], help='Types of the services that all regions share.'),
    cfg.BoolOpt(
        'convergence_engine',
        default=True,
        deprecated_for_removal=True,
        deprecated_reason='Both ways of working give the same stacks.',
        help='Spread the work of one stack over all engines instead of keeping it in the engine that took the request.',
    ),
    cfg.StrOpt('default_notification_level', default='INFO', help='Level of the notifications that are sent about stacks.'),
    cfg.StrOpt('default_publisher_id', help='Publisher of the notifications. Unset: the topic and the host.'),
]

REVISION = [cfg.StrOpt('heat_revision', default='unknown', help='The revision that build_info answers, for operators to fill in.')]

GROUPS = {'DEFAULT': DEFAULT, 'revision': REVISION}
