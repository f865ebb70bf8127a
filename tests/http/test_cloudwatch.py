"""The CloudWatch API: its actions, and who may use them."""

import configparser
import datetime
import gzip
import io
import json
import time
import urllib.parse
from xml.etree import ElementTree

import botocore.exceptions
import botocore.session
import cbor2
import pytest
import webob

from heat_lite.api.aws import faults, query
from heat_lite.api.cloudwatch import cloudwatch_application
from heat_lite.common import ec2, exception, installation
from tests import identity
from tests.http import scripted
from tests.http.test_access_cfn import SERVICE, SIGNERS, Keystone

#: SIGNERS of test_access_cfn in their order: + is let in, - is refused with 403
TABLE = """
++-++- DescribeAlarms
++-++- DescribeAlarmsForMetric
++-++- DescribeAlarmHistory
-+-++- DeleteAlarms
-+-++- DisableAlarmActions
-+-++- EnableAlarmActions
++-++- GetMetricStatistics
++-++- ListMetrics
-+-++- PutMetricAlarm
-++++- PutMetricData
-+-++- SetAlarmState
"""
ROWS = [line.split(' ') for line in TABLE.strip().splitlines()]
WATCH = {
    'watch_id': 7,
    'actions_enabled': True,
    'actions': ['http://h/<signal>&'],
    'topic': None,
    'updated_time': '2026-01-31T12:00:00Z',
    'description': 'd',
    'name': 'web-alarm-abc',
    'comparison': 'GreaterThanThreshold',
    'dimensions': [{'Name': 'zone', 'Value': 'a'}],
    'periods': '2',
    'insufficient_actions': [],
    'metric_name': 'Cpu',
    'namespace': 'sys',
    'ok_actions': [],
    'period': '60',
    'state_reason': '',
    'state_reason_data': None,
    'state_updated_time': None,
    'state_value': 'NODATA',
    'statistic': 'Average',
    'threshold': '50',
    'unit': None,
    'stack_id': 'stack',
}
DATUM = {
    'watch_data_id': 3,
    'watch_name': 'web-alarm-abc',
    'metric_name': 'Cpu',
    'timestamp': '2026-01-31T12:00:00Z',
    'namespace': 'sys',
    'data': {'Value': 5.0, 'Unit': 'Percent', 'Dimensions': [{'zone': 'a'}]},
}
SCRIPT = {
    'show_watch': {'returns': [WATCH]},
    'show_watch_metric': {'returns': [DATUM]},
    'create_watch_data': {'returns': {}},
    'set_watch_state': {'returns': WATCH},
}
METRIC = {
    'Namespace': 'sys/linux',
    'MetricData.member.1.MetricName': 'Cpu',
    'MetricData.member.1.Value': '55',
    'MetricData.member.1.Unit': 'Percent',
    'MetricData.member.1.Dimensions.member.1.Name': 'AlarmName',
    'MetricData.member.1.Dimensions.member.1.Value': 'web-alarm-abc',
    'MetricData.member.1.Dimensions.member.2.Name': 'zone',
    'MetricData.member.1.Dimensions.member.2.Value': 'a',
}


STATISTICS = {
    'MetricData.member.1.StatisticValues.SampleCount': '4',
    'MetricData.member.1.StatisticValues.Sum': '100',
    'MetricData.member.1.StatisticValues.Minimum': '10',
    'MetricData.member.1.StatisticValues.Maximum': '60',
}


@pytest.fixture(scope='module')
def service():
    with (
        identity.serve(Keystone(SERVICE, {})) as url,
        scripted.service(name='heat-api-cloudwatch', keystone=url) as both,
    ):
        yield both


