import pytest

from heat_lite.common import crypt, exception


@pytest.mark.parametrize('text', ['', 'secret', 'ü 😀', 'x' * 10_000])
def test_comes_back(text):
    method, sealed = crypt.seal(text, 'key')
    assert crypt.unseal(method, sealed, 'key') == text
    assert not text or text not in sealed


def test_twice_is_not_the_same():
    assert crypt.seal('secret', 'key') != crypt.seal('secret', 'key')


@pytest.mark.parametrize(('method', 'key'), [(crypt.METHOD, 'another'), ('rot13', 'key')])
def test_the_wrong_key_or_method(method, key):
    _, sealed = crypt.seal('secret', 'key')
    with pytest.raises(exception.InvalidEncryptionKey):
        crypt.unseal(method, sealed, key)


def test_broken():
    with pytest.raises(exception.InvalidEncryptionKey):
        crypt.unseal(crypt.METHOD, 'not sealed at all', 'key')
