"""No unit test reads a clock or sleeps: speed belongs to the benchmark, fairness to the attacks.

A test waits for a state (``tests/timeouts.py: wait_until``), passes a clock in, or counts the work
(``tests/effort.py: count_calls``): the load of the machine changes none of them.
"""

import ast
from pathlib import Path

import pytest

UNIT = Path(__file__).parent
CLOCKS = {
    *('time', 'time_ns', 'monotonic', 'monotonic_ns', 'perf_counter', 'perf_counter_ns'),
    *('process_time', 'process_time_ns', 'thread_time', 'thread_time_ns', 'sleep'),
}


def clocks(tree):
    """Yield the clocks of the module ``time`` that a module names."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id='time'), attr=name) if name in CLOCKS:
                yield f'{name} in line {node.lineno}'
            case ast.ImportFrom(module='time'):
                yield f'import in line {node.lineno}'


@pytest.mark.parametrize('path', sorted(UNIT.rglob('*.py')), ids=lambda p: str(p.relative_to(UNIT)))
def test_unit_test_reads_no_clock(path):
    assert list(clocks(ast.parse(path.read_text()))) == []
