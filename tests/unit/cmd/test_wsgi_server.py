"""The request log of the WSGI server."""

import logging

from heat_lite.cmd import wsgi_server


def test_request_log_masks_signatures(caplog):
    caplog.set_level(logging.INFO)
    wsgi_server.LOG.info(
        '127.0.0.1 "PUT /v1/waitcondition/arn?Timestamp=now&Signature=c2VjcmV0%3D'
        '&AWSAccessKeyId=key HTTP/1.1" 200 5 0.1'
    )
    assert caplog.messages == [
        '127.0.0.1 "PUT /v1/waitcondition/arn?Timestamp=now&Signature=***'
        '&AWSAccessKeyId=key HTTP/1.1" 200 5 0.1'
    ]