@pytest.fixture
def ask(service):
    """Return a function that sends an action; it returns status, body and the engine's calls."""
    app, engine = service

    def send(action, signer='member', script=None, **params):
        engine.script, engine.calls = {**SCRIPT, **(script or {})}, []
        params = {'Action': action, 'Version': '2010-08-01', **params}
        params = {
            **params,
            'AWSAccessKeyId': signer,
            'SignatureVersion': '2',
            'SignatureMethod': 'HmacSHA256',
            'Timestamp': time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()),
        }
        params['Signature'] = ec2.sign(signer, 'POST', 'heat:8003', '/v1', params)
        request = webob.Request.blank(
            'http://heat:8003/v1', method='POST', body=urllib.parse.urlencode(params).encode()
        )
        request.content_type = 'application/x-www-form-urlencoded'
        response = request.get_response(app)
        return response.status_int, response.text, [(name, args) for name, _, args in engine.calls]

    return send


def code_of(text):
    return ElementTree.fromstring(text).findtext('Error/Code')


def test_table_has_a_row_for_each_action():
    assert {name for _, name in ROWS} == cloudwatch_application.actions(None).keys()
    paste = configparser.RawConfigParser()
    paste.read(installation.data_path('etc', 'api-paste.ini'))
    last = paste['pipeline:heat-api-cloudwatch']['pipeline'].split()[-1]
    assert paste[f'app:{last}']['paste.app_factory'] == (
        f'{cloudwatch_application.__name__}:app_factory'
    )


@pytest.mark.parametrize(('marks', 'action'), ROWS)
def test_action_lets_in_whom_the_table_states(ask, marks, action):
    """A request reaches the engine with the project of its signer only."""
    for (name, _), mark in zip(SIGNERS.items(), marks, strict=True):
        status, text, _ = ask(action, name)
        assert (status == 403) == (mark == '-'), (name, text)


def test_describe_alarms_answers_as_amazon(ask):
    status, text, calls = ask('DescribeAlarms')
    assert (status, calls[0][0]) == (200, 'show_watch')
    root = ElementTree.fromstring(text)
    assert root.tag == 'DescribeAlarmsResponse'
    (alarm,) = root.findall('DescribeAlarmsResult/MetricAlarms/member')
    assert alarm.findtext('StateValue') == 'INSUFFICIENT_DATA'
    assert alarm.findtext('AlarmActions/member') == 'http://h/<signal>&'
    dimensions = [(each[0].text, each[1].text) for each in alarm.findall('Dimensions/member')]
    assert dimensions == [('zone', 'a'), ('StackId', 'stack')]
    assert root.find('DescribeAlarmsResult/NextToken') is None


def test_describe_alarms_passes_filters_and_pages(ask):
    many = {'show_watch': {'returns': [{**WATCH, 'watch_id': n} for n in (4, 5, 6)]}}
    given = {'AlarmNames.member.1': 'a', 'StateValue': 'OK', 'MaxRecords': '2', 'NextToken': '3'}
    status, text, calls = ask('DescribeAlarms', script=many, ContentType='JSON', **given)
    result = json.loads(text)['DescribeAlarmsResponse']['DescribeAlarmsResult']
    assert (status, len(result['MetricAlarms']), result['NextToken']) == (200, 2, '5')
    filters = {'names': ['a'], 'prefix': None, 'state': 'NORMAL'}
    assert calls == [
        ('show_watch', {'watch_name': None, 'filters': filters, 'limit': 3, 'after': 3})
    ]


def test_put_metric_data_sends_measurements_by_alarm(ask):
    second = {key.replace('member.1.', 'member.2.', 1): value for key, value in METRIC.items()}
    third = {
        'MetricData.member.3.MetricName': 'Mem',
        'MetricData.member.3.Value': '1',
        'MetricData.member.3.Timestamp': '2026-01-31T12:00:00Z',
    }
    status, text, calls = ask('PutMetricData', 'stack user', **{**METRIC, **second, **third})
    assert status == 200, text
    cpu = {
        'Namespace': 'sys/linux',
        'Cpu': {'Value': '55', 'Unit': 'Percent', 'Dimensions': [{'zone': 'a'}]},
    }
    mem = {'Value': '1', 'Timestamp': '2026-01-31T12:00:00Z', 'Dimensions': []}
    assert calls == [
        ('create_watch_data', {'watch_name': 'web-alarm-abc', 'stats_data': [cpu, cpu]}),
        (
            'create_watch_data',
            {'watch_name': None, 'stats_data': {'Namespace': 'sys/linux', 'Mem': mem}},
        ),
    ]


