"""Format checks of custom constraints: addresses, DNS names, cron expressions, dates, JSON.

A check returns None for a valid value, else the reason, which may be an empty string.
"""

import datetime
import ipaddress
import json
import re
import zoneinfo
from collections.abc import Mapping

import croniter

from heat_lite.common.value_types import Value

_MAC_SHAPES = [
    re.compile(shape, re.IGNORECASE)
    for shape in (
        r'[0-9a-f]{1,2}([:-])(?:[0-9a-f]{1,2}\1){4}[0-9a-f]{1,2}',
        r'[0-9a-f]{1,4}([:.-])[0-9a-f]{1,4}\1[0-9a-f]{1,4}',
        r'[0-9a-f]{5,6}[:-][0-9a-f]{5,6}',
        r'[0-9a-f]{11,12}',
    )
]
_DNS_LABEL = re.compile(r'[a-z0-9-]{1,63}', re.IGNORECASE)
_FQDN_LIMIT = 255
_CRON_LIMIT = 2048
_ISO_8601 = re.compile(
    r"""(?P<year>\d{4})
    (?:(?:-(?P<month_dashed>\d{1,2})|(?P<month>\d{2})(?!$))
       (?:(?:-(?P<day_dashed>\d{1,2})|(?P<day>\d{2}))
          (?:[ T](?P<hour>\d{2})(?::?(?P<minute>\d{2}))?
             (?::?(?P<second>\d{1,2})(?:[.,](?P<fraction>\d+))?)?
             (?P<zone>Z|(?P<sign>[-+])(?P<zone_hour>\d{2}):?(?P<zone_minute>\d{2})?)?
          )?
       )?
    )?""",
    re.VERBOSE | re.ASCII,
)


def ip_addr(value: Value) -> str | None:
    return None if _address(value) else 'Invalid IP address'


def _address(value: Value) -> Value:
    """Return the parsed address, None if it is invalid.

    Zones ("%eth0") and octets with leading zeros are invalid.
    """
    if not isinstance(value, str) or '%' in value:
        return None
    try:
        return ipaddress.ip_address(value)
    except ValueError:
        return None


def _is_subnet(value: Value) -> bool:
    """Return whether the value is a full address with a prefix length. Host bits may be set."""
    address, slash, prefix = str(value).partition('/')
    parsed = _address(address)
    return (
        bool(slash)
        and parsed is not None
        and prefix.isascii()
        and prefix.isdigit()
        and int(prefix) <= parsed.max_prefixlen
    )


def net_cidr(value: Value) -> str | None:
    if _is_subnet(value):
        return None
    return (
        f"'{value}' is not a valid IP subnet"
        if _is_loose_subnet(value)
        else f'Invalid net cidr invalid IPNetwork {value} '
    )


def _is_loose_subnet(value: Value) -> bool:
    """Return whether a lenient parser accepts the value as a network.

    It accepts missing octets, a missing prefix, and a netmask as the prefix. Heat's error message
    depends on this.
    """
    address, slash, prefix = str(value).partition('/')
    octets = address.split('.')
    if address.isascii() and octets[0].isdigit() and len(octets) < 4:
        address = '.'.join(octets + ['0'] * (4 - len(octets)))
    try:
        ipaddress.ip_interface(f'{address}/{prefix}' if slash else address)
    except ValueError:
        return False
    return True


def ip_or_cidr(value: Value) -> str | None:
    if '/' in str(value):
        return None if _is_subnet(value) else f"'{value}' is not a valid IP subnet"
    return None if _address(value) else f"'{value}' is not a valid IP address"


def mac_addr(value: Value) -> str | None:
    """Accept the notations that Neutron accepts."""
    return (
        None
        if any(shape.fullmatch(str(value)) for shape in _MAC_SHAPES)
        else 'Invalid MAC address.'
    )


def dns_name(value: Value) -> str | None:
    return _dns_problem(str(value)) if value else None


def rel_dns_name(value: Value) -> str | None:
    if not value:
        return None
    if str(value).endswith('.'):
        return f"'{value}' is a FQDN. It should be a relative domain name."
    # reserves three characters: a dot, a top level domain of one letter, a dot
    if len(str(value)) > _FQDN_LIMIT - 3:
        return (
            f"'{value}' contains '{len(str(value))}' characters. "
            'Adding a domain name will cause it to exceed the maximum length of a FQDN '
            f"of '{_FQDN_LIMIT}'."
        )
    return _dns_problem(str(value))


