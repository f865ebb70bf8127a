"""Names that a failed request suggests."""

import argparse
import json

import pytest

from heat_lite.cli import api_client, errors
from tests import identity


def application(environ, start_response):
    start_response('200 OK', [('Content-Type', 'application/json')])
    return [json.dumps({'stacks': [{'stack_name': 'web-app'}, {'stack_name': 'db'}]}).encode()]


@pytest.mark.parametrize(
    ('text', 'hint'),
    [
        ('The Stack (web-ap) could not be found.', ' Did you mean web-app?'),
        ('Could not fetch files from container web-ap.', ''),
    ],
)
@pytest.mark.parametrize('stack', ['web-ap', ['db', 'web-ap']])
def test_missing_stack_gets_a_similar_name_and_other_objects_none(text, hint, stack):
    args = argparse.Namespace(stack=stack)
    with identity.serve(application) as url:
        error = api_client.RequestFailed(404, text)
        assert errors.suggestion(api_client.ApiClient(url), error, args) == hint
