"""Stacks of containers: a whole engine against a real container engine."""

import base64
import contextlib
import json
import pathlib
import threading
import time
import urllib.error
import urllib.request

import pytest
import yaml

from heat_lite.authoring import compose, compose_reader
from heat_lite.clients import container_engine
from heat_lite.common import container_labels, exception, installation
from heat_lite.engine.stack.stack import Stack
from heat_lite.operate.maintenance import containers
from tests import databases, engines, podman, ports
from tests.timeouts import WAIT_SECONDS

GALLERY = pathlib.Path(__file__).resolve().parents[2] / 'docs/guide/gallery/containers'
TEXTS = ('heat_template_version', 'description')
SHOP = 'http://127.0.0.1:{}/cgi-bin/shop'
pytestmark = pytest.mark.xdist_group('containers')
CONTAINER, JOB = 'HeatLite::Container::Container', 'HeatLite::Container::Job'
NETWORK, VOLUME = 'HeatLite::Container::Network', 'HeatLite::Container::Volume'
IMAGE, SECRET = 'HeatLite::Container::Image', 'HeatLite::Container::Secret'
CONFIG, DOCKER = 'HeatLite::Container::Config', 'DockerInc::Docker::Container'
#: a process that ends at SIGTERM, as PID 1 must ask for
WAIT = ['sh', '-c', 'trap exit TERM; echo begun; sleep 3600 & wait']
SERVE = ['sh', '-c', 'trap exit TERM; httpd -p 80 -h /www; sleep 3600 & wait']
CONNECTION = dict.fromkeys(('ca_file', 'cert_file', 'key_file', 'insecure')) | {'timeout': 60}
HEALTHY = {'command': ['wget', '-q', '-O-', 'http://127.0.0.1/index.html'], 'interval': 0.3}


@pytest.fixture(scope='module')
def engine(tmp_path_factory):
    with podman.running(tmp_path_factory.mktemp('podman')) as service:
        yield service


@pytest.fixture(scope='module')
def driver(tmp_path_factory, engine):
    folder = tmp_path_factory.mktemp('containers')
    conf = folder / 'heat-lite.conf'
    conf.write_text(f'[clients_docker]\nurl = {engine.url}\n')
    with databases.migrated('sqlite', folder) as url:
        settings = {'enable_stack_adopt': True, 'enable_stack_abandon': True}
        with engines.running(url, files=[str(conf)], **settings) as started:
            started.context.roles = ['admin', 'member']
            yield started


@pytest.fixture
def stack(driver, engine):
    """A function that creates a stack, which is deleted at the end."""
    made = []

    def create(resources, state='CREATE_COMPLETE', outputs=None, parameters=None, **options):
        template = {'resources': resources, 'outputs': outputs or {}}
        template['parameters'] = parameters or {}
        options = {name: each for name, each in options.items() if name not in TEXTS}
        made.append(driver.create(template, name=f'c{len(made)}-{time.time_ns()}', **options))
        assert driver.state(made[-1]) == state, driver.stack(made[-1])['stack_status_reason']
        return made[-1]

    yield create
    for each in made:
        with contextlib.suppress(exception.EntityNotFound):
            driver.delete(each)
        assert engine.objects(each['stack_id']) == []


def container(kind=CONTAINER, **values):
    short = {'stop_grace_period': 2} if kind == CONTAINER else {}
    given = {'image': podman.IMAGE, 'command': WAIT, **short, **values}
    return {'type': kind, 'properties': given}


def web(text='hello', **values):
    page = {'path': '/www/index.html', 'content': text}
    return container(command=SERVE, files=[page], health_check=HEALTHY, **values)


def read(port, seconds=5):
    with urllib.request.urlopen(f'http://127.0.0.1:{port}/index.html', timeout=seconds) as answer:
        return answer.read().decode()


def shown(engine, name):
    return engine.client().inspect_container(name)


