"""Completion, description and definition at places of real and of unfinished templates."""

from pathlib import Path

import pytest

from heat_lite.template.editing import completion, cursor, lookup
from heat_lite.template.lint.linter import Linter
from tests.unit.template.lint.documents import TYPES, Files

CORPUS = Path(__file__).parents[3] / 'corpus'
TEMPLATES = sorted(
    str(path.relative_to(CORPUS))
    for path in CORPUS.rglob('*')
    if path.suffix in ('.yaml', '.template')
)
#: a place in this many characters is tried
STRIDE = 37


def template(name, text):
    contents = {other: (CORPUS / other).read_text() for other in TEMPLATES}
    return Linter(TYPES, Files({**contents, name: text}), base=TYPES.base).template(name)


def positions(text):
    """Yield (offset, line, column) of places spread over a text."""
    for offset in range(0, len(text), STRIDE):
        line = text.count('\n', 0, offset) + 1
        yield offset, line, offset - (text.rfind('\n', 0, offset) + 1) + 1


@pytest.mark.parametrize('name', TEMPLATES)
def test_editing_answers_at_each_place(name):
    """Each place has an answer, also in a text that ends there; no answer has the mark."""
    text = (CORPUS / name).read_text()
    document = template(name, text)
    for offset, line, column in positions(text):
        place = cursor.place_at(text, line, column)
        if document is not None and place is not None:
            lookup.describe(document, place)
            lookup.definition(document, place)
        for unfinished in (text, text[:offset]):
            draft = cursor.draft(unfinished, line, column)
            drafted = None if draft is None else template(name, draft.text)
            found = [] if drafted is None else completion.completions(drafted, draft.place)
            assert cursor.MARK not in ''.join(item.text for item in found)


def complete(text):
    """Return the texts of the completions at the bar in a text."""
    offset = text.index('|')
    text = text.replace('|', '', 1)
    line = text.count('\n', 0, offset) + 1
    draft = cursor.draft(text, line, offset - text.rfind('\n', 0, offset))
    assert draft is not None
    return {item.text for item in completion.completions(template('x', draft.text), draft.place)}


CFN = "AWSTemplateFormatVersion: '2010-09-09'\nParameters: {Size: {Type: Number}}\nResources:\n"
DISK = CFN + '  Disk:\n    Type: AWS::EC2::Volume\n'
HOT = 'heat_template_version: 2021-04-16\n'
OFF = 'conditions: {c: true}\n'
RESOURCE = 'resources:\n  r: {type: OS::Heat::None, '


@pytest.mark.parametrize(
    'text, expected, absent',
    [
        (CFN + '  Disk: {Type: AWS::EC2::Vol|}\n', 'AWS::EC2::Volume', 'Size'),
        (DISK + '    Properties:\n      Av|\n', 'AvailabilityZone', 'Ref'),
        (DISK + '    Properties: {Size: {Ref: |}}\n', 'Size', 'Type'),
        (DISK + '    Dep|\n', 'DependsOn', 'depends_on'),
        (HOT + 'parameters:\n  p:\n    ty|\n', 'type', 'properties'),
        (HOT + 'parameters:\n  p: {type: |}\n', 'json', 'type'),
        (HOT + OFF + RESOURCE + 'condition: |}\n', 'c', 'r'),
        (HOT + RESOURCE + 'deletion_policy: |}\n', 'Retain', 'r'),
        (HOT + 'outputs:\n  o:\n    value: {get_|}\n', 'get_attr', 'value'),
    ],
)  # fmt: skip
def test_completion_offers_what_fits(text, expected, absent):
    found = complete(text)
    assert expected in found
    assert absent not in found


SERVER = HOT + (
    'parameters:\n  size: {type: string}\nresources:\n  net: {type: OS::Neutron::Net}\n'
    '  s:\n    type: OS::Nova::Server\n    properties:\n'
)


@pytest.mark.parametrize(
    'line',
    [
        'name: "a',
        "name: 'a",
        'networks: [{network: a}',
        'name: {get_param: size',
        'name: @a',
        'name: a: b',
        'name: *nowhere',
        'name',
        '\tname: a',
        'networks:\n      - network: a: b',
        'networks:\n        - network: "a\n          port: b',
        'networks: [\n        {network: a},\n      ]\n      name: [',
    ],
)
def test_completion_leaves_out_broken_lines_above_and_below(line):
    end = f'  broken:\n    type: "x\n    properties:\n      {line}\noutputs:\n  o: {{value: [}}\n'
    found = complete(SERVER + f'      {line}\n      fl|\n' + end)
    assert 'flavor' in found
    assert 'type' not in found
    found = complete(SERVER + f'      {line}\n      flavor: {{get_resource: |\n' + end)
    assert {'net', 's', 'broken'} <= found


@pytest.mark.parametrize(
    'text, expected',
    [
        (SERVER + '      name:\n        get_param: "si|\n', {'size'}),
        (HOT + 'resources:\n  r: {type: "OS::Neutron::N|\n', {'OS::Neutron::Net'}),
        (HOT + 'resources:\n  r:\n\ttype: OS::Neutron::N|\n', {'OS::Neutron::Net'}),
        (SERVER + '      networks:\n      - {network: a\n      - net|\n', {'network'}),
        (SERVER + '      networks: [{network: a},\n        {po|\n', {'port'}),
        ('heat_template_version: |', {'2021-04-16', 'wallaby'}),
    ],
)
def test_completion_at_broken_line_offers_what_fits(text, expected):
    assert expected <= complete(text)
    assert 'Fn::Join' not in complete(text)


def test_cursor_of_text_without_end_of_quotes_stays_fast():
    lines = ''.join(f'  r{number}:\n    type: "x\n    properties: [\n' for number in range(500))
    text = f'{HOT}resources:\n{lines}  last:\n    ty'
    draft = cursor.draft(text, text.count('\n') + 1, 7)
    assert draft.place.path[:2] == ('resources', 'last')
    assert 'r499' in draft.text
