"""Answers recorded from OpenStack Heat, replayed. A case that cannot pass yet is marked with the reason, and tells when it does pass.

HEAT_LITE_TEST_ENDPOINT (a URL that ends with a project) and HEAT_LITE_TEST_TOKEN replay them against another service instead.
"""

import json
import os
import uuid
from pathlib import Path

import pytest

from tests.conformance.player import Player
from tests.functional import shapes
from tests.functional.known_differences import DIFFERENT

FOLDER = Path(__file__).resolve().parents[1] / 'conformance'
FILES = ('function_cases.json', 'validation_cases.json', 'sequence_cases.json')
# these bring their own stack name: they share it, so they run one after another in one worker, as all cases of a shape do
ELSEWHERE = os.environ.get('HEAT_LITE_TEST_ENDPOINT')


def cases():
    for file in FILES:
        for case in json.loads((FOLDER / file).read_text())['cases']:
            marks = [pytest.mark.xfail(reason=DIFFERENT[case['id']], strict=True)] if case['id'] in DIFFERENT else []
            yield pytest.param(case, id=case['id'], marks=marks)


@pytest.fixture
def endpoint(services):
    if not ELSEWHERE:
        return services('embedded')
    url, _, project = ELSEWHERE.rpartition('/')
    service = shapes.Service('elsewhere', url, project, Path('.'), auth_url='given')
    service.tokens['demo'] = os.environ.get('HEAT_LITE_TEST_TOKEN')
    return service


@pytest.mark.xdist_group('conformance')
@pytest.mark.parametrize('case', cases())
def test_recorded_answer(endpoint, case):
    player = Player(endpoint.http, case, f'cf-{uuid.uuid4().hex[:12]}', endpoint.project)
    differences = player.play()
    assert not differences, '\n'.join(differences)


def test_known_differences_name_cases_and_reasons():
    known = {case['id'] for file in FILES for case in json.loads((FOLDER / file).read_text())['cases']}
    assert DIFFERENT.keys() <= known
    assert all(len(reason) > 20 for reason in DIFFERENT.values())
