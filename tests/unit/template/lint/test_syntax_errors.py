import pytest

from heat_lite.template import reader
from heat_lite.template.lint import syntax_errors


@pytest.mark.parametrize(
    'text, position, advice',
    [
        ('a:\n\tb: 1\n', (2, 1), 'replace the tab'),
        ('a:\n  b: 1\n c: 2\n', (3, 2), 'the indentation fits to no line above'),
        ('a: b: c\n', (1, 5), 'quote a value that has a colon'),
        ('a: "b\n', (1, 4), 'a quote that is not closed'),
        ('a: [1, 2\n', (1, 4), 'a bracket that is not closed'),
        ('a: {b: 1\n', (1, 4), 'a brace that is not closed'),
        ('a: {b: 1 c: 2}\n', (1, 11), 'a missing comma'),
        ('a: %b\n', (1, 4), 'quote the value'),
        ('a: @b\n', (1, 4), 'quote the value'),
        ('a: "\\d"\n', (1, 6), 'write a backslash twice'),
    ],
)
def test_syntax_error_has_its_position_and_advice(text, position, advice):
    with pytest.raises(reader.FormatError) as caught:
        reader.parse(text, name='app.yaml')
    assert syntax_errors.position_of(str(caught.value)) == position
    summary = syntax_errors.summary(caught.value)
    assert advice in summary and 'line ' not in summary.replace('no line above', '')
    assert not summary.startswith('Error parsing')
