"""Answers recorded from OpenStack Heat, replayed. A case that cannot pass yet is marked with the reason, and tells when it does pass.

HEAT_LITE_TEST_ENDPOINT (a URL that ends with a project) and HEAT_LITE_TEST_TOKEN replay them against another service instead.
"""

import copy
import json
import os
import uuid
from pathlib import Path

import pytest

from tests.conformance.player import Player
from tests.functional import known_differences as known
from tests.functional import shapes

FOLDER = Path(__file__).resolve().parents[1] / 'conformance'
FILES = ('function_cases.json', 'validation_cases.json', 'field_cases.json', 'sequence_cases.json', 'field_sequences.json')
# these bring their own stack name: they share it, so they run one after another in one worker, as all cases of a shape do
ELSEWHERE = os.environ.get('HEAT_LITE_TEST_ENDPOINT')


def cases():
    for file in FILES:
        for case in json.loads((FOLDER / file).read_text())['cases']:
            reason = known.DIFFERENT.get(case['id'])
            if reason in (known.BETTER, known.TEXT) and not ELSEWHERE:
                yield pytest.param(better(case), id=case['id'])
                continue
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason and not ELSEWHERE else []
            yield pytest.param(case, id=case['id'], marks=marks)


def better(case):
    """The case with what we answer on purpose: a 400 where the recorded service broke, and a text of our own."""
    case = copy.deepcopy(case)
    for expected in case['expect'].values():
        if expected['http_status'] == 500:
            expected['http_status'] = 400
            expected['error_type'] = {'$regex': '[A-Z]'}
        expected['message_kind'] = 'ours'
    return case


@pytest.fixture
def endpoint(services):
    if not ELSEWHERE:
        return services('embedded')
    url, _, project = ELSEWHERE.rpartition('/')
    service = shapes.Service('elsewhere', url, project, Path('.'), auth_url='given')
    service.tokens['demo'] = os.environ.get('HEAT_LITE_TEST_TOKEN')
    return service


@pytest.mark.xdist_group('conformance')
@pytest.mark.parametrize('case', list(cases()))
def test_recorded_answer(endpoint, case):
    # what is known to differ is not looked at again and again
    grace = {} if case['id'] not in known.DIFFERENT else {'grace': 0}
    player = Player(endpoint.http, case, f'cf-{uuid.uuid4().hex[:12]}', endpoint.project, **grace)
    differences = player.play()
    assert not differences, '\n'.join(differences)


def test_known_differences_name_cases():
    recorded = {case['id'] for file in FILES for case in json.loads((FOLDER / file).read_text())['cases']}
    assert known.DIFFERENT.keys() <= recorded