def attribute(resource, *path):
    return {'value': {'get_attr': [resource, *path]}}


# ---------------------------------------------------------------- the life of each type


def test_container_with_all_properties_lives(driver, engine, stack):
    resources = {
        'net': {'type': NETWORK, 'properties': {'subnet': '10.97.3.0/24', 'labels': {'a': 1}}},
        'data': {'type': VOLUME, 'properties': {'files': {'a/b.txt': 'deep'}}},
        'key': {'type': SECRET, 'properties': {'length': 20}},
        'conf': {'type': CONFIG, 'properties': {'content': 'x = 1'}},
        'web': web(
            environment={'A': 'b', 'ON': True},
            hostname='h',
            labels={'color': 'green'},
            networks=[
                {
                    'network': {'get_resource': 'net'},
                    'aliases': ['site'],
                    'ip_address': '10.97.3.9',
                }
            ],
            ports=[{'container_port': 80, 'host_ip': '127.0.0.1'}],
            volumes=[{'volume': {'get_resource': 'data'}, 'path': '/data', 'read_only': True}],
            secrets=[{'secret': {'get_resource': 'key'}, 'target': 'key'}],
            configs=[{'config': {'get_resource': 'conf'}, 'target': '/etc/x.conf'}],
            tmpfs=['/run/x'],
            memory=64,
            cpu_shares=512,
            cap_drop=['MKNOD'],
            security_opt=['no-new-privileges'],
            working_dir='/www',
            extra_hosts={'other': '10.97.3.77'},
            stop_signal='TERM',
        ),
        'see': container(
            JOB,
            command=['sh', '-c', 'wget -q -O- http://site/index.html; cat /run/secrets/key'],
            networks=[{'network': {'get_resource': 'net'}}],
            secrets=[{'secret': {'get_resource': 'key'}, 'target': 'key'}],
        ),
    }
    resources['see']['depends_on'] = 'web'
    outputs = {
        'port': attribute('web', 'port'),
        'address': attribute('web', 'address'),
        'status': attribute('web', 'status'),
        'seen': attribute('see', 'output'),
        'code': attribute('see', 'exit_code'),
        'key': attribute('key', 'content'),
        'gateway': attribute('net', 'gateway'),
        'members': attribute('net', 'containers'),
        'volume': attribute('data', 'name'),
        'logs': attribute('web', 'logs'),
    }
    made = stack(resources, outputs=outputs)
    found = driver.outputs(made)
    assert read(found['port']) == 'hello'
    assert (found['address'], found['gateway']) == ('10.97.3.9', '10.97.3.1')
    assert found['seen'] == f'hello{found["key"]}' and len(found['key']) == 20
    assert (found['status'], found['code']) == ('running', '0')
    details = shown(engine, driver.physical_id(made, 'web'))
    assert {'A=b', 'ON=true'} <= set(details['Config']['Env'])
    assert details['HostConfig']['Memory'] == 64 << 20
    assert details['Config']['Labels']['color'] == 'green'
    assert details['Config']['Labels'][container_labels.RESOURCE] == 'web'
    run(driver, 'stack_check', made, 'CHECK_COMPLETE')
    run(driver, 'stack_suspend', made, 'SUSPEND_COMPLETE')
    assert shown(engine, details['Id'])['State']['Status'] == 'exited'
    run(driver, 'stack_resume', made, 'RESUME_COMPLETE')
    assert shown(engine, details['Id'])['State']['Status'] == 'running'


def run(driver, action, made, state):
    getattr(driver.client, action)(driver.context, stack_identity=made)
    driver.wait(made)
    assert driver.state(made) == state, driver.stack(made)['stack_status_reason']