def test_put_metric_data_sends_statistics(ask):
    given = {**METRIC}
    del given['MetricData.member.1.Value'], given['MetricData.member.1.Dimensions.member.1.Name']
    del given['MetricData.member.1.Dimensions.member.1.Value']
    status, text, calls = ask('PutMetricData', 'stack user', **{**given, **STATISTICS})
    assert status == 200, text
    ((_, arguments),) = calls
    assert arguments['stats_data'] == {
        'Namespace': 'sys/linux',
        'Cpu': {
            'StatisticValues': {'SampleCount': '4', 'Sum': '100', 'Minimum': '10', 'Maximum': '60'},
            'Unit': 'Percent',
            'Dimensions': [{'zone': 'a'}],
        },
    }


def test_list_metrics_has_the_statistics_as_dimensions(ask):
    pushed = {'SampleCount': 4.0, 'Sum': 100.0, 'Minimum': 10.0, 'Maximum': 60.0}
    data = {'Value': 25.0, 'StatisticValues': pushed, 'Unit': None, 'Dimensions': []}
    script = {'show_watch_metric': {'returns': [{**DATUM, 'data': data}]}}
    _, text, _ = ask('ListMetrics', script=script)
    (metric,) = ElementTree.fromstring(text).findall('ListMetricsResult/Metrics/member')
    dimensions = {each.findtext('Name'): each.findtext('Value') for each in metric.iter('member')}
    assert (dimensions['Value'], dimensions['SampleCount']) == ('25.0', '4.0')
    assert (dimensions['Sum'], dimensions['Maximum']) == ('100.0', '60.0')


def test_list_metrics_has_a_metric_for_each_measurement(ask):
    status, text, calls = ask('ListMetrics', MetricName='Cpu')
    root = ElementTree.fromstring(text)
    (metric,) = root.findall('ListMetricsResult/Metrics/member')
    dimensions = {each[0].text: each[1].text for each in metric.findall('Dimensions/member')}
    assert dimensions == {
        'AlarmName': 'web-alarm-abc',
        'Timestamp': '2026-01-31T12:00:00Z',
        'Value': '5.0',
        'Unit': 'Percent',
        'zone': 'a',
    }
    assert calls[0][1]['metric_name'] == 'Cpu'


def test_set_alarm_state_translates_the_state(ask):
    given = {'AlarmName': 'a', 'StateValue': 'INSUFFICIENT_DATA', 'StateReason': 'test'}
    status, _, calls = ask('SetAlarmState', **given)
    assert status == 200
    assert calls == [('set_watch_state', {'watch_name': 'a', 'state': 'NODATA', 'reason': 'test'})]


@pytest.mark.parametrize('action', cloudwatch_application.REFUSED)
def test_action_that_heat_refuses_is_refused(ask, action):
    status, text, calls = ask(action, AlarmName='x', **{'AlarmNames.member.1': 'x'})
    assert (status, code_of(text), calls) == (500, 'APINotImplemented', [])
    assert 'The requested action is not yet implemented' in text


