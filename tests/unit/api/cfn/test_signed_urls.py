"""Signed URLs without the filter that verifies their signatures."""

import pytest
import webob

from heat_lite.api import wsgi
from heat_lite.api.aws import faults
from heat_lite.api.cfn.signed_urls import SignedUrlApplication
from heat_lite.common import context

ARN = 'arn:openstack:heat::p:stacks/s/id/resources/r'


@pytest.mark.parametrize(
    ('method', 'kind'), [('GET', 'signal'), ('POST', 'waitcondition'), ('DELETE', 'signal')]
)
def test_signal_by_another_method_is_refused(method, kind):
    application = SignedUrlApplication(None, None, None, 0)
    request = webob.Request.blank(f'/v1/{kind}/{ARN}', method=method)
    request.environ[wsgi.CONTEXT] = context.admin_context()
    with pytest.raises(faults.Fault, match='is not supported'):
        request.get_response(application)
