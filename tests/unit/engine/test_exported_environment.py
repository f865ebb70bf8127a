from heat_lite.engine.stack import adoption
from heat_lite.template.environment import Environment
from heat_lite.template.template import Template


def test_exported_environment_has_no_templates_of_the_operator():
    given = {'My::T': 'mine.yaml', 'My::X': 'OS::Heat::None'}
    environment = Environment({'resource_registry': given})
    environment.registry.record('Op::T', 'file:///etc/op.yaml')
    environment.registry.record('Op::X', 'OS::Heat::None')
    environment.registry.record('child.yaml', 'child.yaml')
    template = Template({'heat_template_version': '2021-04-16'}, {'child.yaml': ''}, environment)
    exported = adoption._exported_environment(template)['resource_registry']
    assert exported == {
        **given,
        'Op::X': 'OS::Heat::None',
        'child.yaml': 'child.yaml',
        'resources': {},
    }