@pytest.mark.parametrize(
    ('action', 'params', 'code'),
    [
        ('Nonsense', {}, 'InvalidAction'),
        ('DescribeAlarms', {'Version': '2009-01-01'}, 'InvalidParameterValue'),
        ('DescribeAlarms', {'Colour': 'red'}, 'InvalidQueryParameter'),
        ('DescribeAlarms', {'MaxRecords': '101'}, 'InvalidParameterValue'),
        ('DescribeAlarms', {'NextToken': '-1'}, 'InvalidParameterValue'),
        ('DescribeAlarms', {'NextToken': '٣'}, 'InvalidParameterValue'),
        ('DescribeAlarms', {'StateValue': 'NORMAL'}, 'InvalidParameterValue'),
        ('SetAlarmState', {'AlarmName': 'a', 'StateValue': '<x>'}, 'InvalidParameterValue'),
        ('SetAlarmState', {'AlarmName': 'a'}, 'MissingParameter'),
        ('PutMetricData', {'Namespace': 'n'}, 'MissingParameter'),
        ('PutMetricData', {'MetricData.member.1.Value': '1'}, 'MissingParameter'),
        ('PutMetricData', {**METRIC, 'MetricData.member.1': 'x'}, 'InvalidQueryParameter'),
        ('PutMetricData', {**METRIC, 'MetricData.member.0.Value': 'x'}, 'InvalidQueryParameter'),
        (
            'PutMetricData',
            {**METRIC, 'MetricData.member.1.StatisticValues.Sum': '1'},
            'MissingParameter',
        ),
        ('PutMetricData', {**METRIC, **STATISTICS}, 'InvalidParameterCombination'),
        ('PutMetricData', {**METRIC, 'MetricData.member.1.Counts': '1'}, 'InvalidQueryParameter'),
        ('PutMetricData', {**METRIC, 'MetricData.member.2.MetricName': 'x'}, 'MissingParameter'),
        (
            'PutMetricData',
            {**METRIC, 'MetricData.member.1.Dimensions.member.3.Name': 'x'},
            'MissingParameter',
        ),
        (
            'PutMetricData',
            {
                'Namespace': 'n',
                **{f'MetricData.member.{n}.MetricName': 'x' for n in range(1, 152)},
            },
            'InvalidParameterValue',
        ),
    ],
)
def test_wrong_request_is_refused_before_the_engine(ask, action, params, code):
    status, text, calls = ask(action, **params)
    assert (status, code_of(text), calls) == (400, code, [])


@pytest.mark.parametrize(
    ('error', 'code'),
    [
        ({'EntityNotFound': {'entity': 'Watch Rule', 'name': '<&>'}}, 'InvalidParameterValue'),
        ({'Invalid': {'reason': 'the value of Cpu'}}, 'InvalidParameterValue'),
        ({'RequestLimitExceeded': {'message': 'too many'}}, 'RequestLimitExceeded'),
    ],
)
def test_error_of_the_engine_has_a_code_of_amazon(ask, error, code):
    status, text, _ = ask(
        'PutMetricData', script={'create_watch_data': {'raises': error}}, **METRIC
    )
    assert (status, code_of(text)) == (400, code)


@pytest.fixture(params=['smithy-rpc-v2-cbor', 'json', 'query'])
def client(request, service):
    """The client of botocore in each of its protocols; the first one is its default."""
    app, engine = service
    engine.script, engine.calls = dict(SCRIPT), []
    session = botocore.session.get_session()
    model = session.get_component('data_loader').load_service_model('cloudwatch', 'service-2')
    assert model['metadata']['protocol'] == 'smithy-rpc-v2-cbor'
    model['metadata'].update(protocol=request.param, protocols=[request.param])
    keys = {'aws_access_key_id': 'member', 'aws_secret_access_key': 'member'}
    with identity.serve(app) as url:
        yield session.create_client('cloudwatch', 'RegionOne', endpoint_url=f'{url}/v1', **keys)


