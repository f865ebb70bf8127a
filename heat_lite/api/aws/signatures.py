"""The signature of a request, of version 2 or 4, in the form in which Keystone takes it.

Version 2 covers method, host, path and parameters; version 4 also the signed headers and the body.
Versions 0 and 1 do not cover the path, so one signed URL would serve for each resource. Times in
the future and ``Expires``, which Keystone does not know, are checked here.
"""

import datetime
import re

import webob

from heat_lite.api.aws import faults, query
from heat_lite.common import ec2
from heat_lite.common.value_types import Values

#: the difference between the time of a signature and the clock beyond which it is refused, as by
#: AWS, and by Keystone unless its auth_ttl is another
MAX_SKEW = datetime.timedelta(minutes=15)
#: the longest X-Amz-Expires in seconds, as of AWS
MAX_EXPIRES = 7 * 86400
SESSION = 'X-Amz-Security-Token'
DATE, DATE_FORM = 'X-Amz-Date', '%Y%m%dT%H%M%SZ'
_CREDENTIAL = re.compile(r'(?P<access>[^/]+)/(?P<date>[0-9]{8})/[^/]*/[^/]*/aws4_request')
_PART = re.compile(r'\s*(Credential|SignedHeaders|Signature)\s*=\s*([^,\s]*)\s*')


def is_signed(request: webob.Request, params: dict[str, str]) -> bool:
    """Return whether a request has a signature of any version."""
    return (
        'Signature' in params
        or ec2.V4_SIGNATURE in params
        or 'AWSAccessKeyId' in params
        or _authorization(request) is not None
    )


def credentials_of(request: webob.Request, found: query.Query) -> Values:
    """Return the access key, the signature and the signed data.

    Raises Fault for a request without a signature of version 2 or 4, or with an expired one.
    """
    header = _authorization(request)
    if SESSION in request.headers or SESSION in found.params or 'SecurityToken' in found.params:
        raise faults.fault(
            'InvalidClientTokenId', 'keys of sessions do not exist here: sign without the token'
        )
    if header is None and ec2.V4_ALGORITHM not in found.params:
        return _version_2(request, dict(found.params))
    if 'Signature' in found.params or 'SignatureVersion' in found.params:
        raise faults.fault('IncompleteSignature', 'the request has signatures of two versions')
    if header is not None:
        return _version_4_header(request, found, header)
    return _version_4_query(request, found)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def _authorization(request: webob.Request) -> str | None:
    header = request.environ.get('HTTP_AUTHORIZATION', '')
    return header if header.startswith('AWS') else None


# ------------------------------------------------------------ version 2


def _version_2(request: webob.Request, params: dict[str, str]) -> Values:
    access, signature = params.get('AWSAccessKeyId'), params.pop('Signature', None)
    if not signature:
        raise faults.fault('IncompleteSignature')
    if not access:
        raise faults.fault('MissingAuthenticationToken')
    if params.get('SignatureVersion') != ec2.VERSION:
        raise faults.fault(
            'IncompleteSignature', 'SignatureVersion must be 2, or the signature one of version 4'
        )
    if 'Timestamp' in params and 'Expires' in params:
        raise faults.fault(
            'InvalidParameterCombination', 'Timestamp and Expires exclude each other'
        )
    if 'Timestamp' in params:
        _refuse_future(_time(params, 'Timestamp'), 'Timestamp')
    # A URL without both, e.g. of a wait condition, has no end.
    if 'Expires' in params and _time(params, 'Expires') <= _now():
        raise faults.fault('RequestExpired', 'the time of Expires is past')
    return {
        'access': access,
        'signature': signature,
        'host': request.host,
        'verb': request.method,
        'path': path_of(request),
        'params': params,
        'headers': {},
    }


def path_of(request: webob.Request) -> str:
    """Return the path of a request with that of its script, decoded."""
    try:
        return request.script_name + request.path_info
    except UnicodeDecodeError:
        raise faults.fault('InvalidParameterValue', 'the path is not encoded as UTF-8') from None


def _time(params: dict[str, str], name: str) -> datetime.datetime:
    """Return a time of ISO 8601, of UTC unless it has an offset."""
    try:
        found = datetime.datetime.fromisoformat(params[name])
    except ValueError:
        raise faults.fault(
            'InvalidParameterValue', f'{name} must be a time like 2026-01-31T12:00:00Z'
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)


def _refuse_future(time: datetime.datetime, name: str) -> None:
    if time - _now() > MAX_SKEW:
        raise faults.fault(
            'RequestExpired', f'{name} is more than {MAX_SKEW} later than the clock of the service'
        )


# ------------------------------------------------------------ version 4


