"""The global environment: files of ``environment_dir`` and ``template_dir``."""

import pytest
from oslo_config import cfg

from heat_lite import conf as options, resources
from heat_lite.common import exception
from heat_lite.startup import global_environment
from heat_lite.template.environment import Environment


def resolve(name, environment_dir, template_dir='/nowhere', registry=None):
    known = resources.build_registry(*global_environment.load(environment_dir, template_dir))
    environment = Environment({'resource_registry': registry or {}})
    return (
        known.template_of(environment, name, 'r')
        or known.class_for(environment, name, 'r').__name__
    )


def test_load_reads_files_in_order_and_skips_broken_ones(tmp_path, caplog):
    (tmp_path / 'a.yaml').write_text(
        'resource_registry: {"My::*": "OS::Heat::*", My::Value: OS::Heat::None}'
    )
    (tmp_path / 'b.yaml').write_text('resource_registry: {Our::Text: OS::Heat::RandomString}')
    (tmp_path / 'c.yaml').write_text('- no environment')
    assert resolve('Our::Text', tmp_path) == 'RandomString'
    assert resolve('My::Delay', tmp_path) == 'Delay'
    assert 'c.yaml is left out' in caplog.text


def test_load_reads_each_file_but_hidden_ones_and_folders(tmp_path):
    files = {'a.yaml': 'One', 'b.yml': 'Two', 'c': 'Three', 'd.json': 'Four', '.e.yaml': 'Five'}
    for name, kind in files.items():
        text = f'{{"resource_registry": {{"My::{kind}": "OS::Heat::Delay"}}}}'
        (tmp_path / name).write_text(text)
    (tmp_path / 'folder.yaml').mkdir()
    for kind in ('One', 'Two', 'Three', 'Four'):
        assert resolve(f'My::{kind}', tmp_path) == 'Delay'
    with pytest.raises(exception.EntityNotFound):
        resolve('My::Five', tmp_path)


def test_type_that_the_operator_maps_is_in_the_environment_of_the_stack(tmp_path):
    (tmp_path / 'a.yaml').write_text(
        'resource_registry: {"My::*": "OS::Heat::*", A::B: My::Value, Thing: thing.yaml}'
    )
    (tmp_path / 'thing.yaml').write_text('heat_template_version: 2021-04-16')
    known = resources.build_registry(*global_environment.load(tmp_path, tmp_path))
    environment = Environment({'resource_registry': {'Our::X': 'A::B'}})
    for name in ('Our::X', 'My::None', 'Thing', 'OS::Heat::None'):
        known.class_for(environment, name, 'r')
    shown = {'Our::X': 'A::B', 'A::B': 'My::Value', 'My::None': 'OS::Heat::*', 'resources': {}}
    shown['Thing'] = 'thing.yaml'
    assert environment.as_dict()['resource_registry'] == shown


def test_types_of_the_user_that_lead_nowhere_are_passed_over(tmp_path):
    (tmp_path / 'a.yaml').write_text(
        'resource_registry: {A::B: OS::Heat::Value, OS::Heat::Delay: "", A::Bad: X::Unknown}'
    )
    known = resources.build_registry(*global_environment.load(tmp_path, tmp_path))
    environment = Environment({'resource_registry': {'A::*': 'X::*', 'OS::Heat::None': 'A::Bad'}})
    for name, target in (('A::B', 'Value'), ('OS::Heat::None', 'None')):
        assert known.class_for(environment, name, 'r') is known.get(f'OS::Heat::{target}')
    for name in ('A::Bad', 'OS::Heat::Delay'):
        with pytest.raises(exception.EntityNotFound):
            known.class_for(environment, name, 'r')


def test_types_are_shown_as_the_environment_maps_them(tmp_path):
    (tmp_path / 'a.yaml').write_text(
        'resource_registry: {"My::*": "OS::Heat::*", Our::Text: OS::Heat::RandomString,\n'
        ' OS::Heat::Value: thing.yaml, Thing: thing.yaml, OS::Heat::Delay: ""}'
    )
    (tmp_path / 'thing.yaml').write_text(
        'heat_template_version: 2021-04-16\nparameters: {word: {type: string}}'
    )
    known = resources.build_registry(*global_environment.load(tmp_path, tmp_path))
    for name, target in (('My::None', 'None'), ('Our::Text', 'RandomString')):
        found, cls = known.shown(name)
        assert (found, cls) == (f'OS::Heat::{target}', known.get(f'OS::Heat::{target}'))
    for name in ('OS::Heat::Value', 'Thing'):
        assert list(known.shown(name)[1].properties_schema) == ['word']
    for name in ('OS::Heat::Delay', 'My::Delay', 'My::Nothing'):
        with pytest.raises(exception.EntityNotFound):
            known.shown(name)
    assert 'OS::Heat::Delay' not in known.names() and 'Thing' in known.names()


def test_mappings_of_the_operator_do_not_grow_with_the_names_of_requests(tmp_path):
    (tmp_path / 'a.yaml').write_text('resource_registry: {"My::*": "OS::Heat::*"}')
    mappings, _ = global_environment.load(tmp_path, tmp_path)
    before = mappings.as_dict()
    for number in range(3):
        mappings.resolve(f'My::Thing{number}', None, lambda name: True)
    assert mappings.as_dict() == before


def test_environment_of_the_stack_wins(tmp_path):
    (tmp_path / 'a.yaml').write_text(
        'resource_registry: {My::Thing: OS::Heat::None, My::Other: OS::Heat::Delay}'
    )
    assert resolve('My::Thing', tmp_path, registry={'My::Thing': 'My::Other'}) == 'Delay'


def test_type_mapped_to_a_template_loads_its_text(tmp_path):
    (tmp_path / 'a.yaml').write_text('resource_registry: {My::Thing: thing.yaml}')
    (tmp_path / 'thing.yaml').write_text('heat_template_version: 2021-04-16')
    mappings, texts = global_environment.load(tmp_path, tmp_path)
    assert texts == {'thing.yaml': 'heat_template_version: 2021-04-16'}
    assert resolve('My::Thing', tmp_path, tmp_path) == 'thing.yaml'


def test_missing_directory_falls_back_to_the_package():
    mappings, _ = global_environment.load('/nowhere', '/nowhere')
    assert (
        mappings.resolve('OS::Quantum::Net', None, lambda name: True).target == 'OS::Neutron::Net'
    )


def test_backend_of_keystone_other_than_that_of_heat_is_refused():
    conf = options.register(cfg.ConfigOpts())
    conf([], project='heat_lite', default_config_files=[], default_config_dirs=[])
    conf.set_override('keystone_backend', 'my.Client')
    with pytest.raises(exception.ConfigurationError, match='keystone_backend = my.Client'):
        global_environment.build_registry(conf)
