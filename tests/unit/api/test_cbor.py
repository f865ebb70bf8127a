"""CBOR as AWS's protocol of RPC has it."""

import datetime

import cbor2
import pytest

from heat_lite.api.aws import cbor

VALUE = {
    'a': [True, False, 0, 23, 24, 255, 256, 65536, 2**32, -1, -25, 0.5, '', '\u00e4' * 300],
    'b': {str(number): [] for number in range(30)},
}
#: examples of RFC 8949, appendix A
EXAMPLES = {
    '1b000000e8d4a51000': 1000000000000,
    '3903e7': -1000,
    'f93c00': 1.0,
    'fa47c35000': 100000.0,
    'f6': None,
    'c11a514b67b0': datetime.datetime(2013, 3, 21, 20, 4, tzinfo=datetime.UTC),
    '7f657374726561646d696e67ff': 'streaming',
    '9f018202039f0405ffff': [1, [2, 3], [4, 5]],
    'bf61610161629f0203ffff': {'a': 1, 'b': [2, 3]},
}


def test_decoded_value_is_the_encoded_one():
    assert cbor.decode(cbor2.dumps(VALUE)) == VALUE


@pytest.mark.parametrize('text', EXAMPLES)
def test_examples_of_the_standard_are_decoded(text):
    assert cbor.decode(bytes.fromhex(text)) == EXAMPLES[text]


def test_each_beginning_of_a_text_is_refused():
    data = bytes.fromhex('a261618401f941006474657874c1016162f5')
    for length in range(len(data)):
        with pytest.raises(ValueError):
            cbor.decode(data[:length])


@pytest.mark.parametrize(
    'text',
    ['0000', 'c261', 'ff', '1c', '9f', 'a180f6', 'c1fb7ff0000000000000', '61ff', 'a101f6', 'c1c100']
    + ['81' * 60 + '00', '9bffffffffffffffff00', 'c16161', '7f01ff', 'a1810100'],
)
def test_text_that_is_none_is_refused(text):
    with pytest.raises(ValueError):
        cbor.decode(bytes.fromhex(text))


@pytest.mark.parametrize('value', ['00', '4101', '820001', '6161', 'a0', '8101'])
def test_tags_but_that_of_times_are_refused(value):
    for tag in range(2, 2**16 if value == '00' else 300):
        with pytest.raises(ValueError, match='tag'):
            cbor.decode(b'\xd9' + tag.to_bytes(2) + bytes.fromhex(value))
    assert list(cbor._TAGS) == [cbor.TIME_TAG], 'a refused tag is kept'
