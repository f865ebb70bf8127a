"""Answers of Heat 27 to requests of the CloudFormation API, played against a real engine.

``cfn_answers.jsonl`` has the template ``$TEMPLATE``, then in their order requests with the status
and the answer of Heat, or the name of a stack to wait for. In the answers ids, times and random
names are replaced as by ``normalized``; tracebacks, elements with the text None and the case of
booleans are left out: those are differences that docs/cfn.md lists.
"""

import json
import re
import time
import urllib.parse
from pathlib import Path
from xml.etree import ElementTree

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import requests

from tests.conformance import wording
from tests.functional.test_boto3 import keystone, url  # noqa: F401 - fixtures
from tests.timeouts import WAIT_SECONDS

# ruff: noqa: F811 - fixtures are arguments

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name('cfn_answers.jsonl').read_text().splitlines()
]
VOLATILE = (
    (r'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'UUID'),
    (r'\b[0-9a-f]{32}\b', 'HEX'),
    (r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|\.\d+)?', 'TIME'),
    (r'\b([a-z0-9]+)-r-[a-z0-9]{12}', r'\1-r-SHORT'),
)


def send(url, params):
    body = urllib.parse.urlencode({'Version': '2010-05-15', **params}).encode()
    kind = {'Content-Type': 'application/x-www-form-urlencoded'}
    request = botocore.awsrequest.AWSRequest('POST', f'{url}/', data=body, headers=kind)
    keys = botocore.credentials.Credentials('member', 'secret')
    botocore.auth.SigV4Auth(keys, 'cloudformation', 'RegionOne').add_auth(request)
    return requests.post(f'{url}/', data=body, headers=dict(request.headers), timeout=WAIT_SECONDS)


def normalized(text):
    """Return an answer without ids and times: elements and their order, or the value of JSON."""
    for pattern, word in VOLATILE:
        text = re.sub(pattern, word, text)
    if text.startswith('<'):
        return ElementTree.canonicalize(text)
    return json.loads(text, object_pairs_hook=list)


def is_same(status, recorded, response):
    """Return whether a response is that of Heat. A message of an error may have more at its end."""
    ours, known = normalized(response.text), normalized(recorded)
    if response.status_code != status or status == 200:
        return (response.status_code, ours) == (status, known)
    end = '</Message></Error></ErrorResponse>'
    allowed = tuple(wording.texts(known.removesuffix(end)))
    return ours.startswith(allowed) and ours.endswith(end)


def wait(url, stack):
    deadline = time.monotonic() + WAIT_SECONDS
    while 'IN_PROGRESS' in send(url, {'Action': 'DescribeStacks', 'StackName': stack}).text:
        assert time.monotonic() < deadline, stack
        time.sleep(0.05)


def test_requests_get_the_recorded_answers_of_heat(url):
    template, different = ROWS[0]['template'], []
    for row in ROWS[1:]:
        if 'wait' in row:
            wait(url, row['wait'])
            continue
        params = {
            name: template if value == '$TEMPLATE' else value
            for name, value in row['request'].items()
        }
        response = send(url, params)
        if not is_same(row['status'], row['answer'], response):
            different.append((row, response.status_code, response.text))
    assert len(ROWS) > 100 and not different, json.dumps(different, indent=1)
