"""The application of the CloudWatch API: its table of actions."""

from oslo_config import cfg

from heat_lite.api import paste_config
from heat_lite.api.aws import faults, query
from heat_lite.api.aws.query_application import QueryAction, QueryApplication
from heat_lite.api.cloudwatch import alarms, measurements
from heat_lite.common.admission import RequestAdmission
from heat_lite.common.context import RequestContext
from heat_lite.common.value_types import Values
from heat_lite.policies.enforcer import Enforcer
from heat_lite.rpc.client import EngineClient

VERSION = '2010-08-01'
#: actions that Heat refuses, whatever their parameters
REFUSED = (
    'DeleteAlarms',
    'DescribeAlarmHistory',
    'DescribeAlarmsForMetric',
    'DisableAlarmActions',
    'EnableAlarmActions',
    'GetMetricStatistics',
    'PutMetricAlarm',
)


def actions(client: EngineClient) -> dict[str, QueryAction]:
    """Return the table of actions."""
    of_alarms, of_data = alarms.Alarms(client), measurements.Measurements(client)
    return {
        'DescribeAlarms': QueryAction(
            of_alarms.describe,
            'cloudwatch:DescribeAlarms',
            (
                'AlarmName',
                'AlarmNames',
                'AlarmNamePrefix',
                'StateValue',
                'MaxRecords',
                'NextToken',
            ),
        ),
        'ListMetrics': QueryAction(
            of_data.list_metrics, 'cloudwatch:ListMetrics', ('MetricName', 'Namespace', 'NextToken')
        ),
        'PutMetricData': QueryAction(
            of_data.put, 'cloudwatch:PutMetricData', ('Namespace', 'MetricData'), ('Namespace',)
        ),
        'SetAlarmState': QueryAction(
            of_alarms.set_state,
            'cloudwatch:SetAlarmState',
            ('AlarmName', 'StateValue', 'StateReason'),
            ('AlarmName', 'StateValue'),
        ),
        **{name: QueryAction(_refuse, f'cloudwatch:{name}', refused=()) for name in REFUSED},
    }


def _refuse(context: RequestContext, arguments: query.Arguments) -> Values:
    """Refuse an action that Heat refuses: an alarm is defined by a template only."""
    raise faults.fault('APINotImplemented')


def build(conf: cfg.ConfigOpts) -> QueryApplication:
    """Return the application with the options of the configuration."""
    return QueryApplication(
        actions(EngineClient()), VERSION, Enforcer(conf), RequestAdmission.of_options(conf)
    )


app_factory = paste_config.make_factory(build)