def test_docker_container_has_the_attributes_of_contrib(driver, engine, stack):
    values = {
        'image': podman.IMAGE,
        'cmd': ['sh', '-c', 'trap exit TERM; echo one; echo two; sleep 3600 & wait'],
        'env': ['A=b'],
        'hostname': 'h',
        'memory': 64 << 20,
        'port_specs': ['53/udp'],
        'port_bindings': {'80/tcp': [{'HostIp': '127.0.0.1', 'HostPort': ''}]},
        'restart_policy': {'Name': 'on-failure', 'MaximumRetryCount': 2},
        'cap_drop': ['MKNOD'],
        'read_only': True,
        'cpu_shares': 512,
        'tty': False,
        'open_stdin': True,
    }
    names = (
        'network_ip network_gateway network_tcp_ports network_udp_ports logs logs_head logs_tail'
    )
    outputs = {name: attribute('it', name) for name in (*names.split(), 'info', 'network_info')}
    made = stack({'it': {'type': DOCKER, 'properties': values}}, outputs=outputs)
    found = driver.outputs(made)
    assert (found['logs_head'], found['logs_tail'], found['logs']) == ('one', 'two', 'one\ntwo')
    assert (found['network_tcp_ports'], found['network_udp_ports']) == ('80', '53')
    assert found['network_ip'].split('.')[:2] == found['network_gateway'].split('.')[:2]
    assert found['info']['Config']['Hostname'] == 'h'
    assert found['info']['HostConfig']['RestartPolicy']['Name'] == 'on-failure'
    run(driver, 'stack_suspend', made, 'SUSPEND_COMPLETE')
    run(driver, 'stack_resume', made, 'RESUME_COMPLETE')


def test_image_is_built_imported_and_removed(driver, engine, stack):
    build = {'Dockerfile': f'FROM {podman.IMAGE}\nCOPY page /www/index.html\n', 'page': 'built'}
    archive = base64.b64encode(podman.image_archive()).decode()
    resources = {
        'built': {'type': IMAGE, 'properties': {'context': build}},
        'imported': {'type': IMAGE, 'properties': {'archive': archive}},
        'see': container(JOB, image={'get_resource': 'built'}, command=['cat', '/www/index.html']),
        'run': container(JOB, image={'get_resource': 'imported'}, command=['echo', 'imported']),
    }
    outputs = {
        'built': attribute('see', 'output'),
        'imported': attribute('run', 'output'),
        'tags': attribute('built', 'tags'),
    }
    made = stack(resources, outputs=outputs)
    found = driver.outputs(made)
    assert (found['built'], found['imported']) == ('built', 'imported\n')
    driver.delete(made)
    assert engine.images(found['tags'][0]) == []


def test_image_that_cannot_be_built_names_the_output(driver, stack):
    build = {'Dockerfile': f'FROM {podman.IMAGE}\nRUN no-such-command\n'}
    made = stack({'it': {'type': IMAGE, 'properties': {'context': build}}}, 'CREATE_FAILED')
    assert 'no-such-command' in driver.stack(made)['stack_status_reason']


def test_missing_image_that_no_registry_has_fails_with_its_name(driver, stack):
    made = stack({'it': container(image='no.invalid/thing:1')}, 'CREATE_FAILED')
    assert 'no.invalid/thing:1' in driver.stack(made)['stack_status_reason']


def test_job_that_fails_shows_its_exit_status_and_output(driver, stack):
    job = container(JOB, command=['sh', '-c', 'echo bad luck >&2; exit 7'])
    made = stack({'it': job}, 'CREATE_FAILED')
    reason = driver.stack(made)['stack_status_reason']
    assert 'exit status 7' in reason and 'bad luck' in reason


def test_container_that_is_not_healthy_fails(driver, stack):
    check = {'command': ['false'], 'interval': 0.1, 'retries': 2}
    made = stack({'it': container(health_check=check)}, 'CREATE_FAILED')
    assert 'false failed 2 times' in driver.stack(made)['stack_status_reason']


