import pytest

from heat_lite.cmd.cli import stack


def test_a_parameter_may_hold_equal_signs():
    args = stack.parser().parse_args(['create', '-t', 'x.yaml', '-P', 'a=b=c', '-P', 'd=', 'name'])
    assert dict(args.parameter) == {'a': 'b=c', 'd': ''}


@pytest.mark.parametrize('text', ['a', '=b'])
def test_a_parameter_has_a_name_and_a_value(text, capsys):
    with pytest.raises(SystemExit):
        stack.parser().parse_args(['create', '-t', 'x.yaml', '-P', text, 'name'])
    assert 'is not NAME=VALUE' in capsys.readouterr().err


def test_a_template_that_is_not_there(capsys):
    assert stack.main(['--endpoint', 'http://127.0.0.1:1/v1/p', 'create', '-t', 'no such file.yaml', 'name']) == 1
    assert 'no such file.yaml' in capsys.readouterr().err
