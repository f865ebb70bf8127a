import email
import itertools

import pytest
import yaml

from heat_lite.resources.base import long_texts
from heat_lite.template.functions import budget

MESSAGE = """Content-Type: multipart/mixed; boundary="x"\r
A: b

--x

hello
--x
Content-Type: text/x-shellscript; charset="utf-8"

#!/bin/sh

--x--
after
"""


@pytest.mark.parametrize('text', [MESSAGE, 'plain\n\ntext', '', 'a' * 2000 + '\r\n' * 600])
def test_message_is_that_of_the_library(text):
    assert long_texts.message_of(text).as_string() == email.message_from_string(text).as_string()


@pytest.mark.parametrize(
    'data', [{'a': ['x', {'b': None}], 'c': 'ä\n', 'd': []}, ['- x'], 'text', 1, None]
)
def test_yaml_is_that_of_the_library(data):
    assert long_texts.yaml_of(data) == yaml.safe_dump(data, default_flow_style=False)


def nested(depth):
    return ''.join(
        f'Content-Type: multipart/mixed; boundary="x{number}"\n\n--x{number}\n'
        for number in range(depth)
    )


def test_message_of_too_many_levels_or_parts_is_refused():
    with pytest.raises(ValueError, match='nested too deeply'):
        long_texts.message_of(nested(3000))
    with pytest.raises(ValueError, match='more than 1000 parts'):
        long_texts.message_of('Content-Type: multipart/mixed; boundary="x"\n\n' + '--x\n\n' * 1100)


def test_message_whose_lines_are_compared_for_ever_is_refused(monkeypatch):
    clock = itertools.count(0, 0.001).__next__
    monkeypatch.setattr(budget, 'host', budget.Host(clock, clock))
    monkeypatch.setattr(budget.limits, 'seconds', 0.3)
    with pytest.raises(budget.LimitExceeded, match='0.3 seconds of computation'), budget.fresh():
        long_texts.message_of(nested(300) + 'a\n' * 100_000)