def test_container_that_ends_during_a_check_tells_its_own_end(driver, stack):
    command = ['sh', '-c', 'trap "echo oops; exit 3" TERM; while true; do sleep 0.1; done']
    check = {'command': ['sh', '-c', 'kill 1; sleep 1'], 'interval': 0.1, 'retries': 3}
    made = stack({'it': container(command=command, health_check=check)}, 'CREATE_FAILED')
    reason = driver.stack(made)['stack_status_reason']
    assert 'status 3' in reason and 'oops' in reason


def test_container_that_ends_with_an_error_fails_with_its_output(driver, stack):
    made = stack({'it': container(command=['sh', '-c', 'echo oops; exit 3'])}, 'CREATE_FAILED')
    reason = driver.stack(made)['stack_status_reason']
    assert 'status 3' in reason and 'oops' in reason


def test_snapshots_of_one_second_have_volumes_of_their_own(driver, stack, monkeypatch):
    made, now = stack({'data': {'type': VOLUME}}), Stack.utcnow()
    monkeypatch.setattr(Stack, 'utcnow', staticmethod(lambda: now))
    for name in 'xy':
        driver.client.stack_snapshot(driver.context, stack_identity=made, name=name)
        driver.wait(made)
    taken = driver.client.stack_list_snapshots(driver.context, stack_identity=made)
    data = [each['data']['resources']['data']['resource_data'] for each in taken]
    assert len({each['snapshot_volume'] for each in data}) == 2


def test_volume_snapshot_is_restored(driver, stack):
    write = 'echo {0} > /data/x; cat /data/x'
    mount = [{'volume': {'get_resource': 'data'}, 'path': '/data'}]

    def resources(text):
        command = ['sh', '-c', write.format(text) if text else 'cat /data/x']
        return {
            'data': {'type': VOLUME, 'properties': {'files': {'x': 'initial'}}},
            'job': container(JOB, command=command, volumes=mount),
        }

    outputs = {'seen': attribute('job', 'output')}
    made = stack(resources('first'), outputs=outputs)
    driver.client.stack_snapshot(driver.context, stack_identity=made, name='x')
    driver.wait(made)
    assert driver.state(made) == 'SNAPSHOT_COMPLETE', driver.stack(made)['stack_status_reason']
    driver.update(made, {'resources': resources('second'), 'outputs': outputs})
    assert driver.outputs(made)['seen'] == 'second\n'
    (taken,) = driver.client.stack_list_snapshots(driver.context, stack_identity=made)
    driver.client.stack_snapshot(driver.context, stack_identity=made, name='y')
    driver.wait(made)
    driver.client.stack_restore(driver.context, stack_identity=made, snapshot_id=taken['id'])
    driver.wait(made)
    assert driver.state(made) == 'RESTORE_COMPLETE', driver.stack(made)['stack_status_reason']
    driver.update(made, {'resources': resources(None), 'outputs': outputs})
    assert driver.outputs(made)['seen'] == 'first\n'


# ---------------------------------------------------------------- updates and replacement


def test_replacement_starts_before_the_old_container_ends(driver, engine, stack):
    made = stack({'it': web('one')})
    first = driver.physical_id(made, 'it')
    slow = web('two')
    check = {'command': ['test', '-e', '/seen'], 'start_period': WAIT_SECONDS}
    slow['properties']['health_check'] = {**check, 'interval': 0.1}
    driver.update(made, {'resources': {'it': slow}}, wait=False)
    client = engine.client()
    both = lambda: client.containers(filters=stack_label(made))  # noqa: E731
    wait_until(lambda: len(both()) == 2)
    second = next(each['Id'] for each in both() if each['Id'] != first)
    client.exec_start(client.exec_create(second, ['sh', '-c', ': > /seen']))
    driver.wait(made)
    assert driver.state(made) == 'UPDATE_COMPLETE'
    assert [each['Id'] for each in both()] == [second]


def stack_label(made):
    return {'label': [f'{podman.STACK}={made["stack_id"]}']}


