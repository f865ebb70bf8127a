"""Strategies of hostile requests to heat-lite-api-cfn: signals by signed URLs, well signed or not.

The path is that below the endpoint, before the query. The target adds the query with a signature.
"""

import urllib.parse
from typing import NamedTuple

from hypothesis import strategies as st
from keystoneclient.contrib.ec2 import utils

from heat_lite.common import ec2
from tests import identity
from tests.attacks.fuzz import attacks, values
from tests.attacks.fuzz.values import mostly

HOST = '127.0.0.1:8000'
KEY, SECRET = 'key', 'secret'
SERVICE = {'heat': {'password': 'secret', 'project': 'service', 'roles': ['admin', 'service']}}
ARN = 'arn:openstack:heat::demo:stacks/@stack@/@id@'
ARNS = [f'{ARN}/resources/{name}' for name in ('handle', 'handle', 'policy', 'r', 'random', 'x')]


class Attack(NamedTuple):
    """A request; ``params`` is its query, which is signed with ``secret``.

    ``secret`` None: it has no signature.
    """

    method: str
    path: str
    headers: dict
    body: bytes
    params: dict
    secret: str | None


class Keystone(identity.Identity):
    """Keystone with one access key, of a member of the project that the other requests use."""

    ROUTES = (('POST', '/v3/ec2tokens', 'check'), *identity.Identity.ROUTES)

    def check(self, environ, body):
        credentials = body['ec2Credentials']
        wanted = utils.Ec2Signer(SECRET).generate({**credentials})
        if (credentials['access'], credentials['signature']) != (KEY, wanted):
            raise identity.Refused(401, 'EC2 signature is invalid.')
        token = {
            'user': {'id': 'u1', 'name': 'its user', 'domain': {'id': 'default'}},
            'project': {'id': 'demo', 'name': 'demo', 'domain': {'id': 'default'}},
            'roles': [{'id': name, 'name': name} for name in ('reader', 'member')],
        }
        return 200, {'token': token}, [('X-Subject-Token', 'a-token')]


def query_of(attack):
    """Return the query of a request, with its signature if it has one."""
    params = dict(attack.params)
    if attack.secret is not None:
        params = {
            'SignatureMethod': ec2.METHOD,
            'SignatureVersion': ec2.VERSION,
            'AWSAccessKeyId': KEY,
            **params,
        }
        path = urllib.parse.unquote(attack.path)
        params['Signature'] = ec2.sign(attack.secret, attack.method, HOST, path, params)
    return urllib.parse.urlencode(params, errors='surrogatepass')


def _encodable(text):
    """Whether a signer can encode a text; hostile bytes come with other signatures."""
    return text.isprintable()


paths = st.builds(
    lambda kind, arn: f'/v1/{attacks.quote(kind)}/{attacks.quote(arn)}',
    mostly(st.sampled_from(['waitcondition', 'signal']), values.texts, 40),
    mostly(st.sampled_from(ARNS), values.texts.map(lambda text: f'{ARN}/resources/{text}'), 8)
    | mostly(st.sampled_from(ARNS), values.texts, 8),
)
params = st.dictionaries(
    st.sampled_from('Timestamp Expires SignatureVersion AWSAccessKeyId Signature x'.split()),
    st.sampled_from(['2', '1', '9999-12-31T23:59:59+23:59', '0001-01-01T00:00:00-23:59', '2030'])
    | values.texts.filter(_encodable),
    max_size=2,
)
bodies = mostly(
    values.bodies(mostly(attacks.signal_bodies)), st.sampled_from(values.RAW), 10
) | st.just(b'')
requests = st.builds(
    Attack,
    mostly(st.sampled_from(['PUT', 'POST']), st.sampled_from(attacks.METHODS), 15),
    paths,
    attacks.headers,
    bodies,
    mostly(st.just({}), params, 8),
    mostly(st.just(SECRET), st.sampled_from(['other', None]), 15),
)


def _plain(path, body=b'', method='PUT', **given):
    return Attack(method, path, {}, body, given, SECRET)


HANDLE = f'/v1/waitcondition/{attacks.quote(ARNS[0])}'
#: paths and queries that are no text, bodies that parsers disagree about
EXAMPLES = [
    _plain(HANDLE, values.encode({'status': 'SUCCESS', 'id': '1', 'data': 'x', 'reason': 'r'})),
    *(_plain(HANDLE, body) for body in values.RAW),
    *(_plain(f'/v1/signal/{attacks.quote(ARNS[2])}', body) for body in values.RAW),
    _plain('/v1/waitcondition/%ff%fe'),
    _plain(f'{HANDLE}%ff'),
    _plain(f'{HANDLE}%00%01%0a%1b'),
    _plain(f'{HANDLE}%ef%bf%bf'),
    Attack('PUT', HANDLE, {}, b'', {'AWSAccessKeyId': b'\xff', 'Signature': b'\xff'}, None),
    Attack('PUT', HANDLE, {}, b'', {b'\xff': 'x'}, None),
    _plain(HANDLE, Timestamp='0001-01-01T00:00:00+23:59'),
    _plain(HANDLE, Expires='0001-01-01T00:00:00+23:59'),
    _plain(HANDLE, Expires='9999-12-31T23:59:59-23:59'),
    _plain('/v1/', method='GET', Action='ListStacks', Version='2010-05-15'),
    _plain('/v1/', b'Action=CreateStack&StackName=x', 'POST'),
]
