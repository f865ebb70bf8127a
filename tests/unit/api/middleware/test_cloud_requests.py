"""Which requests the filter of a service with its own stack users passes to which application."""

import pytest
import webob

from heat_lite.api.middleware import cloud_requests
from heat_lite.common.local_stack_domain import LocalStackDomain

FORM = 'application/x-www-form-urlencoded'


def application(name):
    return lambda environ, start_response: webob.Response(name)(environ, start_response)


@pytest.fixture
def served():
    names = ('plain', 'signed', 'identity', 'guarded')
    plain, *others = (application(name) for name in names)
    return cloud_requests.StackUserFilter(plain, LocalStackDomain(['k' * 32]), *others)


@pytest.mark.parametrize(
    ('method', 'path', 'kind', 'expected'),
    [
        ('PUT', '/v1/signal/arn:x', '', 'signed'),
        ('GET', '/v1/deployments/2a5028ac-925d-4611-94d6-50ddd828d760', '', 'signed'),
        ('GET', '/v1/deployments/stacks', '', 'guarded'),
        ('GET', '/v1/?Action=DescribeStackResource', '', 'signed'),
        ('GET', '/v1?Action=DescribeStackResource', '', 'signed'),
        ('POST', '/v1/', FORM, 'signed'),
        ('GET', '/v1/', '', 'guarded'),
        ('POST', '/v1/demo/stacks', FORM, 'guarded'),
        ('GET', '/v1/demo/stacks?Action=ListStacks', '', 'guarded'),
        ('GET', '/identity/v3', '', 'identity'),
    ],
)
def test_request_goes_to_the_application_of_its_kind(served, method, path, kind, expected):
    request = webob.Request.blank(path, method=method)
    request.content_type = kind
    assert request.get_response(served).text == expected
