"""The HTTP doors."""

from oslo_config import cfg

PASTE_DEPLOY = [
    cfg.StrOpt('flavor', help='Which pipeline serves requests: the part after the dash of a pipeline name. Empty: the plain one.'),
    cfg.StrOpt('api_paste_config', default='api-paste.ini', help='File of the pipelines. Not found: the one that comes with the package.'),
]


def _server(port):
    return [
        cfg.IPOpt('bind_host', default='0.0.0.0', help='Address to listen on.'),
        cfg.PortOpt('bind_port', default=port, help='Port to listen on.'),
        cfg.IntOpt('backlog', default=4096, help='Connections that may wait to be accepted.'),
        cfg.StrOpt('cert_file', help='Certificate; with it the door speaks HTTPS.'),
        cfg.StrOpt('key_file', help='Key of the certificate.'),
        cfg.IntOpt('workers', default=0, min=0, help='Processes that serve. 0: one for each core.'),
        cfg.IntOpt('max_header_line', default=16384, help='Bytes of a header line. Tokens with a large catalog need more.'),
        cfg.IntOpt('tcp_keepidle', default=600, help='Seconds of silence after which an idle connection is probed.'),
    ]


GROUPS = {'paste_deploy': PASTE_DEPLOY, 'heat_api': _server(8004), 'heat_api_cfn': _server(8000)}