def wait_until(happened):
    until = time.monotonic() + WAIT_SECONDS
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_failed_replacement_gives_the_port_back(driver, engine, stack):
    port = [{'container_port': 80, 'host_port': ports.reserve()}]
    made = stack({'it': web('one', ports=port, name=f'fixed-{time.time_ns()}')})
    name = shown(engine, driver.physical_id(made, 'it'))['Name']
    broken = web('two', ports=port, name=name.lstrip('/'))
    broken['properties']['health_check'] = {'command': ['false'], 'interval': 0.1, 'retries': 1}
    driver.update(made, {'resources': {'it': broken}}, disable_rollback=False)
    assert driver.state(made) == 'ROLLBACK_COMPLETE', driver.stack(made)['stack_status_reason']
    assert read(port[0]['host_port']) == 'one'
    assert shown(engine, driver.physical_id(made, 'it'))['Name'] == name


def test_networks_of_a_running_container_change_in_place(driver, engine, stack):
    def resources(*names):
        networks = [{'network': {'get_resource': name}} for name in names]
        return {
            'a': {'type': NETWORK},
            'b': {'type': NETWORK},
            'it': container(networks=networks),
        }

    made = stack(resources('a'))
    first = driver.physical_id(made, 'it')
    driver.update(made, {'resources': resources('b', 'a')})
    assert driver.state(made) == 'UPDATE_COMPLETE', driver.stack(made)['stack_status_reason']
    assert driver.physical_id(made, 'it') == first
    assert len(shown(engine, first)['NetworkSettings']['Networks']) == 2


def test_changed_secret_replaces_its_container(driver, engine, stack):
    def resources(text):
        return {
            'key': {'type': SECRET, 'properties': {'content': text}},
            'it': container(
                JOB,
                command=['cat', '/run/secrets/key'],
                secrets=[{'secret': {'get_resource': 'key'}, 'target': 'key'}],
            ),
        }

    outputs = {'seen': attribute('it', 'output')}
    made = stack(resources('old'), outputs=outputs)
    assert driver.outputs(made)['seen'] == 'old'
    driver.update(made, {'resources': resources('new'), 'outputs': outputs})
    assert driver.state(made) == 'UPDATE_COMPLETE', driver.stack(made)['stack_status_reason']
    assert driver.outputs(made)['seen'] == 'new'


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    'values, option',
    [
        ({'privileged': True}, 'allow_privileged'),
        ({'cap_add': ['SYS_ADMIN']}, 'allow_privileged'),
        ({'network_mode': 'host'}, 'allow_privileged'),
        ({'security_opt': ['seccomp=unconfined']}, 'allow_privileged'),
        ({'volumes': [{'host_path': '/etc', 'path': '/x'}]}, 'allow_host_paths'),
        ({'volumes': [{'volume': '/etc', 'path': '/x'}]}, 'allow_host_paths'),
        ({'devices': [{'path_on_host': '/dev/null'}]}, 'allow_host_paths'),
        ({'docker_endpoint': 'tcp://192.0.2.1:2375'}, 'endpoints'),
        ({'docker_endpoint': 'file:///x'}, 'not a URL'),
    ],
)
def test_container_that_may_harm_its_host_is_refused(driver, values, option):
    with pytest.raises(Exception, match=option):
        driver.create({'resources': {'it': container(**values)}}, name=f'no-{time.time_ns()}')


@pytest.mark.parametrize(
    'values, option',
    [
        ({'privileged': True}, 'allow_privileged'),
        ({'cap_add': ['ALL']}, 'allow_privileged'),
        ({'volumes': {'/etc': '/x'}}, 'allow_host_paths'),
        ({'devices': [{'path_on_host': '/dev/null'}]}, 'allow_host_paths'),
    ],
)
def test_docker_container_that_may_harm_its_host_is_refused(driver, values, option):
    given = {'type': DOCKER, 'properties': {'image': podman.IMAGE, **values}}
    with pytest.raises(Exception, match=option):
        driver.create({'resources': {'it': given}}, name=f'no-{time.time_ns()}')


