"""``heat-lite test`` as a process: passing and failing cases, reports, exit statuses, rubbish."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
APP = """heat_template_version: 2021-04-16
parameters:
  size: {type: number, default: 1, constraints: [{range: {max: 5}}]}
  env: {type: string, default: dev}
conditions:
  prod: {equals: [{get_param: env}, prod]}
resources:
  net:
    type: OS::Neutron::Net
    properties: {name: {list_join: ['-', [{get_param: 'OS::stack_name'}, net]]}}
  server:
    type: OS::Nova::Server
    properties:
      image: linux
      flavor: {if: [prod, large, small]}
      networks: [{network: {get_resource: net}}]
      user_data: {get_file: lib/init.sh}
    depends_on: secret
  secret: {type: OS::Heat::RandomString}
  ip: {type: OS::Heat::Value, properties: {value: {get_attr: [server, first_address]}}}
  extra: {type: OS::Heat::RandomString, condition: prod}
  inner: {type: lib/inner.yaml, properties: {value: {get_attr: [server, name]}}}
  group:
    type: OS::Heat::ResourceGroup
    properties: {count: {get_param: size}, resource_def: {type: OS::Heat::RandomString}}
outputs:
  ip: {value: {get_attr: [ip, value]}}
  inner: {value: {get_attr: [inner, out]}}
  secrets: {value: {get_attr: [group, value]}}
  refs: {value: {get_attr: [group, refs]}}
"""
INNER = """heat_template_version: 2021-04-16
parameters: {value: {type: string}}
resources:
  leaf: {type: OS::Heat::TestResource, properties: {value: {get_param: value}}}
outputs:
  out: {value: {list_join: ['/', [{get_param: value}, {get_attr: [leaf, output]}]]}}
"""
HEAD = """heat_lite_test: 1
template: ../app.yaml
stubs:
  server: {id: 5b1f, attributes: {name: web, first_address: 10.0.0.5}}
  inner/leaf: {attributes: {output: done}}
  group/0: {id: zero, attributes: {value: abc}}
cases:
"""
GOOD = f"""{HEAD}
  development:
    expect:
      conditions: {{prod: false}}
      resource_names: [net, server, secret, ip, inner, group]
      resources:
        server:
          type: OS::Nova::Server
          properties: {{flavor: small, networks: [{{network: net}}], user_data: "echo\\n"}}
          requires: [secret, net]
          deletion_policy: Delete
        extra: {{exists: false}}
        net: {{properties: {{name: stack-net}}}}
        inner: {{type: lib/inner.yaml}}
        group: {{requires: []}}
        inner/leaf: {{properties: {{value: web}}}}
        group/0: {{type: OS::Heat::RandomString, properties: {{length: 32}}}}
      outputs: {{ip: 10.0.0.5, inner: web/done, secrets: [abc], refs: [zero]}}
  production:
    parameters: {{env: prod}}
    expect:
      resources: {{server: {{properties: {{flavor: large}}}}, extra: {{exists: true}}}}
  too many:
    parameters: {{size: 9}}
    expect: {{errors: [9 is out of range]}}
