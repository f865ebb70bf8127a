"""Compose files become templates, and what cannot is named."""

import pathlib

import pytest
import yaml

from heat_lite.authoring import compose, compose_reader, compose_values, convert

GALLERY = pathlib.Path(__file__).resolve().parents[3] / 'docs/guide/gallery/containers'


def converted(**services):
    conversion = compose.Conversion({'services': services})
    return conversion.template()['resources'], conversion


def test_compose_file_of_the_gallery_is_converted(capsys):
    assert convert.main([str(GALLERY / 'compose.yaml')]) == 0
    found = yaml.safe_load(capsys.readouterr().out)['resources']
    kinds = {name: each['type'].rpartition('::')[2] for name, each in found.items()}
    assert kinds == {
        'back_network': 'Network',
        'front_network': 'Network',
        'data_volume': 'Volume',
        'password_secret': 'Secret',
        'page_config': 'Config',
        'database': 'Container',
        'migrate': 'Job',
        'web': 'ResourceGroup',
    }
    assert found['web']['properties']['count'] == 3
    assert found['database']['properties']['image'] == 'docker.io/library/busybox:1.37'
    assert found['database']['properties']['memory'] == 64
    assert found['migrate']['depends_on'] == ['database']


def test_what_cannot_be_carried_over_is_named_and_nothing_written(tmp_path, capsys):
    file = tmp_path / 'compose.yaml'
    file.write_text('services:\n  a: {image: x, gpus: all}\n')
    assert convert.main([str(file)]) == 1
    answer = capsys.readouterr()
    assert 'services.a.gpus' in answer.err and answer.out == ''
    assert convert.main([str(file), '--partial']) == 1
    assert 'image: x' in capsys.readouterr().out


def test_variables_come_from_the_file_beside_it(tmp_path, capsys):
    (tmp_path / '.env').write_text('TAG="7"\n')
    (tmp_path / 'compose.yaml').write_text(
        'services:\n  a: {image: "x:$TAG", command: [echo, "$$HOME", "${NO-n}${UNSET}"]}\n'
    )
    assert convert.main([str(tmp_path / 'compose.yaml')]) == 0
    answer = capsys.readouterr()
    found = yaml.safe_load(answer.out)['resources']['a']['properties']
    assert (found['image'], found['command']) == ('x:7', ['echo', '$HOME', 'n'])
    assert 'UNSET' in answer.err


@pytest.mark.parametrize(
    'given, ports',
    [
        ('80', [{'container_port': 80}]),
        (80, [{'container_port': 80}]),
        ('8080:80', [{'container_port': 80, 'host_port': 8080}]),
        (
            '127.0.0.1:5:6/udp',
            [{'container_port': 6, 'host_port': 5, 'host_ip': '127.0.0.1', 'protocol': 'udp'}],
        ),
        (
            '1-2:3-4',
            [{'container_port': 3, 'host_port': 1}, {'container_port': 4, 'host_port': 2}],
        ),
        ({'target': 80, 'published': '90'}, [{'container_port': 80, 'host_port': 90}]),
    ],
)
def test_ports_are_read_in_all_forms(given, ports):
    assert list(compose_values.port(given)) == ports


def test_sizes_and_durations_are_converted():
    assert [compose_values.mebibytes(each) for each in ('64M', '1g', '1048576')] == [64, 1024, 1]
    assert [compose_values.seconds(each) for each in ('1m30s', '500ms', 2)] == [90, 0.5, 2]


def test_service_on_the_host_is_converted_with_notes():
    service = {'image': 'x', 'volumes': ['/etc:/etc:ro'], 'restart': False, 'privileged': True}
    found, conversion = converted(a=service)
    assert found['a']['properties']['volumes'] == [
        {'host_path': '/etc', 'path': '/etc', 'read_only': True}
    ]
    assert found['a']['properties']['restart'] == 'no'
    assert 'allow_host_paths' in conversion.notes[0] and 'allow_privileged' in conversion.notes[1]
    assert not conversion.problems


def test_all_forms_of_the_specification_are_read(tmp_path):
    """Anchors, extends, include, profiles, env_file, both syntaxes of each list."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / 'app/logo.png').write_bytes(b'\x89PNG\xff')
    (tmp_path / 'app/run.sh').chmod(0o755)
    reader = compose_reader.Reader({'SHELL_ONLY': 'e'}, [])
    conversion = compose.Conversion(reader.read(tmp_path / 'compose.yaml'), tmp_path)
    found = conversion.template()['resources']
    assert conversion.problems == []
    web = found['web']['properties']
    assert web['environment'] == {
        'FROM_FILE': '1',
        'LOW': 'over',
        'A': 1,
        'B': 'two',
        'SHELL_ONLY': 'e',
    }
    assert (web['image'], web['log_driver']) == ({'get_resource': 'web_image'}, 'json-file')
    assert web['ports'] == [
        {'container_port': 22, 'host_port': 22},
        {'container_port': 80, 'host_port': 8081, 'host_ip': '127.0.0.1', 'protocol': 'tcp'},
    ]
    assert web['volumes'] == [
        {'volume': {'get_resource': 'web_anon_volume'}, 'path': '/anon'},
        {'host_path': str(tmp_path / 'data'), 'path': '/data', 'read_only': True},
    ]
    assert web['tmpfs'] == ['/run', '/fast:size=10m']
    assert web['configs'][0] == {
        'config': {'get_resource': 'c_config'},
        'target': '/etc/c',
        'uid': 103,
        'mode': '0440',
    }
    assert found['c_config']['properties']['content'] == {'get_file': 'inc/c.txt'}
    assert found['web_image']['properties']['context'] == {
        'Dockerfile': {'get_file': 'app/Dockerfile'},
        'logo.png': {'base64': {'get_file': 'app/logo.png'}},
        'run.sh': {'content': {'get_file': 'app/run.sh'}, 'mode': '0755'},
        '.dockerignore': {'get_file': 'app/.dockerignore'},
    }
    assert found['web']['depends_on'] == ['init', 'inner'] and 'debug' not in found
    assert found['init']['type'].endswith('::Job') and found['inner']['type'].endswith('Container')
    assert found['side']['properties']['network_mode'] == {
        'list_join': ['', ['container:', {'get_resource': 'web'}]]
    }
    assert 'profile' in reader.notes[0]


FILES = {
    '.env': 'TAG=7 # comment\nexport LOW=over\nQUOTED="${TAG} x"\n',
    'one.env': 'FROM_FILE=1\nLOW=low\n',
    'inc/c.txt': 'c',
    'inc/compose.yaml': 'services: {inner: {image: x}}\nconfigs: {c: {file: c.txt}}\n',
    'app/Dockerfile': 'FROM x\n',
    'app/run.sh': '#!/bin/sh\n',
    'app/old.pyc': '',
    'app/.dockerignore': '**/*.pyc\n',
    'base.yaml': 'services: {web: {restart: always, environment: {LOW: "$LOW"}, tmpfs: /run}}\n',
    'compose.yaml': """
