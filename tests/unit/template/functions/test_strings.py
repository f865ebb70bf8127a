import hashlib
import string

import pytest
from hypothesis import given, strategies as st

from heat_lite.template.function import Scope
from heat_lite.template.functions import replacement, strings

KEYS = st.text('abc', min_size=1, max_size=3)


def plainly(text, pairs):
    """Reference algorithm: replace the first key, then the others in the text between."""
    if not pairs:
        return text
    (key, value), *others = pairs
    return value.join(plainly(part, others) for part in text.split(key))


@given(st.text('abcd', max_size=30), st.dictionaries(KEYS, st.text('abcd', max_size=3), max_size=6))
def test_replace_matches_the_reference_algorithm(text, params):
    pairs = list(params.items())
    replaced, unused = replacement.replace(text, pairs, 'str_replace')
    assert replaced == plainly(text, pairs)
    assert all(
        key not in text or any(other in text for other in params if other != key) for key in unused
    )


def test_replace_many_keys_is_fast():
    params = {f'${number}$': str(number) for number in range(3000)}
    node = strings.Replace('str_replace', {'template': ' '.join(params), 'params': params})
    assert node.result(Scope()) == ' '.join(map(str, range(3000)))


@pytest.mark.parametrize(
    ('parts', 'url'),
    [
        ({'scheme': 'http', 'host': 'h', 'port': 80, 'path': '/a b'}, 'http://h:80/a%20b'),
        ({'scheme': 'http', 'path': 'x'}, 'http:///x'),
        ({'host': '::1', 'port': '8080'}, '//[::1]:8080'),
        ({'username': 'u@', 'password': 'p:', 'host': 'h'}, '//u%40:p%3A@h'),
        ({'scheme': 'http', 'fragment': 'f'}, 'http://#f'),
        ({'path': 'x', 'query': {'a': 1}}, 'x?a=1'),
        ({'path': '/ü?', 'query': {'a b': 'c&=ü/'}}, '/%C3%BC%3F?a+b=c%26%3D%C3%BC/'),
        ({}, ''),
    ],
)
def test_make_url_builds_urls(parts, url):
    assert strings.MakeUrl('make_url', parts).result(Scope()) == url


@pytest.mark.parametrize('algorithm', ['md5', 'SHA512', 'sha3_256'])
@given(text=st.text(string.printable))
def test_digest_is_hexadecimal(algorithm, text):
    digest = strings.Digest('digest', [algorithm, text]).result(Scope())
    assert digest == digest.lower() and int(digest, 16) >= 0


@pytest.mark.parametrize('text', ['\u00e9', '\u65e5\u672c'])
def test_digest_is_that_of_utf_8(text):
    digest = strings.Digest('digest', ['md5', text]).result(Scope())
    assert digest == hashlib.md5(text.encode()).hexdigest()


def test_list_join_error_shortens_items():
    node = strings.Join('Fn::Join', ['', [{'a': 'x' * 500}]])
    with pytest.raises(TypeError) as caught:
        node.result(Scope())
    assert len(str(caught.value)) == len('Items to join must be strings not ...') + 200