def _version_4_header(request: webob.Request, found: query.Query, header: str) -> Values:
    """Return the credentials of an Authorization header.

    Keystone does not look at the query of a POST, so there must be none.
    """
    algorithm, _, rest = header.partition(' ')
    parts = dict(each for part in rest.split(',') for each in _PART.findall(part))
    if algorithm != ec2.V4_ALGORITHM_NAME or len(parts) != 3 or not all(parts.values()):
        raise faults.fault(
            'IncompleteSignature',
            f'Authorization must be {ec2.V4_ALGORITHM_NAME} with Credential, SignedHeaders and '
            'Signature',
        )
    if any(name.startswith('X-Amz-') for name in found.params):
        raise faults.fault(
            'IncompleteSignature', 'X-Amz- parameters beside an Authorization header'
        )
    if request.method == 'POST' and len(found.form) < len(found.params):
        raise faults.fault(
            'MalformedQueryString', 'a signed POST has its parameters in the form, none in the URL'
        )
    date = request.headers.get(DATE)
    if not date:
        raise faults.fault('IncompleteSignature', f'the header {DATE} is missing')
    _refuse_future(_compact_time(date), DATE)
    headers = _signed_headers(request, parts['SignedHeaders'])
    headers[DATE] = date
    headers['Authorization'] = f'{algorithm} ' + ', '.join(
        f'{name}={parts[name]}' for name in ('Credential', 'SignedHeaders', 'Signature')
    )
    return _version_4(request, found, parts['Credential'], parts['Signature'], date, headers)


def _version_4_query(request: webob.Request, found: query.Query) -> Values:
    """Return the credentials of a presigned URL."""
    params = found.params
    given = [params.get(f'X-Amz-{name}') for name in ('Credential', 'SignedHeaders', 'Date')]
    credential, signed, date = (value or '' for value in given)
    if (
        params[ec2.V4_ALGORITHM] != ec2.V4_ALGORITHM_NAME
        or request.method != 'GET'
        or not (credential and signed and date and params.get(ec2.V4_SIGNATURE))
    ):
        raise faults.fault(
            'IncompleteSignature',
            f'a presigned URL is for GET, and has X-Amz-Algorithm={ec2.V4_ALGORITHM_NAME}, '
            'X-Amz-Credential, X-Amz-SignedHeaders, X-Amz-Date and X-Amz-Signature',
        )
    begin = _compact_time(date)
    _refuse_future(begin, DATE)
    if 'X-Amz-Expires' in params and begin + _expires(params['X-Amz-Expires']) <= _now():
        raise faults.fault('RequestExpired', 'the time of X-Amz-Expires is past')
    headers = _signed_headers(request, signed)
    return _version_4(request, found, credential, params[ec2.V4_SIGNATURE], date, headers)


def _expires(text: str) -> datetime.timedelta:
    if not re.fullmatch('[0-9]{1,6}', text) or not 1 <= int(text) <= MAX_EXPIRES:
        raise faults.fault(
            'InvalidParameterValue', f'X-Amz-Expires must be 1 to {MAX_EXPIRES} seconds'
        )
    return datetime.timedelta(seconds=int(text))


def _compact_time(text: str) -> datetime.datetime:
    try:
        return datetime.datetime.strptime(text[:20], DATE_FORM).replace(tzinfo=datetime.UTC)
    except ValueError:
        raise faults.fault(
            'InvalidParameterValue', f'{DATE} must be a time like 20260131T120000Z'
        ) from None


def _signed_headers(request: webob.Request, names: str) -> dict[str, str]:
    """Return the signed headers that the request has, without repeated spaces."""
    wanted = names.split(';')
    if 'host' not in wanted:
        raise faults.fault('IncompleteSignature', 'SignedHeaders must contain host')
    values = {name: request.headers.get(name) for name in wanted}
    return {
        name.title(): ' '.join(value.split()) for name, value in values.items() if value is not None
    }


def _version_4(
    request: webob.Request,
    found: query.Query,
    credential: str,
    signature: str,
    date: str,
    headers: dict[str, str],
) -> Values:
    scope = _CREDENTIAL.fullmatch(credential)
    if scope is None or not date.startswith(scope['date']):
        raise faults.fault(
            'IncompleteSignature',
            'Credential must be KEY/DATE/REGION/SERVICE/aws4_request with the date of X-Amz-Date',
        )
    # The hash of the body covers a form. Keystone limits the size of requests, so it is not sent.
    params = {
        name: value
        for name, value in found.params.items()
        if name != ec2.V4_SIGNATURE and name not in found.form
    }
    return {
        'access': scope['access'],
        'signature': signature,
        'host': request.host,
        'verb': request.method,
        'path': ec2.quoted_path(path_of(request)),
        'params': params,
        'headers': headers,
        'body_hash': found.body_hash,
    }


# ------------------------------------------------------------ age


def require_recent(credentials: Values) -> None:
    """Raise Fault for a signature with a time that is older than Keystone accepts by default."""
    params = credentials['params']
    if 'Timestamp' in params and 'body_hash' not in credentials:
        name, time = 'Timestamp', _time(params, 'Timestamp')
    elif DATE in credentials['headers']:
        name, time = DATE, _compact_time(credentials['headers'][DATE])
    elif DATE in params and 'X-Amz-Expires' not in params:
        name, time = DATE, _compact_time(params[DATE])
    else:
        return
    if _now() - time > MAX_SKEW:
        raise faults.fault(
            'RequestExpired',
            f'{name} is more than {MAX_SKEW} earlier than the clock of the service',
        )
