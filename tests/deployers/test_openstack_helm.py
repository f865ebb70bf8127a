"""The chart heat of a checkout of openstack-helm, rendered by helm with the values of deploy/."""

import base64
import json
import pathlib
import shutil
import subprocess

import pytest
import yaml

from tests import brokers, databases, ports
from tests.deployers import cloud, container, upstream

# one worker, since all tests share the services
pytestmark = pytest.mark.xdist_group('openstack-helm')

ROOT = pathlib.Path(__file__).resolve().parents[2]
VALUES = ROOT / 'deploy/openstack-helm/values_overrides/heat-lite.yaml'
SERVICES = ('heat-engine', 'heat-api', 'heat-cfn')
JOBS = ('heat-engine-cleaner', 'heat-purge-deleted')

keystone = pytest.fixture(scope='module')(cloud.keystone)


@pytest.fixture(scope='module')
def chart(tmp_path_factory, keystone):
    """The objects of the rendered chart by (kind, name)."""
    folder = tmp_path_factory.mktemp('helm')
    source, copy = upstream.checkout('openstack-helm'), folder / 'heat'
    shutil.copytree(source / 'heat', copy)
    shutil.copytree(source / 'helm-toolkit', copy / 'charts/helm-toolkit', dirs_exist_ok=True)
    with (
        databases.empty('mysql', folder) as database,
        brokers.virtual_host_or_skip() as transport,
    ):
        path = folder / 'values.json'
        path.write_text(json.dumps(values_of_site(database, transport, keystone)))
        command = [upstream.helm(), 'template', 'heat', copy, '--values', VALUES, '--values', path]
        ended = subprocess.run(command, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        objects = filter(None, yaml.safe_load_all(ended.stdout))
        yield {(each['kind'], each['metadata']['name']): each for each in objects}


def values_of_site(database, transport, keystone):
    """Return what a site sets: its database, broker and Keystone, and the ports of this test."""
    login = {'auth_url': keystone.url, 'auth_uri': keystone.url, 'password': cloud.PASSWORD}
    heat = {
        'DEFAULT': {
            'transport_url': transport,
            'auth_encryption_key': 'a key of these tests, 32 letters',
            'num_engine_workers': 1,
        },
        'database': {'connection': database},
        'keystone_authtoken': {**login, 'memcached_servers': '127.0.0.1:1'},
        'trustee': {**login, 'username': 'heat'},
        'clients_keystone': {'auth_uri': keystone.url},
    }
    # one container has all pods, so the ports must differ
    api, cfn, stats = (ports.reserve() for _ in range(3))
    return {
        'conf': {
            'heat': heat,
            'heat_api_cfn_uwsgi': {'uwsgi': {'stats': f'127.0.0.1:{stats}'}},
        },
        'endpoints': {
            'orchestration': {'port': {'api': {'default': api, 'service': api}}},
            'cloudformation': {'port': {'api': {'default': cfn, 'service': cfn}}},
        },
        'pod': {'probes': {'cfn': {'heat_cfn': {'liveness': {'port': stats}}}}},
    }


def workload(chart, name, kind):
    """Return (pod template, its container) of a Deployment, a Job or a CronJob."""
    spec = chart[kind, name]['spec']
    pod = (spec['jobTemplate']['spec'] if kind == 'CronJob' else spec)['template']['spec']
    (only,) = pod['containers']
    return pod, only


def mount(made, chart, folder, name, kind):
    """Put the files that a pod mounts into the container; return the pod's container."""
    pod, only = workload(chart, name, kind)
    volumes = {each['name']: each for each in pod['volumes']}
    root = folder / name
    for each in only['volumeMounts']:
        source, target = volumes[each['name']], root / each['mountPath'].strip('/')
        if 'subPath' not in each:
            # /var/lock is a link to what the container does not have
            made.run('sh', '-c', f'mkdir -p "$(readlink -m {each["mountPath"]})"')
            continue
        if 'secret' in source:
            data = chart['Secret', source['secret']['secretName']]['data'][each['subPath']]
            content = base64.b64decode(data)
        else:
            content = chart['ConfigMap', source['configMap']['name']]['data'][each['subPath']]
            content = content.encode()
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755)
    made.run('cp', '-r', f'{root}/.', '/')
    return only


@pytest.fixture(scope='module')
def running(chart, tmp_path_factory):
    """A container in which the services run, each started with its own files."""
    folder = tmp_path_factory.mktemp('pods')
    with container.new(tmp_path_factory.mktemp('container')) as made:
        made.install_as_heat()
        made.run('rm', '-rf', '/etc/heat')
        made.run(*mount(made, chart, folder, 'heat-db-sync', 'Job')['command'])
        for name in SERVICES:
            only = mount(made, chart, folder, name, 'Deployment')
            made.start(*only['command'])
        yield made


@pytest.mark.parametrize('name', SERVICES)
def test_probes_succeed(running, chart, name):
    _, only = workload(chart, name, 'Deployment')
    probes = [only[each] for each in ('readinessProbe', 'livenessProbe') if each in only]
    assert len(probes) == (0 if name == 'heat-engine' else 2)
    for probe in probes:
        asked = probe['httpGet']
        url = f'http://127.0.0.1:{asked["port"]}{asked["path"]}'
        cloud.retry(lambda url=url: cloud.assert_answers(url))


def test_stack_is_created_through_the_rendered_services(running, chart, keystone):
    _, only = workload(chart, 'heat-api', 'Deployment')
    port = only['readinessProbe']['httpGet']['port']
    cloud.retry(lambda: cloud.assert_answers(f'http://127.0.0.1:{port}/'))
    cloud.assert_creates_stacks(port, keystone)


@pytest.mark.parametrize('name', JOBS)
def test_cron_job_succeeds(running, chart, tmp_path, name):
    running.run(*mount(running, chart, tmp_path, name, 'CronJob')['command'])
