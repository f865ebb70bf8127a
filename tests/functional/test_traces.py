"""Traces of real programs: one from the client's request to the requests to the cloud."""

import subprocess
import time
import uuid

import pytest
import requests

from heat_lite.common import trace_headers
from tests import cloud, collector, identity
from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

KEY = 'key of the profiler'
#: so many networks that both engines get some
WIDTH = 40
OPTIONS = """
[DEFAULT]
convergence_engine = true
num_engine_workers = 2
[profiler]
enabled = true
hmac_keys = other, {key}
connection_string = {url}
sample_ratio = 0
"""
NET = {'type': 'OS::Neutron::Net'}


@pytest.fixture(scope='module')
def service(tmp_path_factory):
    """API and two engines with a fake cloud and a collector; single requests are traced."""
    made = cloud.Cloud()
    with identity.serve(made) as url, collector.running() as received:
        services = {name: f'{url}{prefix}' for name, prefix in cloud.PREFIXES.items()}
        del services['identity']  # the service validates tokens at Keystone
        folder = tmp_path_factory.mktemp('traces')
        more = OPTIONS.format(key=KEY, url=received.url)
        split = shapes.split(folder, 'cloud', 'mysql', True, more, services)
        with split as running:
            running.cloud, running.collector = made, received
            yield running


def create(service, headers, resources=NET, count=WIDTH):
    """Create a stack with a traced request, and wait for its end."""
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {f'r{number}': resources for number in range(count)},
    }
    name = f'traced-{uuid.uuid4().hex[:8]}'
    answer = requests.post(
        f'{service.endpoint}/stacks',
        json={'stack_name': name, 'template': template},
        headers={'X-Auth-Token': service.token(), **headers},
        timeout=WAIT_SECONDS,
    )
    assert answer.status_code == 201, answer.text
    path = f'/stacks/{name}/{answer.json()["stack"]["id"]}'
    wait_for(lambda: status(service, path) == 'CREATE_COMPLETE')


def status(service, path):
    return service.ask('GET', path).json()['stack']['stack_status']


def wait_for(condition):
    end = time.monotonic() + WAIT_SECONDS
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


def whole(service, trace_id, name='CREATE stack'):
    """Wait until the span ``name`` of a trace has come, and all parents; return the spans."""

    def complete():
        spans = service.collector.traces().get(trace_id, [])
        known = {span.id for span in spans}
        missing = [span for span in spans if span.parent and span.parent not in known]
        roots = [span for span in missing if span.name.startswith('POST ')]
        return (
            name in {span.name for span in spans}
            and any(span.name.startswith('POST ') for span in spans)
            and missing == roots
            and spans
        )

    return wait_for(complete)


def under(spans, top):
    """Return the spans below a span."""
    found, level = [], [top]
    while level:
        ids = {span.id for span in level}
        level = [span for span in spans if span.parent in ids]
        found += level
    return found


def test_create_over_two_engines_and_neutron_is_one_trace(service):
    trace, parent = uuid.uuid4().hex, uuid.uuid4().hex[:16]
    create(service, {'traceparent': f'00-{trace}-{parent}-01'})
    spans = whole(service, trace)
    [request] = [span for span in spans if span.name == 'POST stacks.create']
    assert (request.parent, request.service) == (parent, 'heat-lite-api')
    assert request.attributes['http.response.status_code'] == 201
    assert request.attributes['heat.request_id'].startswith('req-')
    # nothing is beside the tree of the request
    assert {span.id for span in under(spans, request)} == {span.id for span in spans} - {request.id}
    engines = {span.pid for span in spans if span.service == 'heat-lite-engine'}
    assert len(engines) == 2
    handlers = [span for span in spans if span.name == 'CREATE resource']
    assert len(handlers) == WIDTH and {span.pid for span in handlers} == engines
    for handler in handlers:
        assert handler.attributes['heat.resource.type'] == 'OS::Neutron::Net'
        posts = [span for span in under(spans, handler) if span.name == 'neutron POST']
        assert [span.attributes['http.response.status_code'] for span in posts] == [201]
    names = {span.name for span in spans}
    assert {'engine create_stack', 'create_stack', 'turn', 'transaction'} <= names
    written = [span for span in spans if span.attributes.get('heat.transaction') == 'write']
    assert any('insert' in span.attributes['db.statements'] for span in written)
    # the cloud has been told the spans of its requests
    sent = {span.id for span in spans if span.name.startswith('neutron ')}
    assert sent <= {text.split('-')[2] for text in service.cloud.traces if text}


def test_signed_header_of_osprofiler_is_a_trace(service):
    trace = uuid.uuid4()
    # the stock client names its own id twice
    create(service, trace_headers.sign(trace.int, trace.int, KEY), count=1)
    spans = whole(service, trace.hex)
    [request] = [span for span in spans if span.name == 'POST stacks.create']
    assert request.parent == ''


def test_unsigned_header_and_plain_requests_are_no_traces(service):
    trace = uuid.uuid4()
    former = service.collector.traces().keys()  # their last spans may come late
    create(service, trace_headers.sign(trace.int, trace.int, 'wrong'), count=1)
    create(service, {'traceparent': f'00-{trace.hex}-{"1" * 16}-00'}, count=1)
    create(service, {'traceparent': 'rubbish'}, count=1)
    create(service, {}, count=1)
    known = uuid.uuid4().hex
    create(service, {'traceparent': f'00-{known}-{"1" * 16}-01'}, count=1)
    whole(service, known)
    assert service.collector.traces().keys() - former == {known}


def test_stock_client_with_a_profile_is_traced(service):
    found = subprocess.run(
        [shapes.BIN / 'openstack', 'stack', 'list', '--os-profile', KEY],
        env=service.environ(),
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )
    assert found.returncode == 0, found.stderr
    [line] = [
        line for line in found.stderr.splitlines() + found.stdout.splitlines() if 'Trace ID' in line
    ]
    trace = uuid.UUID(line.rpartition(':')[2].strip()).hex
    wait_for(lambda: service.collector.traces().get(trace))


def test_failed_create_marks_its_spans(service):
    trace = uuid.uuid4().hex
    template = {
        'heat_template_version': '2021-04-16',
        'resources': {'bad': {'type': 'OS::Heat::TestResource', 'properties': {'fail': True}}},
    }
    requests.post(
        f'{service.endpoint}/stacks',
        json={'stack_name': f'bad-{trace}', 'template': template, 'disable_rollback': True},
        headers={
            'X-Auth-Token': service.token(),
            'traceparent': f'00-{trace}-{"2" * 16}-01',
        },
        timeout=WAIT_SECONDS,
    )
    spans = whole(service, trace)
    [action] = [span for span in spans if span.name == 'CREATE stack']
    assert action.failed and action.attributes['heat.outcome'] == 'failed'
    [handler] = [span for span in spans if span.name == 'CREATE resource']
    assert handler.failed and handler.attributes['heat.resource.name'] == 'bad'
