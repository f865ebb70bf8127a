"""The checks of measurements, and the rules that they are for."""

import pytest

from heat_lite.common import exception
from heat_lite.engine.watch import watch_data


def test_checked_measurement_has_the_stored_form():
    given = {'Namespace': 'sys/linux', 'Cpu': {'Unit': 'Percent', 'Value': '55.5'}}
    assert watch_data.checked(given) == {
        'Namespace': 'sys/linux',
        'Cpu': {'Unit': 'Percent', 'Value': 55.5, 'Dimensions': []},
    }


STATISTICS = {'SampleCount': '4', 'Sum': '100', 'Minimum': '10', 'Maximum': 60}


def test_checked_statistics_have_their_average_as_value():
    checked = watch_data.checked({'Cpu': {'StatisticValues': STATISTICS}})
    assert checked['Cpu'] == {
        'Value': 25.0,
        'StatisticValues': {'SampleCount': 4, 'Sum': 100, 'Minimum': 10, 'Maximum': 60},
        'Unit': None,
        'Dimensions': [],
    }
    assert watch_data.statistics_of(checked['Cpu']) == (4, 100, 10, 60)


def test_statistics_of_equal_values_may_be_rounded():
    equal = {'SampleCount': 3, 'Sum': 0.1 + 0.1 + 0.1, 'Minimum': 0.1, 'Maximum': 0.1}
    checked = watch_data.checked({'Cpu': {'StatisticValues': equal}})
    assert checked['Cpu']['Value'] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ('change', 'text'),
    [
        ({'Sum': 'x'}, 'the Sum in StatisticValues of Cpu must be a number up to'),
        ({'SampleCount': 0}, 'SampleCount in StatisticValues of Cpu must be at least 1, not 0'),
        ({'SampleCount': -4}, 'must be at least 1, not -4'),
        ({'Sum': 1000}, 'the average 250 must be from the Minimum 10 to the Maximum 60'),
        ({'Minimum': 70}, 'StatisticValues of Cpu contradict each other'),
        ({'Median': 1}, 'must be a map with SampleCount, Sum, Minimum, Maximum'),
    ],
)
def test_wrong_statistics_raise_invalid(change, text):
    with pytest.raises(exception.Invalid) as caught:
        watch_data.checked({'Cpu': {'StatisticValues': {**STATISTICS, **change}}})
    assert text in str(caught.value)


def test_statistics_beside_a_value_raise_invalid():
    with pytest.raises(exception.Invalid, match='without a Value beside it'):
        watch_data.checked({'Cpu': {'Value': 1, 'StatisticValues': STATISTICS}})


@pytest.mark.parametrize(
    ('given', 'text'),
    [
        ('x', 'a measurement must be a map'),
        ({}, 'the measurement has no metric'),
        ({'Namespace': 'n'}, 'the measurement has no metric'),
        ({'Namespace': 5, 'Cpu': {'Value': 1}}, 'the namespace 5 must be a text'),
        ({'Cpu': 5}, 'the metric Cpu must be a map'),
        ({'Cpu': {}}, 'the value of Cpu must be a number'),
        ({'Cpu': {'Value': 'nan'}}, 'the value of Cpu must be a number'),
        ({'Cpu': {'Value': 'inf'}}, 'the value of Cpu must be a number'),
        ({'Cpu': {'Value': 1e200}}, 'the value of Cpu must be a number'),
        ({'Cpu': {'Value': True}}, 'the value of Cpu must be a number'),
        ({'': {'Value': 1}}, "the metric '' must be a text of 1 to 255"),
        ({'a\0b': {'Value': 1}}, 'must be a text of 1 to 255 printable characters'),
        ({'C' * 256: {'Value': 1}}, 'must be a text of 1 to 255 printable characters'),
        ({'Cpu': {'Value': 1, 'Dimensions': 'x'}}, 'the dimensions of Cpu must be a list of maps'),
        ({'Cpu': {'Value': 1, 'Dimensions': ['x']}}, 'the dimensions of Cpu must be a list'),
        ({'Cpu': {'Value': 1, 'Dimensions': [{'a': {}}]}}, 'the dimension {} must be a text'),
        (
            {'Cpu': {'Value': 1, 'Dimensions': [{str(n): 'x'} for n in range(11)]}},
            'Cpu has more than 10 dimensions',
        ),
    ],
)
def test_wrong_measurement_raises_invalid(given, text):
    with pytest.raises(exception.Invalid) as caught:
        watch_data.checked(given)
    assert text in str(caught.value)


RULE = {
    'MetricName': 'Cpu',
    'Namespace': 'sys',
    'Dimensions': [{'Name': 'group', 'Value': 'web'}, {'Name': 'zone', 'Value': 5}],
}


@pytest.mark.parametrize(
    ('change', 'dimensions', 'accepted'),
    [
        ({}, [{'group': 'web', 'zone': '5', 'host': 'a'}], True),
        ({}, [{'group': 'web'}, {'zone': '5'}], True),
        ({}, [{'Name': 'group', 'Value': 'web'}, {'Name': 'zone', 'Value': '5'}], True),
        ({}, [{'group': 'web'}], False),
        ({}, [{'group': 'db', 'zone': '5'}], False),
        ({'Namespace': 'other'}, [{'group': 'web', 'zone': '5'}], False),
        ({'Namespace': None, 'Dimensions': None}, [], True),
        ({'MetricName': 'Mem'}, [{'group': 'web', 'zone': '5'}], False),
    ],
)
def test_rule_accepts_measurement_with_its_metric_namespace_and_dimensions(
    change, dimensions, accepted
):
    data = {'Namespace': 'sys', 'Cpu': {'Value': 1.0, 'Dimensions': dimensions}}
    assert watch_data.accepts({**RULE, **change}, data) is accepted
