"""``cfn-json2yaml`` on files and folders."""

import json

from heat_lite.authoring import json_to_yaml
from heat_lite.template import reader

TEMPLATE = {
    'AWSTemplateFormatVersion': '2010-09-09',
    'Resources': {'one': {'Type': 'OS::Heat::None', 'Metadata': {'text': 'a\n"b": yes'}}},
}


def test_templates_of_a_folder_become_yaml_of_the_same_content(tmp_path, capsys):
    (tmp_path / 'one.template').write_text(json.dumps(TEMPLATE))
    (tmp_path / 'two.json').write_text(json.dumps(TEMPLATE))
    assert json_to_yaml.main([str(tmp_path)]) == 0
    for name in ('one.yaml', 'two.yaml'):
        assert reader.parse((tmp_path / name).read_text()) == TEMPLATE
    assert json_to_yaml.main([str(tmp_path)]) == 1
    assert 'exists already' in capsys.readouterr().err
    assert json_to_yaml.main([str(tmp_path), '-f']) == 0


def test_what_is_no_template_is_refused(tmp_path, capsys):
    file = tmp_path / 'other.json'
    file.write_text('{"heat_template_version": "2021-04-16"}')
    assert json_to_yaml.main([str(file), str(tmp_path / 'absent.json')]) == 1
    err = capsys.readouterr().err
    assert 'other.json is no template in CFN' in err and 'absent.json' in err
    (tmp_path / 'empty').mkdir()
    assert json_to_yaml.main([str(tmp_path / 'empty')]) == 1
