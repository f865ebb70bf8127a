"""The parameters of a request: the form of a POST, else the query, or the body of RPC."""

import dataclasses
import datetime
import hashlib
import itertools
import re
import urllib.parse
import zlib
from collections.abc import Iterator

from heat_lite.api import wsgi
from heat_lite.api.aws import cbor, faults, responses
from heat_lite.common import exception
from heat_lite.common.value_types import Value

FORM = 'application/x-www-form-urlencoded'
#: key of the environ of WSGI: the Query of the request
QUERY = 'heat_lite.aws.query'
#: as in Heat, each of them performs the action
METHODS = ('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE')
#: the most parameters of one request
MAX_PARAMETERS = 10_000
#: characters of the longest name of a parameter in a body of RPC
MAX_NAME = 500
#: parameters of the protocol, which are no arguments of an action
PROTOCOL = frozenset(
    (
        'AWSAccessKeyId',
        'Action',
        'ContentType',
        'Expires',
        'Signature',
        'SignatureMethod',
        'SignatureVersion',
        'Timestamp',
        'Version',
        'X-Amz-Algorithm',
        'X-Amz-Credential',
        'X-Amz-Date',
        'X-Amz-Expires',
        'X-Amz-Signature',
        'X-Amz-SignedHeaders',
    )
)
CONTENT_TYPES = ('JSON', 'XML')
#: the parameters of an action by their names
Arguments = dict[str, str]
#: the name of CloudWatch in RPC, and the path or the target of an action of it
SERVICE = 'GraniteServiceVersion20100801'
_OPERATION = re.compile(rf'(?:.*/service/{SERVICE}/operation/|{SERVICE}\.)([A-Za-z]+)')
#: the ends of names of times, which are numbers in JSON
TIMES = ('Timestamp', 'StartTime', 'EndTime', 'StartDate', 'EndDate')
_NUMBER = re.compile(r'[1-9][0-9]{0,4}')


@dataclasses.dataclass(frozen=True)
class Query:
    """The parameters of a request, its form and the hash of its body.

    ``params``: those of the query and of the form together; ``form``: those of the form.
    """

    params: dict[str, str]
    form: dict[str, str]
    body_hash: str

    @property
    def arguments(self) -> dict[str, str]:
        """The parameters without those of the protocol."""
        return {name: value for name, value in self.params.items() if name not in PROTOCOL}


def read(environ: wsgi.Environ, limit: int) -> Query:
    """Return the parameters of a request, and note whether they ask for JSON.

    ``limit``: the largest body in bytes. Raises Fault, RequestLimitExceeded and HTTPClientError.
    """
    body = wsgi.read_body(environ, limit)
    digest = hashlib.sha256(body).hexdigest()
    if environ.get('HTTP_CONTENT_ENCODING') == 'gzip':
        body = _decompress(body, limit)
    if (protocol := responses.protocol_of(environ)) is not None:
        environ[QUERY] = found = _read_rpc(environ, body, protocol, digest)
        return found
    query, form = parse(environ.get('QUERY_STRING', '')), {}
    kind = environ.get('CONTENT_TYPE', '').partition(';')[0].strip().lower()
    method = environ['REQUEST_METHOD']
    if body and method == 'POST' and kind in (FORM, ''):
        form = parse(body)
    elif body and kind == FORM:
        raise faults.fault('MalformedQueryString', f'the parameters of a {method} are in its query')
    if query.keys() & form.keys():
        raise _repeated()
    found = Query({**query, **form}, form, digest)
    wanted = found.params.get('ContentType', 'XML')
    environ[responses.AS_JSON] = wanted == 'JSON'
    if wanted not in CONTENT_TYPES:
        raise faults.fault(
            'InvalidParameterValue', f'ContentType must be JSON or XML, not "{wanted}"'
        )
    environ[QUERY] = found
    return found


def _decompress(body: bytes, limit: int) -> bytes:
    """Return a body that clients compress if it is long."""
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        found = unpacker.decompress(body, limit)
    except zlib.error as error:
        raise faults.fault('InvalidParameterValue', f'the body is no gzip: {error}') from None
    if not unpacker.eof:
        raise exception.RequestLimitExceeded(message=f'the body has more than {limit} bytes')
    return found


def _read_rpc(environ: wsgi.Environ, body: bytes, protocol: str, digest: str) -> Query:
    """Return the parameters of a request of RPC by their names in the query protocol."""
    place = environ['PATH_INFO'] if protocol == responses.CBOR else environ[responses.TARGET]
    action = _OPERATION.fullmatch(place)
    if action is None:
        raise faults.fault('InvalidAction', f'{place[:100]} is no operation of {SERVICE}')
    try:
        read = cbor.decode if protocol == responses.CBOR else wsgi.parse_json
        value = read(body) if body else {}
        if not isinstance(value, dict):
            raise ValueError('it is no map')
        pairs = list(itertools.islice(_flatten('', value), MAX_PARAMETERS + 1))
        if len(pairs) > MAX_PARAMETERS:
            raise ValueError(f'it has more than {MAX_PARAMETERS} values')
    except (ValueError, OverflowError, OSError) as error:
        raise faults.fault('InvalidParameterValue', f'the body cannot be read: {error}') from None
    if environ['REQUEST_METHOD'] != 'POST' or environ.get('QUERY_STRING'):
        raise faults.fault('MalformedQueryString', 'a request of RPC is a POST without a query')
    params = _checked([('Action', action[1]), *pairs])
    return Query(params, params, digest)


