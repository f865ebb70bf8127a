import json

import pytest
import yaml

from heat_lite.authoring import init, lint, offline_types, type_examples
from heat_lite.template.editing import formatting, yaml_writer
from heat_lite.template.lint.settings import Settings

KINDS = sorted(init.kinds())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_usual_kinds_exist():
    assert {'empty', 'server', 'network', 'web', 'autoscaling', 'database', 'deployment'} <= {
        *KINDS
    }


@pytest.mark.parametrize('kind', KINDS)
def test_kind_has_no_findings_and_the_usual_form(kind, folder):
    assert init.main([kind]) == 0
    files = sorted(path.name for path in folder.iterdir())
    assert f'{kind}.yaml' in files
    assert [str(each) for each in lint.inspect(files, Settings())[0]] == []
    for name in files:
        text = (folder / name).read_text()
        assert formatting.formatted(text) == text


def test_resource_type_is_a_kind(folder, capsys):
    assert init.main(['OS::Heat::RandomString', '-o', 'sub/secret.yaml']) == 0
    assert 'wrote sub/secret.yaml' in capsys.readouterr().out
    assert lint.inspect(['sub/secret.yaml'], Settings())[0] == []


def test_objects_that_exist_are_parameters_of_a_resource_type(folder, capsys):
    assert init.main(['OS::Nova::Server']) == 0
    values = '-P flavor=... -P image=... -P key=... -P network=...'
    assert f'heat-lite apply -t server.yaml {values} server' in capsys.readouterr().out
    data = yaml.safe_load((folder / 'server.yaml').read_text())
    assert data['parameters']['network'] == {
        'type': 'string',
        'description': 'Network to attach, by name or id.',
        'constraints': [{'custom_constraint': 'neutron.network'}],
    }
    properties = data['resources']['server']['properties']
    assert properties['networks'] == [{'network': {'get_param': 'network'}}]


def test_resource_types_have_no_findings_but_deprecation(folder):
    types = offline_types.OfflineTypes()
    for number, name in enumerate(types.names()):
        text = yaml_writer.to_yaml(type_examples.starter_of(types.get(name)))
        (folder / f'{number}.yaml').write_text(text)
    found = lint.inspect(sorted(path.name for path in folder.iterdir()), Settings())[0]
    assert [str(each) for each in found if each.rule not in ('deprecated', 'foreign-type')] == []


def test_existing_file_is_kept_without_force(folder, capsys):
    (folder / 'nested_part.yaml').write_text('mine')
    assert init.main(['nested']) == 1
    assert 'nested_part.yaml exists already: --force overwrites it' in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ['nested_part.yaml']
    assert init.main(['nested', '--force']) == 0
    assert (folder / 'nested_part.yaml').read_text() != 'mine'


def test_files_of_a_kind_lie_beside_the_template(folder):
    assert init.main(['nested', '-o', 'stacks/app.yaml']) == 0
    assert {path.name for path in (folder / 'stacks').iterdir()} == {'app.yaml', 'nested_part.yaml'}
    assert lint.inspect(['stacks/app.yaml'], Settings())[0] == []


def test_next_commands_name_the_required_parameters(folder, capsys):
    assert init.main(['network']) == 0
    assert 'heat-lite apply -t network.yaml -P public_network=... network' in (
        capsys.readouterr().out
    )
    assert init.main(['network', '--force', '--json']) == 0
    assert json.loads(capsys.readouterr().out) == {
        'files': ['network.yaml'],
        'required_parameters': ['public_network'],
    }


def test_dash_prints_a_template_of_one_file(folder, capsys):
    assert init.main(['empty', '-o', '-']) == 0
    assert capsys.readouterr().out.startswith('heat_template_version: ')
    assert init.main(['web', '-o', '-']) == 2
    assert init.main(['web', '-o', 'web_server.yaml']) == 2
    assert list(folder.iterdir()) == []


def test_kinds_are_listed(capsys):
    assert init.main([]) == 0
    output = capsys.readouterr().out
    assert all(f'\n{kind} ' in output for kind in KINDS)
    assert init.main(['--json']) == 0
    assert [row['kind'] for row in json.loads(capsys.readouterr().out)] == KINDS


@pytest.mark.parametrize(
    'name, meant', [('servr', 'server'), ('OS::Heat::Valu', 'OS::Heat::Value')]
)
def test_misspelt_kind_gets_a_suggestion(name, meant, folder, capsys):
    assert init.main([name]) == 1
    assert f'there is no kind {name}. Did you mean {meant}?' in capsys.readouterr().err


def test_folder_that_cannot_be_made_is_reported(folder, capsys):
    (folder / 'file').write_text('')
    assert init.main(['empty', '-o', 'file/x.yaml']) == 1
    assert 'file: no folder can be made' in capsys.readouterr().err
