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


# uuid of a resource and end of the name of its nested stack, as Heat 27.0.1 stored them
@pytest.mark.parametrize(
    ('resource_uuid', 'expected'),
    [
        ('5b0f7eb8-25ce-4c0a-a22c-f61a024e12b7', 'ycrfzznq67vy'),
        ('6508d765-9ca5-4c01-8f65-26b8456447fd', 'yam4uvsqrv3f'),
        ('95543c3b-8520-433f-81cc-889db67f7add', 'gp4feckvipb3'),
    ],
)
def test_short_id_of_a_uuid_equals_that_of_heat(resource_uuid, expected):
    assert identifier.short_id(resource_uuid) == expected
    assert identifier.physical_name('s', 'r', resource_uuid) == f's-r-{expected}'