def _flatten(name: str, value: Value) -> Iterator[tuple[str, str]]:
    """Yield the parameters of a value as the query protocol writes them. Raises ValueError."""
    if len(name) > MAX_NAME:
        raise ValueError(f'{name[:100]}... is no name of a parameter')
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _flatten(f'{name}.{key}' if name else str(key), child)
    elif isinstance(value, list):
        for number, child in enumerate(value, 1):
            yield from _flatten(f'{name}.member.{number}', child)
        if not value:
            yield name, ''
    elif isinstance(value, bool):
        yield name, str(value).lower()
    elif isinstance(value, int | float) and name.endswith(TIMES):
        yield from _flatten(name, datetime.datetime.fromtimestamp(value, datetime.UTC))
    elif isinstance(value, datetime.datetime):
        yield name, value.isoformat()
    elif isinstance(value, str | int | float):
        yield name, str(value)
    elif value is not None:
        raise ValueError(f'{name} is neither a text nor a number')


def read_url(environ: wsgi.Environ) -> Query:
    """Return the parameters of a URL that is signed without its body."""
    return Query(parse(environ.get('QUERY_STRING', '')), {}, '')


def parse(text: str | bytes) -> dict[str, str]:
    """Return the parameters of a query or a form. Raises Fault if it is malformed."""
    try:
        decoded = text.decode('ascii') if isinstance(text, bytes) else text
        pairs = urllib.parse.parse_qsl(
            decoded, keep_blank_values=True, errors='strict', max_num_fields=MAX_PARAMETERS
        )
    except UnicodeDecodeError:
        raise faults.fault(
            'InvalidParameterValue', 'a parameter is not encoded as UTF-8, and percent-encoded'
        ) from None
    except ValueError:
        raise faults.fault(
            'MalformedQueryString', f'a request has at most {MAX_PARAMETERS} parameters'
        ) from None
    return _checked(pairs)


def _checked(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Return parameters as a map. Raises Fault if one occurs twice or has a NUL."""
    params = dict(pairs)
    if len(params) < len(pairs):
        # a signature would cover one of the values only
        raise _repeated()
    if any('\0' in part for pair in pairs for part in pair):
        raise faults.fault('InvalidParameterValue', 'a parameter contains a NUL character')
    return params


def _repeated() -> faults.Fault:
    return faults.Fault(
        400, 'MalformedQueryString', 'A parameter occurs more than once in the request'
    )


def values(arguments: Arguments, name: str) -> list[str]:
    """Return the values of ``NAME.member.N`` in the order of N. Raises Fault for other forms."""
    found = {}
    for key, number, field, value in _members(arguments, name):
        if field is not None:
            raise _other_form(key, f'{name}.member.N')
        found[number] = value
    return [found[number] for number in sorted(found)]


def structures(arguments: Arguments, name: str, fields: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the maps of ``NAME.member.N.FIELD`` in the order of N.

    ``fields``: the names that a map may have. Raises Fault for other forms.
    """
    return [each for _, each in groups(arguments, name, fields)]


def groups(
    arguments: Arguments, name: str, fields: tuple[str, ...] = ()
) -> list[tuple[int, Arguments]]:
    """Return (N, its arguments) of each ``NAME.member.N``.

    ``fields``: the names that a map may have; without them all, also those of lists in it. Raises
    Fault for other forms.
    """
    found: dict[int, Arguments] = {}
    for key, number, field, value in _members(arguments, name):
        if not field or (fields and field not in fields):
            raise _other_form(key, f'{name}.member.N.{" or .".join(fields) or "FIELD"}')
        found.setdefault(number, {})[field] = value
    return sorted(found.items())


def _members(arguments: Arguments, name: str) -> Iterator[tuple[str, int, str | None, str]]:
    """Yield the key, the number, the field or None, and the value of each member of a list.

    An empty list is ``NAME=``.
    """
    for key, value in arguments.items():
        if base_name(key) != name or (key == name and not value):
            continue
        number, dot, field = key.removeprefix(f'{name}.member.').partition('.')
        if not _NUMBER.fullmatch(number):
            raise _other_form(key, f'{name}.member.N')
        yield key, int(number), field if dot else None, value


def _other_form(key: str, form: str) -> faults.Fault:
    return faults.fault('InvalidQueryParameter', f'{key[:100]} must have the form {form}')


def base_name(key: str) -> str:
    """Return the name of the parameter that a key belongs to: Tags for Tags.member.1.Key."""
    return key.partition('.member.')[0]
