"""Each log line of concurrent requests carries the identity of its own request."""

import concurrent.futures
import re
import time

import pytest

from tests.functional import shapes
from tests.timeouts import WAIT_SECONDS

REQUESTS = 60
#: a line with the id of its request, which names the stack that the request asks for
LINE = re.compile(r'\[(?:None|req-\S+) (req-\S+) (.*?)\] .*absent-(\d+)-stack')
#: the programs that log each of the requests
PROGRAMS = {'embedded': ['up'], 'keystone': ['api', 'engine']}


def ask_for_stack(service, projects, number):
    """Ask for a stack that does not exist; return the number, the request id and the project."""
    user, project = projects[number % 2]
    path = f'/stacks/absent-{number}-stack'
    reply = service.ask('GET', path, user=user, project=project)
    assert reply.status_code == 404, reply.text
    return str(number), reply.headers['x-openstack-request-id'], project


def lines_of_requests(service, name):
    """Wait until a log has a line of each request; return (id, identity, number) of all lines."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        found = LINE.findall((service.folder / f'{name}.log').read_text())
        if len({number for _, _, number in found}) == REQUESTS or time.monotonic() > end:
            return found
        time.sleep(0.1)


@pytest.fixture
def projects(service):
    """(user, project) of two projects."""
    second = shapes.identity.ident('other') if service.keystone else 'second-project'
    for user in ('demo', 'other'):
        service.token(user)
    return [('demo', service.project), ('other', second)]


@shapes.of(*PROGRAMS)
def test_lines_of_two_projects_at_once_carry_their_own_request(service, projects):
    """Threads of the API answer the requests at once, as threads of the engine do."""
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        sent = list(pool.map(lambda n: ask_for_stack(service, projects, n), range(REQUESTS)))
    request_ids = {number: request_id for number, request_id, _ in sent}
    wanted = {number: project for number, _, project in sent}
    for name in PROGRAMS[service.shape]:
        lines = lines_of_requests(service, name)
        assert {number: found for found, _, number in lines} == request_ids, name
        assert [line for line in lines if line[0] != request_ids[line[2]]] == []
        assert [line for line in lines if wanted[line[2]] not in line[1].split()] == []