name: all
include: [inc/compose.yaml]
x-log: &log {driver: json-file}
x-env: &env {A: 1, B: "${B:-${NONE:-two}}"}
services:
  web:
    extends: {file: base.yaml, service: web}
    build: ./app
    logging: *log
    env_file: [one.env, {path: none.env, required: false}]
    environment: {<<: *env, SHELL_ONLY: }
    expose: [80]
    ports:
      - 22:22
      - {target: 80, host_ip: 127.0.0.1, published: "8081", protocol: tcp, mode: host}
    configs: [{source: c, target: /etc/c, uid: "103", mode: 0440}]
    volumes:
      - /anon
      - ./data:/data:ro,z
      - {type: tmpfs, target: /fast, tmpfs: {size: 10m}}
    depends_on: {init: {condition: service_completed_successfully}, inner: {restart: true}}
  side: {image: "s:${TAG:?no tag}", network_mode: "service:web"}
  init: {image: i, restart: "no"}
  debug: {image: d, profiles: [debug]}
""",
}


def test_file_with_a_needed_variable_that_is_unset_is_refused(tmp_path, capsys):
    (tmp_path / 'compose.yaml').write_text('services: {a: {image: "${TAG:?set the tag}"}}\n')
    assert convert.main([str(tmp_path / 'compose.yaml')]) == 1
    assert 'set the tag' in capsys.readouterr().err


def test_file_that_includes_itself_is_refused(tmp_path, capsys):
    (tmp_path / 'compose.yaml').write_text('include: [compose.yaml]\nservices: {}\n')
    assert convert.main([str(tmp_path / 'compose.yaml')]) == 1
    assert 'same file' in capsys.readouterr().err


def test_override_beside_the_file_is_merged(tmp_path, capsys):
    (tmp_path / 'compose.yaml').write_text('services: {a: {image: x, ports: [1]}}\n')
    (tmp_path / 'compose.override.yaml').write_text('services: {a: {image: y, ports: [2]}}\n')
    assert convert.main([str(tmp_path / 'compose.yaml')]) == 0
    found = yaml.safe_load(capsys.readouterr().out)['resources']['a']['properties']
    assert found['image'] == 'y' and [each['container_port'] for each in found['ports']] == [1, 2]


@pytest.mark.parametrize(
    ('service', 'stated'),
    [
        ('nginx', ':1:12: error: "a" must be a map'),
        ('{image: x, ports: 80}', ':1:26: error: "ports" must be a list'),
        ('{image: x, volumes: "x:/y"}', ':1:26: error: "volumes" must be a list'),
        ('{image: x, environment: no}', ':1:26: error: "environment" must be a list or a map'),
        ('{image: x, deploy: {replicas: two}}', ':1:45: error: services.a: "two" is not a whole'),
        ('{ports: [80]}', ':1:12: error: services.a: it has neither "image" nor "build"'),
        ('{image: x, extra_hosts: ["b:1", abc]}', ':1:47: error: extra_hosts: "abc" is not NAME:A'),
        ('{image: x, cpus: abc}', ':1:32: error: cpus: "abc" is not a number'),
        ('{image: x, mem_limit: much}', ':1:37: error: mem_limit: "much" is not a size such as'),
        ('{image: x, pids_limit: [1]}', ':1:26: error: pids_limit: it has another form'),
        ('{image: x, user: {}}', ':1:26: error: "user" must be a text or a number'),
        ('{image: x, networks: {b: c}}', ':1:12: error: services.a: a part has another form'),
        ('{image: x, cgroup: host}', ':1:26: error: services.a.cgroup: left out'),
        ('{image: x, ports: [http]}', 'services.a.ports: left out, "http" is not a whole number'),
        ('{image: x, ports: [{published: 80}]}', "services.a: a map lacks the key 'target'"),
    ],
)
def test_value_of_another_type_is_refused_with_its_place(service, stated, tmp_path, capsys):
    (tmp_path / 'c.yaml').write_text(f'services: {{a: {service}}}\n')
    assert convert.main([str(tmp_path / 'c.yaml')]) == 1
    assert stated in capsys.readouterr().err


def test_declaration_that_is_no_map_is_refused_with_its_place(tmp_path, capsys):
    (tmp_path / 'c.yaml').write_text('services: {a: {image: x}}\nvolumes: {v: w}\n')
    assert convert.main([str(tmp_path / 'c.yaml')]) == 1
    assert ':2:11: error: "v" must be a map' in capsys.readouterr().err
