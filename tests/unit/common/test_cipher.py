import pytest

from heat_lite.common import cipher, exception


@pytest.mark.parametrize('text', ['', 'secret', 'ü 😀', 'x' * 10_000])
def test_encrypted_text_decrypts_to_the_plain_text(text):
    method, ciphertext = cipher.encrypt(text, 'key')
    assert cipher.decrypt(method, ciphertext, 'key') == text
    assert not text or text not in ciphertext


def test_equal_texts_have_different_ciphertexts():
    assert cipher.encrypt('secret', 'key') != cipher.encrypt('secret', 'key')


@pytest.mark.parametrize(('method', 'key'), [(cipher.METHOD, 'another'), ('rot13', 'key')])
def test_decrypt_with_wrong_key_or_method_raises(method, key):
    _, ciphertext = cipher.encrypt('secret', 'key')
    with pytest.raises(exception.InvalidEncryptionKey):
        cipher.decrypt(method, ciphertext, key)


def test_decrypt_of_invalid_ciphertext_raises():
    with pytest.raises(exception.InvalidEncryptionKey):
        cipher.decrypt(cipher.METHOD, 'not encrypted at all', 'key')
