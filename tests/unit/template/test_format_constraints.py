import datetime

import pytest

from heat_lite.template import format_constraints

LONG = '.'.join(['a' * 60] * 5)

GOOD = {
    'ip_addr': ['1.2.3.4', '::1', '::ffff:1.2.3.4'],
    'net_cidr': ['10.0.0.0/24', '10.0.0.1/24', '::/64', '0.0.0.0/0'],
    'ip_or_cidr': ['10.0.0.0/24', '10.0.0.0', '::1'],
    'mac_addr': [
        '00:11:22:33:44:55',
        '00-11-22-33-44-55',
        '0011.2233.4455',
        '001122334455',
        '00:11:22',
    ],
    'dns_name': ['a.example.org', 'a', 'a.', '', '1.2', 'a.1', '1.', 'xn--a.org', 'a.b.c.'],
    'rel_dns_name': ['a.b', 'a', ''],
    'dns_domain': ['example.org.', 'a.', ''],
    'cron_expression': ['* * * * *', '* * * * * *', '*/5 * * * *', '@daily', '', '0 0 * jan mon'],
    'timezone': ['UTC', 'Europe/Berlin', ''],
    'iso_8601': [
        '2020-01-02T03:04:05Z',
        '2020',
        '2020-01-02',
        '20200102T030405Z',
        '2020-01-02 03:04:05',
        '2020-01-02T03:04:05.123456+02:00',
        '2020-1-2',
    ],
    'json_string': ['{"a": 1}', '[]', '5', '"x"', 'null', ''],
}

HYPHEN = 'must not start or end with a hyphen.'
LENGTH = 'must be 1-63 characters long, each of which can only be alphanumeric or a hyphen.'
BAD = [
    ('ip_addr', '1.2.3', 'Invalid IP address'),
    ('ip_addr', '01.2.3.4', 'Invalid IP address'),
    ('ip_addr', 'fe80::1%eth0', 'Invalid IP address'),
    ('ip_addr', 5, 'Invalid IP address'),
    ('net_cidr', '10.0.0.0', "'10.0.0.0' is not a valid IP subnet"),
    ('net_cidr', '10/8', "'10/8' is not a valid IP subnet"),
    ('net_cidr', '10.0.0.0/255.0.0.0', "'10.0.0.0/255.0.0.0' is not a valid IP subnet"),
    ('net_cidr', '10.0.0.0/33', 'Invalid net cidr invalid IPNetwork 10.0.0.0/33 '),
    ('net_cidr', '', 'Invalid net cidr invalid IPNetwork  '),
    ('ip_or_cidr', '10.0.0', "'10.0.0' is not a valid IP address"),
    ('ip_or_cidr', '1.2.3.4/99', "'1.2.3.4/99' is not a valid IP subnet"),
    ('mac_addr', 'zz', 'Invalid MAC address.'),
    ('mac_addr', '00:11:22:33:44:55:66', 'Invalid MAC address.'),
    ('mac_addr', '00:11-22:33:44:55', 'Invalid MAC address.'),
    ('dns_name', '-bad-.org', f"'-bad-.org' not in valid format. Reason: Name '-bad-' {HYPHEN}"),
    ('dns_name', 'a..b', "'a..b' not in valid format. Reason: Encountered an empty component."),
    ('dns_name', 'a_b.org', f"'a_b.org' not in valid format. Reason: Name 'a_b' {LENGTH}"),
    (
        'dns_name',
        LONG,
        f"'{LONG}' not in valid format. Reason: '{LONG}' exceeds the 255 character FQDN limit",
    ),
    ('rel_dns_name', 'a.b.', "'a.b.' is a FQDN. It should be a relative domain name."),
    (
        'rel_dns_name',
        LONG,
        f"'{LONG}' contains '304' characters. Adding a domain name will cause it to "
        f"exceed the maximum length of a FQDN of '255'.",
    ),
    ('dns_domain', 'example.org', "'example.org' must end with '.'."),
    ('dns_domain', '1.2.', "'1.2.' not in valid format. Reason: TLD '2' must not be all numeric."),
    ('timezone', 'Mars/Base', "Invalid timezone: 'No time zone found with key Mars/Base'"),
    ('timezone', 'Europe', "Invalid timezone: 'No time zone found with key Europe'"),
    ('iso_8601', '12:30', ''),
    ('iso_8601', '2020-W01', ''),
    ('iso_8601', '2020-13-01', ''),
    ('iso_8601', '5', ''),
    ('iso_8601', None, ''),
]


@pytest.mark.parametrize(
    ('name', 'value'), [(name, value) for name, values in GOOD.items() for value in values]
)
def test_format_valid_value_is_accepted(name, value):
    assert format_constraints.CHECKS[name](value) is None


@pytest.mark.parametrize(('name', 'value', 'reason'), BAD)
def test_format_invalid_value_is_refused(name, value, reason):
    assert format_constraints.CHECKS[name](value) == reason


@pytest.mark.parametrize(
    ('name', 'value'),
    [('cron_expression', '60 * * * *'), ('cron_expression', 'x'), ('json_string', '{a')],
)
def test_format_error_contains_the_library_message(name, value):
    assert value in format_constraints.CHECKS[name](
        value
    ) or 'columns' in format_constraints.CHECKS[name](value)


def test_each_format_check_has_examples():
    assert GOOD.keys() == format_constraints.CHECKS.keys()


def test_expiration_uses_the_given_time():
    now = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    assert format_constraints.expiration('2024-01-01T00:00:01Z', now) is None
    assert format_constraints.expiration('2024-01-01T00:30:00+01:00', now).endswith(
        'Expiration time is out of date.'
    )
    assert (
        format_constraints.expiration('x', now)
        == "Expiration x is invalid: Unable to parse date string 'x'"
    )
    assert format_constraints.expiration('', now) is None


def test_parse_time_returns_aware_datetime():
    assert format_constraints.parse_time('2020-01-02T03:04:05.5-02:30') == datetime.datetime(
        2020, 1, 2, 5, 34, 5, 500000, datetime.UTC
    )