"""


@pytest.fixture
def folder(tmp_path):
    for name, text in {
        'app.yaml': APP,
        'lib/inner.yaml': INNER,
        'lib/init.sh': 'echo\n',
        'tests/good.test.yaml': GOOD,
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def run(folder, *argv):
    command = [sys.executable, '-m', 'heat_lite.cli.main', 'test', *argv]
    env = {'PYTHONPATH': str(ROOT), 'PATH': '', 'PYTHONIOENCODING': 'utf-8'}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=env, timeout=120)
    assert 'Traceback' not in done.stderr
    return done


def write_cases(folder, text):
    (folder / 'tests' / 'bad.test.yaml').write_text(HEAD + text)


def test_passing_cases_are_listed(folder):
    done = run(folder, 'tests')
    assert (done.returncode, done.stderr) == (0, '')
    first, *_, last = done.stdout.splitlines()
    assert first == 'ok      tests/good.test.yaml:9: development'
    assert last.startswith('3 passed, 0 failed in ')


@pytest.mark.parametrize(
    ('expect', 'lines'),
    [
        (
            'resources: {server: {properties: {flavor: large}}}',
            ['resources.server.properties.flavor', '-large', '+small'],
        ),
        ('resources: {server: {properties: {falvor: x}}}', ['Did you mean "flavor"?']),
        ('resources: {sever: {type: x}}', ['(sever) could not be found', 'mean "server"?']),
        ('resources: {extra: {type: x}}', ['(extra) could not be found']),
        ('resources: {net: {exists: false}}', ['resources.net.exists', '+true']),
        ('resources: {net: {requires: [server]}}', ['-- server', '+[]']),
        ('resources: {inner: {type: lib/other.yaml}}', ['-lib/other.yaml', '+lib/inner.yaml']),
        ('outputs: {ip: 10.0.0.6}', ['-10.0.0.6', '+10.0.0.5']),
        ('outputs: {secret: x}', ['The output "secret" not found. Did you mean "secrets"?']),
        ('conditions: {prod: true}', ['-true', '+false']),
        ('conditions: {pord: true}', ['The condition "pord" not found. Did you mean "prod"?']),
        ('resource_names: [net]', ['+- server']),
        ('errors: [x]', ["no error contains 'x': there are no errors"]),
    ],
)
def test_difference_fails_with_its_line(expect, lines, folder):
    write_cases(folder, f'  wrong:\n    expect:\n      {expect}\n')
    done = run(folder, 'tests/bad.test.yaml')
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'FAILED  tests/bad.test.yaml:8: wrong\n  tests/bad.test.yaml:10: expect.' in done.stdout
    assert [line for line in lines if line not in done.stdout] == []


def test_unexpected_error_missing_stub_and_unknown_stub_fail(folder):
    write_cases(
        folder,
        '  unexpected: {parameters: {zise: 1}, expect: {outputs: {ip: x}}}\n'
        '  missing: {stubs: {server: {}}, expect: {outputs: {ip: x}}}\n'
        '  unknown: {stubs: {servre: {}}, expect: {conditions: {prod: false}}}\n'
        '  attribute: {stubs: {server: {attributes: {nmae: x}}}, expect: {outputs: {ip: x}}}\n'
        '  value: {parameters: {size: 9}, expect: {errors: [9 is out of range, other]}}\n',
    )
    done = run(folder, 'tests/bad.test.yaml')
    assert done.returncode == 1
    for text in (
        'unexpected error: The Parameter (zise) was not defined',
        'the attribute "first_address" of the resource "server" is not known: write it into stubs',
        'stubs.servre: The Resource (servre) could not be found in Stack stack. Did you mean',
        'stubs.server.attributes.nmae: The attribute "nmae" of OS::Nova::Server not found. Did',
        "no error contains 'other'; the errors are: ",
        '0 passed, 5 failed',
    ):
        assert text in done.stdout, done.stdout


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('  a: {expct: {}}', ':8: cases.a.expct: there is no key "expct" here. Did you mean'),
        ('  a: {expect: {output: {}}}', ':8: cases.a.expect.output: there is no key "output"'),
        ('  a: {expect: {}}', ':8: cases.a.expect: the case has no expect'),
        ('  a: {}', ':8: cases.a.expect: the case has no expect'),
        ('  a: {expect: {conditions: {prod: 1}}}', 'must be true or false'),
        ('  a: {expect: {resources: {net: {propertys: {}}}}}', 'there is no key "propertys"'),
        ('  a: {stubs: {net: {id: 12}}}', 'stubs.net.id: must be a text, not 12: write it in'),
        ('  a: {expect: {errors: [x, 12]}}', 'errors.1: must be a text, not 12: write it in'),
        ('  a: {parameters: [x], expect: {errors: [x]}}', "must be a map, not ['x']"),
        ('  a: {expect: {errors: [x], outputs: {}}}', 'errors can expect nothing else'),
        ('  a: {expect: {errors: [x]}}\n  a: {}', ':9: cases.a: "a" stands here twice'),
        ('  a: [', 'while parsing'),
        ('  a: nothing', "must be a map, not 'nothing'"),
        ('', 'cases: must be a map, not nothing'),
    ],
)
def test_invalid_file_names_the_line_of_the_mistake(text, message, folder):
    write_cases(folder, text + '\n')
    done = run(folder, 'tests')
    assert done.returncode == 2 and message in done.stdout, done.stdout
    assert 'ok      tests/good.test.yaml' in done.stdout
    assert '1 file not usable' in done.stdout


def test_json_and_junit_have_all_cases(folder):
    write_cases(folder, '  wrong\x07: {expect: {outputs: {ip: x}}}\n'.replace('\x07', ' <one>'))
    done = run(folder, '--json', '--junit', 'report.xml', 'tests')
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert (document['passed'], document['failed'], document['errors']) == (3, 1, [])
    [wrong] = [each for each in document['cases'] if not each['passed']]
    assert wrong['failures'] == [
        {'line': 8, 'path': 'expect.outputs.ip', 'expected': 'x', 'actual': '10.0.0.5'}
    ]
    suites = ElementTree.parse(folder / 'report.xml').getroot()
    assert {each.get('name'): each.get('tests') for each in suites} == {
        'tests/bad.test.yaml': '1',
        'tests/good.test.yaml': '3',
    }
    [failure] = suites.iter('failure')
    assert '+10.0.0.5' in failure.text
    assert [each.get('name') for each in suites.iter('testcase')][0] == 'wrong <one>'
    assert_junit(suites)


def test_junit_of_an_unusable_file_has_an_error(folder):
    write_cases(folder, '  a: [')
    assert run(folder, '--junit', 'report.xml', 'tests').returncode == 2
    suites = ElementTree.parse(folder / 'report.xml').getroot()
    [error] = suites.iter('error')
    assert 'while parsing' in error.get('message')
    assert_junit(suites)


def assert_junit(suites):
    """Check the attributes and the order of elements that the schema of Ant prescribes."""
    assert suites.attrib == {}
    counts = {'tests', 'failures', 'errors', 'time'}
    for number, suite in enumerate(suites):
        names = {'id', 'package', 'name', 'hostname', 'timestamp', *counts}
        assert set(suite.attrib) == names and suite.get('id') == str(number)
        first, *cases, out, err = [each.tag for each in suite]
        assert (first, out, err) == ('properties', 'system-out', 'system-err')
        assert set(cases) == {'testcase'} and len(cases) == int(suite.get('tests'))
        for case in suite.iter('testcase'):
            assert set(case.attrib) == {'name', 'classname', 'time'}
            assert [set(each.attrib) for each in case] in ([], [{'message', 'type'}])


def test_filter_chooses_cases(folder):
    done = run(folder, '-k', 'PRODUCTION', 'tests')
    assert done.returncode == 0 and done.stdout.startswith('ok      tests/good.test.yaml:')
    assert '1 passed' in done.stdout
    done = run(folder, '-k', 'nothing', 'tests')
    assert (done.returncode, done.stderr) == (2, "heat-lite test: no case matches 'nothing'\n")


def test_unusable_arguments_exit_with_2(folder):
    (folder / 'empty').mkdir()
    for argv, text in (
        (['empty'], 'the folder has no files *.test.yaml'),
        (['--junit', 'no/such/report.xml', 'tests'], 'the report cannot be written'),
        (['--timeout', '0', 'tests'], 'heat-lite test: not finished after 0 seconds'),
        ([], 'the following arguments are required'),
    ):
        done = run(folder, *argv)
        assert done.returncode == 2 and text in done.stderr, (argv, done.stderr)
    for name, text in (('none.test.yaml', 'No such file'), ('app.yaml', 'not a file of cases')):
        done = run(folder, name)
        assert done.returncode == 2 and text in done.stdout, done.stdout


def test_template_outside_of_the_folders_is_not_read(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp('other') / 'app.yaml'
    other.write_text(APP)
    write_cases(folder, f'  a: {{template: "{other}", expect: {{conditions: {{prod: false}}}}}}\n')
    done = run(folder, 'tests/bad.test.yaml')
    assert done.returncode == 1 and 'it is outside of the folders' in done.stdout
