import html
import json
from urllib import parse

import pytest

from heat_lite.common import log_context
from heat_lite.common.redaction import LIMIT, MASK, Redactor, texts_of

SECRET = 'the "secret" of\nthis\t<tést>/&'


def redact(value, text):
    return Redactor(texts_of(value)).redact(text)


@pytest.mark.parametrize(
    'quote',
    [
        str,
        repr,
        json.dumps,
        lambda text: json.dumps(text, ensure_ascii=False),
        lambda text: repr([text]),
        html.escape,
        parse.quote,
        parse.quote_plus,
    ],
)
def test_value_is_removed_however_it_is_quoted(quote):
    text = redact(SECRET, f'Value {quote(SECRET)} is wrong')
    assert 'secret' not in text and text.startswith('Value ') and text.endswith(' is wrong')


def test_lone_surrogate_is_removed():
    assert redact('planted\ud800x', 'x planted\ud800x y') == f'x {MASK} y'


@pytest.mark.parametrize('value', [{'a': ['deep', {'b': 'planted'}]}, ['planted'], 'planted'])
def test_parts_of_a_value_are_removed(value):
    assert redact(value, 'x planted y') == f'x {MASK} y'


def test_number_is_removed_from_texts_and_data():
    redactor = Redactor(texts_of(481516))
    assert redactor.redact('481516 is out of range') == f'{MASK} is out of range'
    assert redactor.redact_data({'a': [481516, 4, True, None]}) == {'a': [MASK, 4, True, None]}


@pytest.mark.parametrize(
    ('value', 'texts'),
    [
        ('048151', ['048151', '48151', '48151.0']),
        (7418529.75, ['7418529.75', '7418529']),
        ('1.5e5', ['1.5e5', '150000']),
        ('12345678901234567890', ['12345678901234567890', '12345678901234567168']),
    ],
)
def test_number_is_removed_as_properties_convert_it(value, texts):
    for text in texts:
        assert redact(value, f'{text} is out of range') == f'{MASK} is out of range'


@pytest.mark.parametrize('value', ['inf', 'nan', '1e999', '9' * 5000, float('inf')])
def test_numbers_without_other_forms_are_texts(value):
    assert redact([value, 'planted'], 'x planted') == f'x {MASK}'


def test_beginning_of_a_long_value_is_removed():
    secret = ''.join(chr(ord('a') + number % 26) + str(number) for number in range(100))
    assert redact(secret, f'Value "{secret[:77]}...') == f'Value "{MASK}...'
    assert redact(secret, f'Value "{secret[:10]}') == f'Value "{secret[:10]}'


@pytest.mark.parametrize('value', ['', 'abc', True, None, 'true', 12, [], {}])
def test_short_and_common_values_stay(value):
    assert redact(value, f'{value} abc true None 12') == f'{value} abc true None 12'


def test_text_with_too_many_secrets_is_masked_as_a_whole():
    assert redact([f'value {number}' for number in range(LIMIT + 1)], 'harmless') == MASK


def test_forms_of_too_many_secrets_are_not_computed():
    redactor = Redactor(f'value {number}' for number in range(100 * LIMIT))
    assert redactor.redact('harmless') == MASK
    assert not redactor._variants


def test_redaction_of_a_long_text_of_beginnings_ends():
    redactor = Redactor(texts_of([f'value-{number}-' * 20 for number in range(LIMIT // 2)]))
    assert redactor.redact('value-' * 50_000) == 'value-' * 50_000


def test_secrets_belong_to_the_subject_of_the_thread():
    log_context.set_subject(log_context.subject_of_arguments({}))
    try:
        log_context.add_secrets(['planted'])
        assert log_context.get_subject().redactor.redact('planted') == MASK
        log_context.set_subject(log_context.subject_of_arguments({}))
        assert log_context.get_subject().redactor.redact('planted') == 'planted'
    finally:
        log_context.set_subject(None)
