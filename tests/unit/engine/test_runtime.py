"""The options that the engine reads by name."""

import ast
from pathlib import Path

import pytest
from oslo_config import cfg

from heat_lite import conf
from heat_lite.engine.runtime import EngineLimits
from heat_lite.engine.validation import offline_validation

PACKAGE = Path(__file__).resolve().parents[3] / 'heat_lite'


def name_of(node):
    return getattr(node, 'attr', getattr(node, 'id', None))


def used_names():
    """Yield the file, line and name of each ``limits.NAME`` in the engine and resource types."""
    for room in ('engine', 'resources'):
        for path in sorted((PACKAGE / room).rglob('*.py')):
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, ast.Attribute) or name_of(node.value) != 'limits':
                    continue
                if name_of(getattr(node.value, 'value', None)) != 'budget':
                    yield f'{path.relative_to(PACKAGE)}:{node.lineno}', node.attr


def test_each_limit_that_is_used_is_an_option():
    limits, used = EngineLimits(), [*used_names()]
    assert len(used) > 30
    assert [f'{place} {name}' for place, name in used if not hasattr(limits, name)] == []


def test_no_option_name_is_in_two_groups():
    groups = conf.groups()
    names = [option.dest for group in EngineLimits.GROUPS for option in groups[group]]
    assert len(names) == len(set(names))


def test_limits_are_the_values_of_the_configuration(tmp_path):
    file = tmp_path / 'heat.conf'
    file.write_text(
        '[DEFAULT]\nmax_stacks_per_tenant = 7\nhidden_stack_tags = a,b\n'
        '[heat_lite]\ntrust_after = 1.5\n[volumes]\nbackups_enabled = false\n'
    )
    options = conf.register(cfg.ConfigOpts())
    options([], default_config_files=[str(file)])
    limits = EngineLimits(options, max_tags_per_stack=3)
    assert (limits.max_stacks_per_tenant, limits.hidden_stack_tags) == (7, ['a', 'b'])
    assert (limits.trust_after, limits.backups_enabled) == (1.5, False)
    assert (limits.max_tags_per_stack, limits.max_nested_stack_depth) == (3, 5)


def test_invalid_value_is_refused_when_the_limits_are_read(tmp_path):
    file = tmp_path / 'heat.conf'
    file.write_text('[DEFAULT]\nmax_stacks_per_tenant = many\n')
    options = conf.register(cfg.ConfigOpts())
    options([], default_config_files=[str(file)])
    with pytest.raises(cfg.ConfigFileValueError, match='max_stacks_per_tenant'):
        EngineLimits(options)


def test_limits_of_the_linter_are_the_defaults():
    defaults = EngineLimits()
    for name, value in vars(offline_validation.LIMITS).items():
        assert value == getattr(defaults, name)
