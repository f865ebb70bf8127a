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


KEY = '0123456789abcdef0123456789abcdef'
#: the word "vermilion", encrypted by Heat 27 (the first) and by the formats of earlier releases
FROM_HEAT = {
    'cryptography_decrypt_v1': (
        'gAAAAABrAz23Cs34GzRBQEwHtMKuAn8ZwFr0vLYTfXpvwap2zXsBHklpt4Es'
        'eZIKQOxnPcfMhjE8yuN8RsJywy-5YIIvUpc1YA=='
    ),
    'oslo_decrypt_v1': 'pFusKbEGMJ1RgEfA1quxkF1BN9Mq1s9FXAVe8al7ZgQ=',
    'heat_decrypt': 'pFusKbEGMJ1RgEfA1quxkNbm7zR++khyFQ==',
}


@pytest.mark.parametrize('method', FROM_HEAT)
def test_secrets_of_heat_are_decrypted(method):
    assert cipher.decrypt(method, FROM_HEAT[method], KEY) == 'vermilion'
    assert cipher.decrypt(method, FROM_HEAT[method], 'f' * 32, [KEY]) == 'vermilion'


@pytest.mark.parametrize('method', ['cryptography_decrypt_v1', 'oslo_decrypt_v1'])
def test_secrets_of_heat_need_their_key(method):
    with pytest.raises(exception.InvalidEncryptionKey):
        cipher.decrypt(method, FROM_HEAT[method], 'f' * 32)


@pytest.mark.parametrize('key', [KEY, 'k' * 16, 'k' * 24])
def test_text_encrypted_for_heat_decrypts_to_the_plain_text(key):
    method, ciphertext = cipher.heat_encrypt('vermilion', key)
    assert method == 'cryptography_decrypt_v1'
    assert cipher.decrypt(method, ciphertext, key) == 'vermilion'