# ---------------------------------------------------------------- many, and failures of the engine


def test_hundred_containers_are_created_and_deleted(driver, engine, stack):
    group = {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'count': 100, 'resource_def': container(stop_grace_period=1)},
    }
    made = stack({'group': group}, outputs={'names': attribute('group', 'name')})
    assert len(set(driver.outputs(made)['names'])) == 100


def test_create_goes_on_after_the_container_engine_was_killed(driver, engine):
    group = {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'count': 8, 'resource_def': container()},
    }
    name = f'killed-{time.time_ns()}'
    made = driver.create({'resources': {'group': group}}, name=name, wait=False)
    wait_until(lambda: len(named(engine, name)) > 1)
    engine.kill()
    time.sleep(0.5)
    engine.start()
    driver.wait(made)
    assert driver.state(made) == 'CREATE_COMPLETE', driver.stack(made)['stack_status_reason']
    assert len(named(engine, name)) == 8
    driver.delete(made)
    assert named(engine, name) == []


def named(engine, name):
    return [each for each in engine.objects() if each.startswith(name)]


def test_killed_container_is_found_by_a_check_and_replaced(driver, engine, stack):
    made = stack({'it': web('one')})
    first = driver.physical_id(made, 'it')
    engine.client().kill(first)
    run(driver, 'stack_check', made, 'CHECK_FAILED')
    driver.update(made, {'resources': {'it': web('one')}})
    assert driver.state(made) == 'UPDATE_COMPLETE'
    assert driver.physical_id(made, 'it') != first


def test_changes_of_others_are_found_and_taken_back(driver, engine, stack):
    networks = [{'network': {'get_resource': name}, 'aliases': ['x']} for name in 'ab']
    resources = {
        'a': {'type': NETWORK},
        'b': {'type': NETWORK},
        'it': container(networks=networks, memory=64, cpus=0.5, cpu_shares=512, restart='always'),
    }
    made = stack(resources)
    run(driver, 'stack_check', made, 'CHECK_COMPLETE')
    checked = driver.resource(made, 'it')['resource_status_reason']
    assert checked == 'state changed'
    names = [driver.physical_id(made, each) for each in ('a', 'b', 'it')]
    name = engine.client().inspect_network(names[0])['Name']
    engine.client().disconnect_container_from_network(names[2], name)
    run(driver, 'stack_check', made, 'CHECK_COMPLETE')
    assert 'networks is' in driver.resource(made, 'it')['resource_status_reason']
    driver.update(made, {'resources': resources}, converge=True)
    assert driver.state(made) == 'UPDATE_COMPLETE'
    assert len(shown(engine, names[2])['NetworkSettings']['Networks']) == 2
    assert 'x' in shown(engine, names[2])['NetworkSettings']['Networks'][name]['Aliases']


def predicted_action(driver, made, resources):
    """Return the action that a preview predicts for the resource of an update."""
    found = driver.client.preview_update_stack(
        driver.context,
        stack_identity=made,
        template={'heat_template_version': '2021-04-16', 'resources': resources},
        params={},
        files={},
        args={},
    )
    rows = (each for kind in ('updated', 'replaced') for each in found[kind])
    return next(each['action'] for each in rows if each['resource_name'] == 'it')


@pytest.mark.parametrize('after', [{'restart': 'always'}, {'restart': 'no'}])
def test_preview_tells_whether_the_engine_can_change_a_limit(driver, engine, stack, after):
    made = stack({'it': container(restart='on-failure:1', memory=64)})
    first = driver.physical_id(made, 'it')
    resources = {'it': container(**after, memory=64)}
    found = predicted_action(driver, made, resources)
    driver.update(made, {'resources': resources})
    assert driver.state(made) == 'UPDATE_COMPLETE'
    assert found == ('update' if driver.physical_id(made, 'it') == first else 'replace')
    # no engine takes a limit away
    less = {'it': container(**after)}
    assert predicted_action(driver, made, less) == 'replace'
    driver.update(made, {'resources': less})
    assert driver.state(made) == 'UPDATE_COMPLETE'


