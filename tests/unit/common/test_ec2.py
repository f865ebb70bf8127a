"""EC2 signatures, compared with the example of Amazon's documentation."""

import urllib.parse

from heat_lite.common import ec2


def test_sign_request_of_the_documentation_gives_its_signature():
    params = {
        'Action': 'DescribeJobFlows',
        'Version': '2009-03-31',
        'AWSAccessKeyId': 'AKIAIOSFODNN7EXAMPLE',
        'SignatureVersion': '2',
        'SignatureMethod': 'HmacSHA256',
        'Timestamp': '2011-10-03T15:19:30',
    }
    secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
    signature = ec2.sign(secret, 'GET', 'elasticmapreduce.amazonaws.com', '/', params)
    assert signature == 'i91nKc4PWAt0JJIdXwz9HxZCJDdiy6cf/Mj6vPxyYIs='


def test_signed_url_is_verified_from_the_request_of_the_server():
    arn = 'arn%3Aopenstack%3Aheat%3A%3At%3Astacks/s/1/resources/h'
    url = f'http://Cloud.example:8000/v1/waitcondition/{arn}'
    signed = ec2.signed_url(url, 'key', 'secret')
    assert signed.startswith(url + '?')
    parts = urllib.parse.urlsplit(signed)
    params = dict(urllib.parse.parse_qsl(parts.query))
    signature = params.pop('Signature')
    assert params == {
        'AWSAccessKeyId': 'key',
        'SignatureMethod': 'HmacSHA256',
        'SignatureVersion': '2',
    }, 'without a timestamp the signature does not expire'
    path = '/v1/waitcondition/arn:openstack:heat::t:stacks/s/1/resources/h'
    assert ec2.sign('secret', 'PUT', 'cloud.example:8000', path, params) == signature
    assert ec2.sign('secret', 'POST', 'cloud.example:8000', path, params) != signature
    assert ec2.sign('another', 'PUT', 'cloud.example:8000', path, params) != signature
