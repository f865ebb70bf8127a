from heat_lite.template.lint import excerpt, report
from heat_lite.template.lint.finding import Finding

SOURCE = (
    'heat_template_version: 2021-04-16\nresources:\n  a:\n    type: OS::Heat::Value\n'
    '    properties: {value: {get_resource: b}}\n  b:\n    type: OS::Heat::Value\n'
    '    depends_on: [a]\n'
)
LINES = ['  app.yaml:5:40: a needs b', '  app.yaml:8:18: b needs a']


def test_cycle_names_the_place_of_each_dependency():
    text = 'Circular Dependency Found: "a" needs "b", "b" needs "a"'
    assert excerpt.cycle_lines('app.yaml', text, SOURCE) == LINES


def test_error_without_a_cycle_has_no_lines():
    assert excerpt.cycle_lines('app.yaml', 'Circular Dependency Found: ?', SOURCE) == []


def test_report_of_a_cycle_has_the_place_of_each_dependency_below():
    text = 'Circular Dependency Found: "a" needs "b", "b" needs "a"'
    found = [Finding('app.yaml', 3, 3, 'error', 'cycle', text)]
    lines = report.as_text(found, {'app.yaml': SOURCE}).splitlines()
    assert lines[1:] == ['    3 |   a:', '      |   ^', *LINES, '1 error']
