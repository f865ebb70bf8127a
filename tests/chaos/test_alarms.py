"""Alarms of a split service: the engines share them, and those of a killed engine are evaluated."""

import datetime

import pytest

from heat_lite.db import models, session, watch_rules
from heat_lite.db.column_types import utcnow
from tests import databases
from tests.chaos import clusters

OPTIONS = '[heat_lite]\nalarm_interval = 0.5'
#: alarms, so many that each engine has some
STACKS = 4
#: seconds; longer than the test may take from a measurement to its effect
PERIOD = 300


def policy(change):
    properties = {
        'adjustment_type': 'change_in_capacity',
        'scaling_adjustment': change,
        'auto_scaling_group_id': {'get_resource': 'group'},
    }
    return {'type': 'OS::Heat::ScalingPolicy', 'properties': properties}


TEMPLATE = {
    'heat_template_version': '2021-04-16',
    'resources': {
        'group': {
            'type': 'OS::Heat::AutoScalingGroup',
            'properties': {
                'min_size': 1,
                'max_size': 2,
                'desired_capacity': 1,
                'resource': {'type': 'OS::Heat::TestResource'},
            },
        },
        'out': policy(1),
        'in': policy(-1),
        'alarm': {
            'type': 'OS::Heat::CWLiteAlarm',
            'properties': {
                'MetricName': 'Cpu',
                'Statistic': 'Maximum',
                'ComparisonOperator': 'GreaterThanThreshold',
                'Threshold': 50,
                'Period': PERIOD,
                'EvaluationPeriods': 1,
                'AlarmActions': [{'get_resource': 'out'}],
                'OKActions': [{'get_resource': 'in'}],
            },
        },
    },
    'outputs': {'size': {'value': {'get_attr': ['group', 'current_size']}}},
}


def measure(value):
    """Replace the measurements of all rules, and let their periods end now."""
    now = utcnow()
    before = now - datetime.timedelta(seconds=1)
    with session.engine().begin() as connection:
        connection.execute(models.watch_data.delete())
        ids = connection.execute(models.watch_rule.select()).scalars().all()
    data = {'Cpu': {'Value': value, 'Dimensions': []}}
    watch_rules.add_data(
        [{'watch_rule_id': each, 'data': data, 'created_at': before} for each in ids]
    )
    with session.engine().begin() as connection:
        connection.execute(models.watch_rule.update().values(due_at=now))
    assert len(ids) == STACKS


def sizes(cluster, names):
    found = []
    for name in names:
        outputs = cluster.request('GET', cluster.path(name)).json()['stack']['outputs']
        found.append(outputs[0]['output_value'])
    return found


@pytest.mark.parametrize(
    'backend, count, walk',
    [
        ('mysql', 2, ''),
        ('postgresql', 2, ''),
        ('mysql', 3, 'convergence_engine = true\n'),
        ('postgresql', 3, 'convergence_engine = true\n'),
    ],
    ids=['mysql', 'postgresql', 'mysql-convergence', 'postgresql-convergence'],
)
def test_alarms_of_a_killed_engine_scale_their_groups(tmp_path, backend, count, walk):
    with clusters.running_on_shared_servers(
        backend, tmp_path, engines=count, options=walk + OPTIONS
    ) as cluster:
        names = [f'scaled{number}' for number in range(STACKS)]
        for name in names:
            cluster.create(name, TEMPLATE)
        cluster.wait(names)
        with databases.configured(cluster.database):
            measure(99)
            clusters.wait_for(lambda: sizes(cluster, names) == [2] * STACKS)
            cluster.kill(cluster.engines[0])
            measure(1)
            clusters.wait_for(lambda: sizes(cluster, names) == [1] * STACKS)
