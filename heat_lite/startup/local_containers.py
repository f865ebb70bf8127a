"""The container engine that ``heat-lite up`` uses: that of the options, else the local one."""

from collections.abc import Mapping

from oslo_config.cfg import ConfigOpts

from heat_lite.clients import container_endpoints

GROUP = 'clients_docker'
NONE = 'containers: no engine found; start Docker, or "podman system service", or set DOCKER_HOST'


def find(conf: ConfigOpts, environ: Mapping[str, str] | None = None) -> str:
    """Set the options of the container engine if there is one. Return a line that says which."""
    if conf.clients_docker.url:
        return f'containers: {conf.clients_docker.url} ([clients_docker] url)'
    found = container_endpoints.find_local(environ)
    if found is None:
        return NONE
    conf.set_default('url', found.url, GROUP)
    if found.certificates:
        for option, name in (('ca_file', 'ca'), ('cert_file', 'cert'), ('key_file', 'key')):
            conf.set_default(option, f'{found.certificates}/{name}.pem', GROUP)
    if not found.answers:
        return f'containers: {found.url} ({found.source}) does not answer now'
    return f'containers: {found.url}' + (' (DOCKER_HOST)' if found.source == 'DOCKER_HOST' else '')
