"""Run a command with an orchestration service that Kolla-Ansible's role configures in a real cloud.

usage: . openrc && python -m tests.real.kolla [--region NAME] COMMAND...

The files are what the role writes, unmodified, and the domain of stacks what the script of Kolla's
image makes. MariaDB, RabbitMQ, memcached and Keystone are those of this machine. The service is in
a region of its own, whose other endpoints are those of OS_REGION_NAME. The command gets its name
in OS_REGION_NAME, ``heat-manage`` in HEAT_MANAGE and the broker of notifications in
HEAT_TEST_TRANSPORT_URL. The region goes with the end of the command, whose exit status is that of
this program; the domain stays. Needs root.
"""

import argparse
import contextlib
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import urllib.parse

from tests import brokers, databases
from tests.deployers import container, kolla
from tests.real import cloud

#: what an operator adds to heat.conf for the public test suites
CUSTOM = """[DEFAULT]
enable_stack_abandon = true
enable_stack_adopt = true
hidden_stack_tags = hidden
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--region', default='KollaRegion')
    parser.add_argument('--password', default='secret', help='of the user heat')
    parser.add_argument('command', nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    place = cloud.Cloud(os.environ)
    with contextlib.ExitStack() as ends:
        folder = pathlib.Path(ends.enter_context(tempfile.TemporaryDirectory()))
        database = ends.enter_context(databases.empty('mysql', folder))
        transport = ends.enter_context(brokers.virtual_host())
        services = kolla.render(folder, database, transport, **_options(asked, folder, transport))
        made = ends.enter_context(container.new(folder / 'container'))
        kolla.start(made, folder, services, _bootstrap(asked))
        ends.enter_context(_region(place, asked.region, services))
        environ = {
            'OS_REGION_NAME': asked.region,
            'HEAT_MANAGE': shlex.join(map(str, made.command('heat-manage'))),
            'HEAT_TEST_TRANSPORT_URL': transport.replace('rabbit:', 'amqp:'),
        }
        code = subprocess.run(asked.command, env=os.environ | environ).returncode
    sys.exit(code)


def _options(asked, folder, transport):
    (folder / 'container').mkdir()
    (folder / 'custom/config').mkdir(parents=True)
    (folder / 'custom/config/heat.conf').write_text(CUSTOM)
    return {
        'keystone_port': str(urllib.parse.urlsplit(os.environ['OS_AUTH_URL']).port),
        'openstack_region_name': asked.region,
        'heat_keystone_password': asked.password,
        'memcached_port': '11211',
        # notifications
        'enable_ceilometer': True,
        'om_notify_vhost': urllib.parse.urlsplit(transport).path.strip('/'),
    }


def _bootstrap(asked):
    """Return the command that Kolla's image of heat-api runs at first."""
    login = [f'{name}={value}' for name, value in os.environ.items() if name.startswith('OS_')]
    login += [f'HEAT_DOMAIN_ADMIN_PASSWORD={asked.password}', 'KOLLA_BOOTSTRAP=']
    return ('env', *login, 'bash', '/usr/local/bin/kolla_heat_extend_start')


@contextlib.contextmanager
def _region(place, name, services):
    """Add a region to the catalog within the block."""
    ours = {
        'orchestration': f'{_url(services, "heat-api")}/v1/%(project_id)s',
        'cloudformation': f'{_url(services, "heat-api-cfn")}/v1',
    }
    kinds = {each['id']: each['type'] for each in place.ask('identity', '/services')['services']}
    endpoints = place.ask('identity', '/endpoints')['endpoints']
    place.ask('identity', '/regions', 'POST', {'region': {'id': name}})
    try:
        for each in endpoints:
            if each['region_id'] == os.environ.get('OS_REGION_NAME', 'RegionOne'):
                url = ours.get(kinds[each['service_id']], each['url'])
                made = {key: each[key] for key in ('service_id', 'interface')}
                made |= {'region_id': name, 'url': url}
                place.ask('identity', '/endpoints', 'POST', {'endpoint': made})
        yield
    finally:
        for each in place.ask('identity', f'/endpoints?region_id={name}')['endpoints']:
            place.ask('identity', f'/endpoints/{each["id"]}', 'DELETE')
        place.ask('identity', f'/regions/{name}', 'DELETE')


def _url(services, name):
    port = services[name]['haproxy'][name.replace('-', '_')]['port']
    return f'http://127.0.0.1:{port}'


if __name__ == '__main__':
    main()
