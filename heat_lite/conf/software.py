"""Servers, the software on them and how they reach the service."""

from oslo_config import cfg

DEFAULT = [
    cfg.StrOpt(
        'default_software_config_transport',
        choices=['POLL_SERVER_CFN', 'POLL_SERVER_HEAT', 'POLL_TEMP_URL', 'ZAQAR_MESSAGE'],
        default='POLL_SERVER_CFN',
        help='How a server reads its software configuration when the template does not say.',
    ),
    cfg.StrOpt(
        'default_deployment_signal_transport',
        choices=['CFN_SIGNAL', 'TEMP_URL_SIGNAL', 'HEAT_SIGNAL', 'ZAQAR_SIGNAL'],
        default='CFN_SIGNAL',
        help='How a server reports the end of a deployment when the template does not say.',
    ),
    cfg.StrOpt(
        'default_user_data_format',
        choices=['HEAT_CFNTOOLS', 'RAW', 'SOFTWARE_CONFIG'],
        default='HEAT_CFNTOOLS',
        help='The form of user_data when the template does not say.',
    ),
    cfg.BoolOpt('stack_scheduler_hints', default=False, help='Pass ids and names of stack and resource to the scheduler as hints.'),
    cfg.StrOpt(
        'server_keystone_endpoint_type',
        choices=['', 'public', 'internal', 'admin'],
        default='',
        help='Interface of Keystone that servers are told. Empty: the one of www_authenticate_uri.',
    ),
    cfg.URIOpt('heat_metadata_server_url', help='URL of the service as servers see it, for their metadata.'),
    cfg.URIOpt('heat_waitcondition_server_url', help='URL to which servers signal the end of a wait condition.'),
    cfg.StrOpt('instance_connection_is_secure', default='0', help='Whether servers reach the API by HTTPS (1) or not (0).'),
    cfg.StrOpt('instance_connection_https_validate_certificates', default='1', help='Whether servers check the certificate of the API.'),
    cfg.StrOpt('loadbalancer_template', help='A template to use for load balancers instead of the built-in one.'),
]

VOLUMES = [cfg.BoolOpt('backups_enabled', default=True, help='Whether the volume service can make backups.')]

GROUPS = {'DEFAULT': DEFAULT, 'volumes': VOLUMES}
