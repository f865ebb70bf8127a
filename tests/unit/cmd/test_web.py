"""What the log of requests tells."""

import logging

from heat_lite.cmd import web


def test_signatures_do_not_come_into_the_log(caplog):
    caplog.set_level(logging.INFO)
    web.LOG.info('127.0.0.1 "PUT /v1/waitcondition/arn?Timestamp=now&Signature=c2VjcmV0%3D&AWSAccessKeyId=key HTTP/1.1" 200 5 0.1')
    assert caplog.messages == ['127.0.0.1 "PUT /v1/waitcondition/arn?Timestamp=now&Signature=***&AWSAccessKeyId=key HTTP/1.1" 200 5 0.1']