def test_paused_container_fails_a_check_and_is_replaced(driver, engine, stack):
    made = stack({'it': container()})
    first = driver.physical_id(made, 'it')
    engine.client().pause(first)
    run(driver, 'stack_check', made, 'CHECK_FAILED')
    driver.update(made, {'resources': {'it': container()}})
    assert driver.state(made) == 'UPDATE_COMPLETE'
    assert driver.physical_id(made, 'it') != first


def test_adopted_objects_keep_their_names_and_are_no_orphans(driver, engine, stack):
    build = {'Dockerfile': f'FROM {podman.IMAGE}\nCOPY text /text\n', 'text': 'x'}

    def template(color):
        networks, image = [{'network': {'get_resource': 'net'}}], {'get_resource': 'image'}
        resources = {
            'net': {'type': NETWORK},
            'image': {'type': IMAGE, 'properties': {'context': build}},
            'it': container(networks=networks, image=image, environment={'COLOR': color}),
        }
        return {'heat_template_version': '2021-04-16', 'resources': resources}

    made = stack(template('red')['resources'])
    document = driver.client.abandon_stack(driver.context, stack_identity=made)
    try:
        adopted = driver.create(
            template('red'), name=f'adopted-{time.time_ns()}', adopt_stack_data=json.dumps(document)
        )
        assert driver.state(adopted) == 'ADOPT_COMPLETE'
        own = objects_of(engine, made)
        assert len(own) == 3 and containers.orphans(own) == []
        driver.update(adopted, template('green'))
        reason = driver.stack(adopted)['stack_status_reason']
        assert driver.state(adopted) == 'UPDATE_COMPLETE', reason
    finally:
        driver.delete(adopted)
    assert objects_of(engine, made) == []


def objects_of(engine, made):
    found = containers.labelled(engine_client(engine))
    return [each for each in found if each.labels[podman.STACK] == made['stack_id']]


def engine_client(engine):
    return container_engine.ContainerEngine(engine.url, CONNECTION)


def test_objects_that_no_stack_has_are_found(driver, engine, stack):
    made = stack({'net': {'type': NETWORK}, 'it': container()})
    key = driver.service._conf.auth_encryption_key
    ours, other = (installation.service_id(each.encode()) for each in (key, 'another key'))
    labels = {podman.MARK: '1', podman.STACK: made['stack_id'], container_labels.OBJECT: 'gone'}
    api, name = engine.client(), f'orphan-{time.time_ns()}'
    api.create_network(name, labels={**labels, container_labels.SERVICE: ours})
    api.create_volume(f'{name}-v', labels={**labels, podman.STACK: 'unknown'})
    api.create_volume(f'{name}-other', labels={**labels, container_labels.SERVICE: other})
    try:
        all_objects = containers.labelled(engine_client(engine))
        own, others = containers.split_by_service(all_objects, [key])
        found = {each.name for each in containers.orphans(own)}
        former = containers.split_by_service(all_objects, ['new key', key])[0]
    finally:
        api.remove_network(name)
        for volume in (f'{name}-v', f'{name}-other'):
            api.remove_volume(volume)
    assert {name, f'{name}-v'} <= found and not found & set(engine.objects(made['stack_id']))
    assert f'{name}-other' in {each.name for each in others}
    assert {each.name for each in own} == {each.name for each in former}
    labelled = {
        each.labels.get(container_labels.SERVICE)
        for each in own
        if each.labels[podman.STACK] == made['stack_id']
    }
    assert labelled == {ours}


