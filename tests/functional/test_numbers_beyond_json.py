"""NaN and infinity, which YAML and Python have and JSON has not: texts, or refused."""

import json
import time
import uuid

import pytest

from tests.timeouts import WAIT_SECONDS

TEMPLATE = """
heat_template_version: 2021-04-16
parameters:
  n: {type: number, default: 1}
  j: {type: json, default: {}}
resources:
  v:
    type: OS::Heat::Value
    metadata: {m: .nan}
    properties: {value: [{get_param: j}, .inf, 1.5]}
  h: {type: OS::Heat::WaitConditionHandle}
  w: {type: OS::Heat::WaitCondition, properties: {handle: {get_resource: h}, timeout: 600}}
outputs:
  value: {value: {get_attr: [v, value]}}
  data: {value: {get_attr: [w, data]}}
  result: {value: {yaql: {expression: "$.data * 10", data: 1.0e+308}}}
"""
both_shapes = pytest.mark.parametrize('service', ['embedded', 'keystone'], indirect=True)


def create(service, **parameters):
    body = {'stack_name': f's{uuid.uuid4().hex}', 'template': TEMPLATE, 'parameters': parameters}
    return service.ask('POST', '/stacks', json.dumps(body))  # with NaN as a bare word


@both_shapes
def test_no_answer_has_numbers_that_json_does_not_have(service):
    made = create(service, j='{"a": NaN, "b": 1e999}').json()['stack']
    path = made['links'][0]['href'].removeprefix(service.endpoint)
    end = time.monotonic() + WAIT_SECONDS
    while 'CREATE_IN_PROGRESS' not in service.ask('GET', f'{path}/resources/w').text:
        assert time.monotonic() < end
        time.sleep(0.1)
    signal = '{"status": "SUCCESS", "id": "1", "data": NaN}'
    assert service.ask('POST', f'{path}/resources/h/signal', signal).status_code == 200
    while (stack := service.ask('GET', path).json()['stack'])['stack_status'].endswith('PROGRESS'):
        assert time.monotonic() < end
        time.sleep(0.1)
    outputs = {each['output_key']: each for each in stack['outputs']}
    assert outputs['value']['output_value'] == [{'a': 'NaN', 'b': '1e999'}, '.inf', 1.5]
    assert outputs['data']['output_value'] == '{"1": "NaN"}'
    assert outputs['result']['output_error'].endswith('must be finite, not inf')
    for part in ('template', 'environment', 'resources', 'events', 'resources/v/metadata'):
        assert service.ask('GET', f'{path}/{part}').status_code == 200  # the client reads strictly
    service.ask('DELETE', path)


@both_shapes
@pytest.mark.parametrize('value', ['nan', float('nan'), '1e999'])
def test_number_that_json_does_not_have_is_refused(service, value):
    answer = create(service, n=value)
    assert answer.status_code == 400
    message = answer.json()['error']['message']
    assert message.startswith("Parameter 'n' is invalid: ") and 'is not a finite number' in message