def test_client_reads_alarms_with_their_types_in_each_protocol(client, service):
    (alarm,) = client.describe_alarms(AlarmNames=['a', 'b'], MaxRecords=5)['MetricAlarms']
    ((_, _, args),) = service[1].calls
    assert (args['filters']['names'], args['limit']) == (['a', 'b'], 6)
    typed = ('ActionsEnabled', 'EvaluationPeriods', 'Period', 'Threshold')
    assert [alarm[name] for name in typed] == [True, 2, 60, 50.0]
    assert alarm['AlarmConfigurationUpdatedTimestamp'].timestamp() == 1769860800
    assert alarm['AlarmActions'] == ['http://h/<signal>&'] and 'Unit' not in alarm
    (metric,) = client.list_metrics()['Metrics']
    assert {'Name': 'Value', 'Value': '5.0'} in metric['Dimensions']


@pytest.mark.parametrize('count', [1, 149])
def test_client_pushes_measurements_in_each_protocol(client, service, count):
    moment = datetime.datetime(2026, 1, 31, 12, 0, 0, tzinfo=datetime.UTC)
    datum = {
        'MetricName': 'Cpu',
        'Value': 55.5,
        'Timestamp': moment,
        'Dimensions': [{'Name': 'AlarmName', 'Value': 'web'}, {'Name': 'zone', 'Value': '\u00e4'}],
    }
    client.put_metric_data(Namespace='sys', MetricData=[datum] * count)  # compressed if it is long
    ((name, _, args),) = service[1].calls
    assert (name, args['watch_name']) == ('create_watch_data', 'web')
    data = args['stats_data'] if count > 1 else [args['stats_data']]
    assert len(data) == count
    found = data[-1]['Cpu']
    assert (found['Value'], found['Dimensions']) == ('55.5', [{'zone': '\u00e4'}])
    assert datetime.datetime.fromisoformat(found['Timestamp']) == moment


def test_client_raises_typed_errors_in_each_protocol(client, service):
    with pytest.raises(client.exceptions.InvalidParameterValueException) as caught:
        client.set_alarm_state(AlarmName='a', StateValue='no state', StateReason='r')
    found = caught.value.response
    assert (found['Error']['Code'], found['Error']['Type']) == ('InvalidParameterValue', 'Sender')
    assert 'Invalid state no state' in found['Error']['Message']
    with pytest.raises(client.exceptions.MissingRequiredParameterException):
        client.put_metric_data(Namespace='sys', MetricData=[])
    with pytest.raises(botocore.exceptions.ClientError, match='ListDashboards is none of'):
        client.list_dashboards()
    assert not service[1].calls


@pytest.mark.parametrize(
    'body',
    [
        cbor2.dumps('text'),
        cbor2.dumps({'NextToken': {'x' * 600: 1}}),
        cbor2.dumps({'AlarmNames': [1] * 10_001}),
        cbor2.dumps({'NextToken': '\0'}),
        cbor2.dumps({'NextToken': b'a'}),
        cbor2.dumps({'NextToken': cbor2.CBORSimpleValue(255)}),
        cbor2.dumps({'NextToken': cbor2.undefined}),
        b'\xa1\x61',
    ],
)
def test_body_of_rpc_that_is_none_is_refused(service, body):
    with pytest.raises(faults.Fault) as caught:
        query.read(
            {
                'REQUEST_METHOD': 'POST',
                'HTTP_SMITHY_PROTOCOL': 'rpc-v2-cbor',
                'PATH_INFO': f'/service/{query.SERVICE}/operation/DescribeAlarms',
                'CONTENT_LENGTH': str(len(body)),
                'wsgi.input': io.BytesIO(body),
            },
            2**20,
        )
    assert caught.value.code == 'InvalidParameterValue'


def test_compressed_body_beyond_the_limit_is_refused():
    body = gzip.compress(b'a=' + b'0' * 10_000)
    environ = {
        'REQUEST_METHOD': 'POST',
        'HTTP_CONTENT_ENCODING': 'gzip',
        'CONTENT_LENGTH': str(len(body)),
        'wsgi.input': io.BytesIO(body),
    }
    with pytest.raises(exception.RequestLimitExceeded):
        query.read(environ, 1000)
