"""The rows of resources before they are written."""

import sys
import threading

import pytest

from heat_lite.engine.resource.record import Record


@pytest.fixture
def frequent_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_uuid_is_the_same_for_each_thread(frequent_switches):
    for _ in range(200):
        records = [Record(None, 'name', 'stack') for _ in range(50)]
        found, barrier = {}, threading.Barrier(2)

        def read(number, records=records, found=found, barrier=barrier):
            barrier.wait()
            found[number] = [record.uuid for record in records]

        threads = [threading.Thread(target=read, args=[number]) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found[0] == found[1]


def test_other_missing_value_is_an_attribute_error():
    with pytest.raises(AttributeError, match='anything'):
        Record(None, 'name', 'stack').anything  # noqa: B018