def test_removal_of_orphans_goes_on_after_one_that_is_in_use(driver, engine, stack, capsys):
    api, name = engine.client(), f'orphan-{time.time_ns()}'
    labels = {podman.MARK: '1', podman.STACK: 'unknown'}
    for end in ('-a', '-b'):
        api.create_volume(f'{name}{end}', labels=labels)
    made = stack({'it': container(volumes=[{'volume': f'{name}-a', 'path': '/data'}])})
    listed = containers.labelled(engine_client(engine))
    found = sorted((each for each in listed if each.name.startswith(name)), key=lambda it: it.name)
    failed = containers.remove(engine_client(engine), found)
    assert [line.partition(':')[0] for line in failed] == [f'volume {name}-a']
    told = capsys.readouterr().out.splitlines()
    assert told == [f'volume {name}-b: removed', f'not removed: {failed[0]}']
    driver.delete(made)
    assert containers.remove(engine_client(engine), found) == []


# ---------------------------------------------------------------- the gallery, and many members


def gallery(name):
    return GALLERY.joinpath(name).read_text()


def test_scaling_policy_adds_and_removes_containers(driver, engine, stack):
    group = {
        'type': 'OS::Heat::AutoScalingGroup',
        'properties': {'min_size': 1, 'max_size': 3, 'resource': container()},
    }
    change = {'auto_scaling_group_id': {'get_resource': 'group'}, 'cooldown': 0}

    def policy(adjustment):
        values = {'adjustment_type': 'change_in_capacity', 'scaling_adjustment': adjustment}
        return {'type': 'OS::Heat::ScalingPolicy', 'properties': {**change, **values}}

    resources = {'group': group, 'up': policy(2), 'down': policy(-1)}
    made = stack(resources, outputs={'size': attribute('group', 'current_size')})
    signal(driver, made, 'up')
    wait_until(lambda: driver.outputs(made)['size'] == 3)

    def shrinks():
        signal(driver, made, 'down')  # has no effect while the group still grows
        return driver.outputs(made)['size'] < 3

    wait_until(shrinks)


def signal(driver, made, name):
    driver.client.resource_signal(
        driver.context, stack_identity=made, resource_name=name, details=None
    )


def test_shop_of_the_gallery_sells_while_its_servers_are_replaced(driver, engine, stack):
    template, port = yaml.safe_load(gallery('shop.yaml')), ports.reserve()
    template['parameters']['image']['default'] = podman.IMAGE
    template['parameters']['port']['default'] = port
    made = stack(**template)
    lost, cut, ended = [], [], threading.Event()

    def buy():
        while not ended.is_set():
            try:
                with urllib.request.urlopen(f'{SHOP.format(port)}?tea', timeout=30) as answer:
                    cut.extend([] if b'tea' in answer.read() else ['no order'])
            except urllib.error.URLError as error:  # no connection, or an answer of a failure
                lost.append(error)
            except OSError as error:
                cut.append(error)

    buyer = threading.Thread(target=buy)
    buyer.start()
    template['parameters']['title']['default'] = 'New'
    try:
        driver.update(made, template)
    finally:
        ended.set()
        buyer.join()
    assert driver.state(made) == 'UPDATE_COMPLETE' and lost == []
    # The template kills its servers. Each may have had one request, whose answer is cut.
    assert len(cut) <= template['parameters']['servers']['default']
    with urllib.request.urlopen(SHOP.format(port), timeout=30) as answer:
        assert answer.read().startswith(b'New, from ')


def test_converted_compose_file_makes_the_same_objects(driver, engine, stack):
    read_file = compose_reader.Reader({'IMAGE': podman.IMAGE}, [])
    template = compose.Conversion(read_file.read(GALLERY / 'compose.yaml')).template()
    made = stack(template['resources'])
    kinds = [each.split('-')[2] for each in engine.objects(made['stack_id'])]
    assert sorted(kinds) == [
        'back_network',
        'data_volume',
        'database',
        'front_network',
        'migrate',
    ]
    assert driver.resources(made)['web'] == 'CREATE_COMPLETE'
