import io
import json
import sys
from pathlib import Path

import pytest

from heat_lite.authoring import convert, lint
from heat_lite.template import reader
from heat_lite.template.lint.settings import Settings

CORPUS = Path(__file__).parents[2] / 'corpus' / 'cfn'
TEMPLATES = sorted(path.name for path in CORPUS.iterdir())
#: a call of Fn::GetAZs, which HOT does not have
WITHOUT_EQUIVALENT = 'autoscaling.template'
HOT = """\
heat_template_version: 2021-04-16  # the version

resources:
  a: {type: OS::Heat::RandomString, properties: {length: 8}}
"""
COMMENTED = """\
# the app
# of mine
AWSTemplateFormatVersion: '2010-09-09'  # the version

# sizes and such
Parameters:
  # how big
  Size:
    Type: String   # a text
    Default: m1.tiny
    # what may be
    AllowedValues: [m1.tiny, m1.small]  # two
Mappings:
  # regions
  M:
    a: {b: c}   # not there
Resources:
  # the server
  Web:
    Type: AWS::EC2::Instance
    DependsOn: Other  # first
    Properties:
      ImageId: cirros # "quoted"
      InstanceType: !Ref Size   # by name
      UserData: |
        #!/bin/sh
      Tags:
        # one
        - Key: a  # key
          Value: "x # y"
        # the end of the tags
  Other:
    Type: AWS::EC2::Volume
    Properties: {Size: 1,  # inside
      AvailabilityZone: nova}
  # end of resources
# end
"""
CARRIED_OVER = """\
# the app
# of mine
heat_template_version: 2021-04-16  # the version

# sizes and such
parameters:
  # how big
  # what may be
  # two
  Size:
    type: string  # a text
    default: m1.tiny
    constraints:
      - allowed_values:
          - m1.tiny
          - m1.small

resources:
  # the server
  Web:
    type: AWS::EC2::Instance
    depends_on: Other  # first
    properties:
      ImageId: cirros  # "quoted"
      InstanceType: {get_param: Size}  # by name
      UserData: "#!/bin/sh\\n"
      Tags:
        # one
        - Key: a  # key
          Value: 'x # y'
  # the end of the tags
  Other:
    type: AWS::EC2::Volume
    properties:  # inside
      Size: 1
      AvailabilityZone: nova
# end of resources
# end
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'hot.yaml').write_text(HOT)
    return tmp_path


@pytest.mark.parametrize('name', TEMPLATES)
def test_converted_template_has_no_findings(name, folder, capsys):
    expected = 1 if name == WITHOUT_EQUIVALENT else 0
    assert convert.main([str(CORPUS / name), '-o', name]) == expected
    if name == 'nested.yaml':
        convert.main([str(CORPUS / 'part.yaml'), '-o', 'part.yaml'])
    if expected:
        assert not Path(name).exists()
        return
    assert 'heat_template_version: 2021-04-16' in Path(name).read_text()
    assert [str(each) for each in lint.inspect([name], Settings())[0]] == []


def test_part_without_equivalent_is_named_with_its_place(folder, capsys):
    assert convert.main([str(CORPUS / WITHOUT_EQUIVALENT)]) == 1
    output = capsys.readouterr()
    assert output.out == ''
    assert 'autoscaling.template:8:52: error: HOT has no equivalent of Fn::GetAZs' in output.err
    assert 'one part has no equivalent, so nothing is written; --partial' in output.err


def test_partial_template_keeps_what_has_no_equivalent(folder, capsys):
    assert convert.main(['--partial', str(CORPUS / WITHOUT_EQUIVALENT)]) == 1
    data = reader.parse(capsys.readouterr().out)
    zones = data['resources']['Group']['properties']['AvailabilityZones']
    assert zones == {'Fn::GetAZs': ''}
    assert data['outputs']['Url']['value'] == {'get_attr': ['Up', 'AlarmUrl']}


def test_partial_template_in_a_file_is_named_with_what_it_lacks(folder, capsys):
    assert convert.main(['--partial', '-o', 'new.yaml', str(CORPUS / WITHOUT_EQUIVALENT)]) == 1
    assert 'wrote new.yaml; one part has no equivalent' in capsys.readouterr().err
    assert reader.parse((folder / 'new.yaml').read_text())['resources']


def test_comments_in_json_are_named_by_their_lines(folder, capsys):
    (folder / 'commented.yaml').write_text(
        '# first\nheat_template_version: 2021-04-16  # second\ndescription: a "#" here\n'
        'parameters:\n  a:\n    type: string\n    description: |\n      # no comment\n'
        '  # third\nresources: {}\n'
    )
    assert convert.main(['commented.yaml']) == 0
    note = 'commented.yaml: note: comments are not carried over, of lines 1, 2, 9: JSON has none\n'
    assert capsys.readouterr().err == note


def test_comments_of_a_cfn_template_are_carried_over(folder, capsys):
    (folder / 'old.yaml').write_text(COMMENTED)
    assert convert.main(['old.yaml']) == 0
    output = capsys.readouterr()
    assert output.out == CARRIED_OVER
    assert 'are not carried over, of lines 14, 16: their parts' in output.err
    assert convert.main(['--to', 'yaml', 'old.yaml']) == 0
    output = capsys.readouterr()
    assert output.err == '' and output.out.count('#') == COMMENTED.count('#')


def test_yaml_becomes_json_and_json_becomes_yaml(folder, capsys):
    assert convert.main(['hot.yaml', '-o', 'hot.json']) == 0
    assert 'hot.yaml: note: comments are not carried over' in capsys.readouterr().err
    data = json.loads((folder / 'hot.json').read_text())
    assert data == reader.parse(HOT)
    assert convert.main(['hot.json']) == 0
    output = capsys.readouterr()
    assert reader.parse(output.out) == data and output.err == ''


def test_cfn_template_changes_its_format_only_on_request(folder, capsys):
    assert convert.main(['--to', 'yaml', str(CORPUS / WITHOUT_EQUIVALENT)]) == 0
    original = reader.parse((CORPUS / WITHOUT_EQUIVALENT).read_text())
    assert reader.parse(capsys.readouterr().out) == original


def test_dash_reads_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, 'stdin', io.TextIOWrapper(io.BytesIO(HOT.encode())))
    assert convert.main(['-']) == 0
    assert json.loads(capsys.readouterr().out)['resources']['a']['properties'] == {'length': 8}


def test_existing_file_is_kept_without_force(folder, capsys):
    (folder / 'there.json').write_text('mine')
    assert convert.main(['hot.yaml', '-o', 'there.json']) == 1
    assert 'there.json exists already: --force overwrites it' in capsys.readouterr().err
    assert convert.main(['hot.yaml', '-o', 'there.json', '--force']) == 0
    assert json.loads((folder / 'there.json').read_text())


@pytest.mark.parametrize(
    'argv, text',
    [
        (['gone.yaml'], 'gone.yaml: The file cannot be read'),
        (['--to', 'hot', 'hot.yaml'], 'hot.yaml is no template in CFN'),
        (['broken.yaml'], 'broken.yaml'),
        (['list.yaml'], 'not a JSON object or YAML mapping'),
    ],
)
def test_wrong_file_is_reported(argv, text, folder, capsys):
    (folder / 'broken.yaml').write_text('a: [')
    (folder / 'list.yaml').write_text('- a\n')
    assert convert.main(argv) == 1
    error = capsys.readouterr().err
    assert text in error and 'Traceback' not in error and 'unexpected' not in error


def test_number_sign_in_a_text_is_no_comment(folder, capsys):
    (folder / 'text.yaml').write_text('heat_template_version: 2021-04-16\na: "#"\nb: |\n  # c\n')
    assert convert.main(['text.yaml']) == 0
    assert capsys.readouterr().err == ''
