import pytest

from heat_lite.common import identifier
from heat_lite.common.identifier import HeatIdentifier


@pytest.mark.parametrize(
    ('parts', 'path'),
    [
        (('p', 's', '1'), 'p/stacks/s/1'),
        (('p', 's', None), 'p/stacks/s/'),
        (('p', 's', '1', 'resources/r'), 'p/stacks/s/1/resources/r'),
        (
            ('a/b', 'c d', '1', '/resources/a-b.c_d~e:f'),
            'a%2Fb/stacks/c%20d/1/resources/a-b.c_d~e:f',
        ),
        (('p', 's', '1', '/resources/ü%?#\n'), 'p/stacks/s/1/resources/%C3%BC%25%3F%23%0A'),
    ],
)
def test_identifier_survives_url_path_arn_and_dict(parts, path):
    identity = HeatIdentifier(*parts)
    assert identity.url_path() == path
    assert identity.arn() == f'arn:openstack:heat::{path.replace("/stacks", ":stacks", 1)}'
    assert HeatIdentifier.from_dict(identity.as_dict()) == identity
    if identity.stack_id:
        assert HeatIdentifier.from_arn(identity.arn()) == identity


def test_stack_path_with_quoted_path_equals_url_path():
    identity = HeatIdentifier('p', 's t', '1', '/resources/r x')
    assert (
        identifier.stack_path('p', 's t', '1') + identifier.quoted_path('/resources/r x')
        == identity.url_path()
    )
