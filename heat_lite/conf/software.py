"""Options of servers: software configuration, metadata and the URLs that servers use."""

from oslo_config import cfg

DEFAULT = [
    cfg.StrOpt(
        'default_software_config_transport',
        choices=['POLL_SERVER_CFN', 'POLL_SERVER_HEAT', 'POLL_TEMP_URL', 'ZAQAR_MESSAGE'],
        default='POLL_SERVER_CFN',
        help='Transport by which a server reads its software configuration, unless the template '
        'sets software_config_transport.',
    ),
    cfg.StrOpt(
        'default_deployment_signal_transport',
        choices=['CFN_SIGNAL', 'TEMP_URL_SIGNAL', 'HEAT_SIGNAL', 'ZAQAR_SIGNAL'],
        default='CFN_SIGNAL',
        help='Transport by which a server signals the end of a deployment, unless the template '
        'sets signal_transport.',
    ),
    cfg.StrOpt(
        'default_user_data_format',
        choices=['HEAT_CFNTOOLS', 'RAW', 'SOFTWARE_CONFIG'],
        default='HEAT_CFNTOOLS',
        help='Format of the user data of a server, unless the template sets user_data_format.',
    ),
    cfg.BoolOpt(
        'stack_scheduler_hints',
        default=False,
        help='If true, the ids and names of the stack and the resource are passed to the '
        'schedulers of servers and volumes as hints.',
    ),
    cfg.StrOpt(
        'server_keystone_endpoint_type',
        choices=['', 'public', 'internal', 'admin'],
        default='',
        help='Interface of the Keystone endpoint in the service catalog that servers use. If '
        'empty, servers use the URL of www_authenticate_uri.',
    ),
    cfg.URIOpt(
        'heat_metadata_server_url',
        help='URL of the CloudFormation API from which servers read their metadata. If unset, the '
        'URL is derived from heat_waitcondition_server_url.',
    ),
    cfg.URIOpt(
        'heat_waitcondition_server_url',
        help='URL of the CloudFormation API to which servers signal wait conditions.',
    ),
    cfg.StrOpt(
        'instance_connection_is_secure',
        default='0',
        help='Protocol by which servers reach the CloudFormation API: 1 for HTTPS, 0 for HTTP.',
    ),
    cfg.StrOpt(
        'instance_connection_https_validate_certificates',
        default='1',
        help='If 1, servers verify the certificate of the CloudFormation API; if 0, they do not.',
    ),
    cfg.StrOpt(
        'loadbalancer_template',
        help='File of a template that replaces the built-in template of '
        'AWS::ElasticLoadBalancing::LoadBalancer.',
    ),
]

VOLUMES = [
    cfg.BoolOpt(
        'backups_enabled',
        default=True,
        help='Whether the volume service supports backups. If false, volumes with the deletion '
        'policy Snapshot are refused, and a snapshot of a stack with a volume fails.',
    )
]

GROUPS = {'DEFAULT': DEFAULT, 'volumes': VOLUMES}
