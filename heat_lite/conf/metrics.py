"""Options of the page of metrics and health that each program can serve."""

from oslo_config import cfg
from oslo_config.cfg import Opt


def _port(name: str, program: str) -> Opt:
    return cfg.PortOpt(
        name,
        min=1,
        help=f'TCP port on which {program} serves its metrics (/metrics) and its health '
        '(/health/live and /health/ready). If unset, the program serves no such page and counts '
        'nothing.',
    )


METRICS = [
    cfg.HostAddressOpt(
        'bind_host',
        default='127.0.0.1',
        help='Address of the page of metrics and health. The page requires no login.',
    ),
    _port('port', 'heat-lite-engine or heat-lite up'),
    _port('api_port', 'heat-lite-api'),
    _port('api_cfn_port', 'heat-lite-api-cfn'),
    _port('api_cloudwatch_port', 'heat-lite-api-cloudwatch'),
]

GROUPS = {'metrics': METRICS}
