"""The rules for Prometheus and the dashboard for Grafana: valid, and of metrics that exist."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from heat_lite.common import metrics
from tests import servers

DEPLOY = Path(__file__).resolve().parents[2] / 'deploy'
RULES = DEPLOY / 'prometheus' / 'rules.yaml'
DASHBOARD = json.loads((DEPLOY / 'grafana' / 'heat_lite.json').read_text())
#: suffixes of the series of a metric of each kind
SUFFIXES = {
    'Counter': ('_total',),
    'Gauge': ('',),
    'Histogram': ('_count', '_sum', '_bucket'),
}
SERIES = {
    f'{metric.name}{suffix}': metric
    for metric in metrics.METRICS
    for suffix in SUFFIXES[metric.kind]
}
LABELS = re.compile(r'(heat_lite_\w+)\{([^}]*)\}')


def rules():
    groups = yaml.safe_load(RULES.read_text())['groups']
    return [rule for group in groups for rule in group['rules']]


def expressions():
    targets = [target['expr'] for panel in DASHBOARD['panels'] for target in panel['targets']]
    return [*targets, *(rule['expr'] for rule in rules())]


def promtool(*arguments):
    command = [servers.find('promtool'), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=RULES.parent)
    assert done.returncode == 0, done.stdout + done.stderr


def test_rules_are_valid():
    promtool('check', 'rules', '--lint=all', '--lint-fatal', RULES.name)


def test_alerts_fire_when_they_should_and_not_otherwise():
    promtool('test', 'rules', 'rules_test.yaml')


def test_expressions_of_the_dashboard_are_valid(tmp_path):
    records = [
        {'record': f'test:expression:{number}', 'expr': expression}
        for number, expression in enumerate(expressions())
    ]
    file = tmp_path / 'rules.yaml'
    file.write_text(yaml.safe_dump({'groups': [{'name': 'dashboard', 'rules': records}]}))
    promtool('check', 'rules', str(file))


@pytest.mark.parametrize('expression', expressions())
def test_expression_names_metrics_and_labels_that_exist(expression):
    named = set(re.findall(r'\bheat_lite_\w+', expression))
    assert named <= SERIES.keys(), named - SERIES.keys()
    for name, matchers in LABELS.findall(expression):
        labels = set(re.findall(r'(\w+)\s*=~?"', matchers))
        # job is a label of the scrape configuration
        assert labels <= {*SERIES[name].labels, 'job'}, expression
    records = set(re.findall(r'heat_lite:[\w:]+', expression))
    assert records <= {rule['record'] for rule in rules() if 'record' in rule}


def test_each_metric_is_shown_or_raises_an_alert():
    named = {name for each in expressions() for name in re.findall(r'\bheat_lite_\w+', each)}
    shown = {SERIES[name].name for name in named}
    #: beside these, which are looked up
    assert {each.name for each in metrics.METRICS} - shown == {
        'heat_lite_build_info',
        'heat_lite_resource_action_seconds',
    }


def test_each_alert_says_what_to_do():
    for rule in rules():
        if 'alert' in rule:
            assert rule['annotations'].keys() == {'summary', 'action'}
            assert rule['labels']['severity'] in ('critical', 'warning')
