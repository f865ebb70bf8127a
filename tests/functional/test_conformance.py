"""Replay of requests whose responses were recorded from OpenStack Heat.

A case that cannot pass is a strict xfail with the reason: it fails as soon as it passes.

HEAT_LITE_TEST_ENDPOINT (a URL that ends with a project id) and HEAT_LITE_TEST_TOKEN replay the
requests against another service, HEAT_LITE_TEST_SHAPE against another shape of this one, e.g.
``convergence``.
"""

import copy
import json
import os
import uuid
from pathlib import Path

import pytest

from tests.conformance import known_differences as known
from tests.conformance.player import Player
from tests.functional import shapes

FOLDER = Path(__file__).resolve().parents[1] / 'conformance'
FILES = (
    'function_cases.json',
    'validation_cases.json',
    'field_cases.json',
    'sequence_cases.json',
    'field_sequences.json',
)
SEQUENCES = FILES[-2:]
EXTERNAL_ENDPOINT = os.environ.get('HEAT_LITE_TEST_ENDPOINT')
SHAPE = os.environ.get('HEAT_LITE_TEST_SHAPE', 'embedded')
#: one of so many recorded sequences is replayed with stacks that all engines walk
SHARE = 6


def cases(files=FILES):
    for file in files:
        for case in json.loads((FOLDER / file).read_text())['cases']:
            reason = known.DIFFERENT.get(case['id'])
            if reason in (known.STATUS_400_NOT_500, known.TEXT) and not EXTERNAL_ENDPOINT:
                yield pytest.param(with_own_response(case), id=case['id'])
                continue
            marks = (
                [pytest.mark.xfail(reason=reason, strict=True)]
                if reason and not EXTERNAL_ENDPOINT
                else []
            )
            yield pytest.param(case, id=case['id'], marks=marks)


def with_own_response(case):
    """The case with the response of this service: status 400, not 500, and its own message."""
    case = copy.deepcopy(case)
    for expected in case['expect'].values():
        if expected['http_status'] == 500:
            expected['http_status'] = 400
            expected['error_type'] = {'$regex': '[A-Z]'}
        expected['message_kind'] = 'ours'
    return case


@pytest.fixture
def endpoint(services):
    if not EXTERNAL_ENDPOINT:
        return services(SHAPE)
    url, _, project = EXTERNAL_ENDPOINT.rpartition('/')
    service = shapes.Service('external', url, project, Path('.'), auth_url='given')
    service.tokens['demo'] = os.environ.get('HEAT_LITE_TEST_TOKEN')
    return service


# Some cases name their stack themselves: the group runs all cases in one worker, in sequence.
@pytest.mark.xdist_group('conformance')
@pytest.mark.parametrize('case', list(cases()))
def test_response_equals_recorded_response(endpoint, case):
    # A case that is known to differ is not polled.
    grace = {} if case['id'] not in known.DIFFERENT else {'grace': 0}
    player = Player(endpoint.http, case, f'cf-{uuid.uuid4().hex[:12]}', endpoint.project, **grace)
    differences = player.play()
    assert not differences, '\n'.join(differences)


@pytest.mark.xdist_group('convergence')
@pytest.mark.skipif(bool(EXTERNAL_ENDPOINT), reason='the stacks are those of another service')
@pytest.mark.parametrize('case', list(cases(SEQUENCES))[::SHARE])
def test_response_of_stacks_of_all_engines_equals_recorded_response(services, case):
    test_response_equals_recorded_response(services('convergence'), case)


def test_known_differences_name_recorded_cases():
    files = (*FILES, 'template_cases.json')
    recorded = {
        case['id'] for file in files for case in json.loads((FOLDER / file).read_text())['cases']
    }
    assert known.DIFFERENT.keys() <= recorded
