"""Regular expressions of users: none runs beyond its time limit, none holds up other requests."""

import re
import threading
import time

import pytest

from heat_lite.common import exception
from heat_lite.template import constraints, patterns
from heat_lite.template.function import Scope
from heat_lite.template.functions import budget, yaql
from tests.attacks import bystander
from tests.functional import shapes

SLOW = '(a|aa)+$'
TEXT = 'a' * 80 + 'b'
SECONDS = 60  # of the test machine, which may be busy: without a limit it would be hours
# of work of the service during one request of another project; the aim is 1
BYSTANDER_SECONDS = 2

#: patterns, each for texts that ``re`` and ``regex`` could take differently
PAIRS = {
    'a{e<=1}': ['a', 'a{e<=1}', 'b'],
    '[[:alpha:]]': ['a]', ':]', 'a'],
    '[]a]+': ['a]', 'b'],
    'x{,2}': ['', 'xx', 'xxx'],
    '{}': ['{}', ''],
    r'\N{DIGIT ONE}': ['1', 'N'],
    '(?i)abc': ['ABC', 'abd'],
    '(?x) a # {c}': ['a', 'a#'],
    '[^]x]': [']', 'a'],
    '(?i)\u00df': ['SS', '\u1e9e'],
    r'^(\d{1,3}\.){3}\d{1,3}\Z': ['10.0.0.1', '10.0.0', '10.0.0.1\n'],
}


@pytest.mark.parametrize('pattern', PAIRS)
@pytest.mark.filterwarnings('ignore:Possible nested set')
def test_pattern_matches_as_the_standard_library(pattern):
    for text in PAIRS[pattern]:
        for method in ('match', 'fullmatch', 'search'):
            expected = getattr(re.compile(pattern), method)(text)
            found = getattr(patterns.compile_pattern(pattern), method)(text)
            assert bool(found) == bool(expected), (method, text)


@pytest.mark.parametrize('text', ['(', r'\p{L}', '(?<=a+)b', 'a{2,1}', '*', '(?P<x>a)(?P<x>b)'])
def test_pattern_that_is_no_regular_expression_has_the_usual_error(text):
    with pytest.raises(re.error) as expected:
        re.compile(text)
    with pytest.raises(re.error) as found:
        patterns.compile_pattern(text)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize(
    'text',
    [
        'a' * 20_000,
        '(?:(?:(?:ab){1000}){1000}){1000}',
        '(?:' * 40 + 'ab' + ')+' * 40,
        '(?:' * 20 + 'a' + '){1,50}' * 20,
        '(' * 5000 + ')' * 5000,
    ],
)
def test_pattern_that_is_too_large_is_refused_at_once(text):
    begun = time.process_time()
    with pytest.raises(re.error):
        patterns.compile_pattern(text)
    assert time.process_time() - begun < 2


def test_ranges_that_ignore_case_are_compiled_soon():
    begun = time.process_time()
    patterns.compile_pattern('(?i)' + '[\x00-\U0010ffff]' * 300)
    assert time.process_time() - begun < 2


def test_allowed_pattern_that_takes_too_long_names_the_pattern():
    begun = time.monotonic()
    problem = constraints.AllowedPattern(SLOW).violation(TEXT, None, None)
    assert f'"{SLOW}" takes too long' in problem
    assert time.monotonic() - begun < SECONDS


def test_other_threads_run_while_a_pattern_matches():
    turns = 0
    over = threading.Event()

    def count():
        nonlocal turns
        while not over.wait(0.01):
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        with pytest.raises(budget.LimitExceeded):
            patterns.compile_pattern(SLOW).search(TEXT)
    finally:
        over.set()
        thread.join()
    assert turns > 3


def test_patterns_of_one_request_share_its_seconds(monkeypatch):
    monkeypatch.setattr(budget.limits, 'seconds', 0.6)
    monkeypatch.setattr(budget.limits, 'pattern_seconds', 0.25)
    begun = time.process_time()
    with budget.fresh():
        for _ in range(50):
            with pytest.raises(budget.LimitExceeded):
                patterns.compile_pattern(SLOW).search(TEXT)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    'expression',
    [
        f'regex("{SLOW}").matches($.data)',
        f'$.data =~ "{SLOW}"',
        f'$.data !~ regex("{SLOW}")',
        f'$.data.matches("{SLOW}")',
        f'regex("{SLOW}").search($.data)',
        f'regex("{SLOW}").searchAll($.data)',
        f'regex("{SLOW}").split($.data)',
        f'regex("{SLOW}").replace($.data, "x")',
        f'$.data.replaceBy(regex("{SLOW}"), "x")',
    ],
)
def test_pattern_in_yaql_takes_too_long(expression):
    begun = time.monotonic()
    node = yaql.Yaql('yaql', {'expression': expression, 'data': TEXT})
    with pytest.raises(ValueError, match='takes too long'):
        node.result(Scope())
    assert time.monotonic() - begun < SECONDS


def test_pattern_in_yaql_that_is_not_valid_is_an_error_of_the_user():
    node = yaql.Yaql('yaql', {'expression': 'regex("(")', 'data': {}})
    with pytest.raises(ValueError, match='is not a regular expression'):
        node.result(Scope())


def test_schema_error_of_a_pattern_is_unchanged():
    with pytest.raises(exception.InvalidSchemaError, match='is not a regular expression'):
        constraints.AllowedPattern('(')


@shapes.of('embedded')
def test_name_of_resource_types_does_not_hold_up_others(service):
    with bystander.asking(service) as waits:
        begun = time.monotonic()
        answer = service.ask('GET', '/resource_types', params={'name': r'(\w|\w\w|:)+[!?]'})
        spent = time.monotonic() - begun
    assert answer.status_code == 400, answer.text
    assert 'takes too long' in answer.json()['error']['message']
    assert spent < SECONDS
    assert waits.longest < BYSTANDER_SECONDS