def dns_domain(value: Value) -> str | None:
    if not value:
        return None
    return _dns_problem(str(value)) if str(value).endswith('.') else f"'{value}' must end with '.'."


def _dns_problem(name: str) -> str | None:
    reason: str | None
    if len(name) > _FQDN_LIMIT:
        reason = f"'{name}' exceeds the {_FQDN_LIMIT} character FQDN limit"
    else:
        reason = _dns_labels(name.removesuffix('.').split('.'), absolute=name.endswith('.'))
    return f"'{name}' not in valid format. Reason: {reason}" if reason else None


def _dns_labels(labels: list[str], absolute: bool) -> str | None:
    for label in labels:
        if not label:
            return 'Encountered an empty component.'
        if label.startswith('-') or label.endswith('-'):
            return f"Name '{label}' must not start or end with a hyphen."
        if not _DNS_LABEL.fullmatch(label):
            return (
                f"Name '{label}' must be 1-63 characters long, "
                'each of which can only be alphanumeric or a hyphen.'
            )
    # the last label of a relative name is not the top level domain, and so may be a number
    return (
        f"TLD '{labels[-1]}' must not be all numeric."
        if absolute and len(labels) > 1 and labels[-1].isdigit()
        else None
    )


def cron_expression(value: Value) -> str | None:
    if not value:
        return None
    if len(str(value)) > _CRON_LIMIT:
        return f'Invalid CRON expression: it has more than {_CRON_LIMIT} characters'
    try:
        croniter.croniter.expand(str(value))
    except ValueError as error:
        return f'Invalid CRON expression: {error}'
    except (KeyError, AttributeError, IndexError, TypeError):
        return f'Invalid CRON expression: [{value}] is not acceptable'
    return None


def timezone(value: Value) -> str | None:
    if not value:
        return None
    try:
        zoneinfo.ZoneInfo(str(value))
    except ValueError as error:
        return f'Invalid timezone: {error}'
    except (KeyError, OSError):
        return f"Invalid timezone: 'No time zone found with key {value}'"
    return None


def iso_8601(value: Value) -> str | None:
    try:
        parse_time(value)
    except ValueError:
        return ''
    return None


def expiration(value: Value, now: datetime.datetime) -> str | None:
    """Check for a time after ``now``, an aware datetime.

    Not in CHECKS since this package reads no clock; the caller's ``lookup`` provides the check.
    """
    if not value:
        return None
    try:
        when = parse_time(value)
    except ValueError as error:
        return f'Expiration {value} is invalid: {error}'
    return None if when > now else f'Expiration {value} is invalid: Expiration time is out of date.'


def parse_time(value: Value) -> datetime.datetime:
    """Return an aware datetime from an ISO 8601 string; UTC if it has no offset.

    Raises ValueError for any other value.
    """
    match = _ISO_8601.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise ValueError(f'Unable to parse date string {value!r}')
    part = match.groupdict()
    return datetime.datetime(
        int(part['year']),
        int(part['month_dashed'] or part['month'] or 1),
        int(part['day_dashed'] or part['day'] or 1),
        int(part['hour'] or 0),
        int(part['minute'] or 0),
        int(part['second'] or 0),
        int((part['fraction'] or '0')[:6].ljust(6, '0')),
        tzinfo=_zone(part),
    )


def _zone(part: Mapping[str, Value]) -> Value:
    if part['sign'] is None:
        return datetime.UTC
    offset = datetime.timedelta(hours=int(part['zone_hour']), minutes=int(part['zone_minute'] or 0))
    return datetime.timezone(-offset if part['sign'] == '-' else offset)


def json_string(value: Value) -> str | None:
    if not value:
        return None
    try:
        json.loads(value)
    except (ValueError, TypeError, RecursionError) as error:
        return f'JSON string {value} is invalid: {error}'
    return None


CHECKS = {
    check.__name__: check
    for check in (
        ip_addr,
        net_cidr,
        ip_or_cidr,
        mac_addr,
        dns_name,
        rel_dns_name,
        dns_domain,
        cron_expression,
        timezone,
        iso_8601,
        json_string,
    )
}
