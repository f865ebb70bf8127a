"""Shared polling: one list request for several awaited objects."""

from heat_lite.clients import shared_poller


class Api:
    """A collection that records its requests."""

    def __init__(self, *pages):
        self.given = [[{'id': one, 'status': 'BUILD'} for one in page] for page in pages]
        self.asked = []
        self.read = 0

    def pages(self, path, key, **query):
        self.asked.append((path, key, query))
        for page in self.given:
            self.read += 1
            yield page


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def poller_of(api):
    clock = Clock()
    poller = shared_poller.SharedPoller(clock)

    def fetch(one, since=0.0, **more):
        return poller.fetch(api, '/things/detail', 'things', one, since, **more)

    return clock, fetch


def test_fetch_of_two_objects_requests_no_list():
    api = Api(['a', 'b'])
    _, fetch = poller_of(api)
    assert fetch('a') == fetch('b') == (True, None)
    assert not api.asked


def test_fetch_of_three_objects_requests_one_list():
    api = Api(['a', 'b', 'c', 'other'])
    _, fetch = poller_of(api)
    results = [fetch(one) for one in 'abcabc']
    assert results[:2] == [(True, None)] * 2
    assert results[2:] == [(True, {'id': one, 'status': 'BUILD'}) for one in 'cabc']
    assert api.asked == [('/things/detail', 'things', {'limit': shared_poller.MIN_PAGE_SIZE})]


def test_list_is_requested_again_after_its_lifetime():
    api = Api(['a', 'b', 'c'])
    clock, fetch = poller_of(api)
    for _ in range(3):
        for one in 'abc':
            fetch(one)
        clock.now += shared_poller.LIST_LIFETIME
    assert len(api.asked) == 3


def test_list_of_slow_service_is_valid_longer():
    api = Api(['a', 'b', 'c'])
    clock, fetch = poller_of(api)
    api.pages = lambda *args, slow=api.pages, **query: (
        setattr(clock, 'now', clock.now + 4) or slow(*args, **query)
    )
    for one in 'abc':
        fetch(one)
    for _ in range(3):
        clock.now += 1
        assert fetch('a')[1] is not None
    assert len(api.asked) == 1
    clock.now += 1
    fetch('a')
    assert len(api.asked) == 2


def test_fetch_ignores_a_list_older_than_since():
    api = Api(['a', 'b', 'c'])
    clock, fetch = poller_of(api)
    for one in 'abc':
        fetch(one)
    clock.now += shared_poller.LIST_LIFETIME / 2
    assert fetch('a', since=clock.now) == (False, None)
    clock.now += shared_poller.LIST_LIFETIME
    assert fetch('a', since=clock.now - shared_poller.LIST_LIFETIME) == (
        True,
        {'id': 'a', 'status': 'BUILD'},
    )
    assert len(api.asked) == 2


def test_fetch_of_object_missing_in_the_list_returns_unknown():
    api = Api(['a', 'b'])
    _, fetch = poller_of(api)
    assert [fetch(one) for one in 'abc'][2] == (True, None)
    assert len(api.asked) == 1


def test_pages_are_read_until_all_are_found_or_the_limit():
    api = Api(['a', 'x'], ['b', 'c'], ['y'])
    _, fetch = poller_of(api)
    for one in 'abc':
        fetch(one)
    assert api.read == 2
    api = Api(*[[str(number)] for number in range(10)])
    _, fetch = poller_of(api)
    for one in 'abc':
        fetch(one)
    assert api.read == shared_poller.MAX_PAGES


def test_object_not_fetched_again_is_no_longer_awaited():
    api = Api(['a', 'b', 'c'])
    clock, fetch = poller_of(api)
    for one in 'abc':
        fetch(one)
    clock.now += shared_poller.WAITER_LIFETIME + 1
    assert fetch('a') == (True, None)
    assert len(api.asked) == 1


def test_id_filter_lists_awaited_objects_only():
    api = Api(['a', 'b', 'c'])
    _, fetch = poller_of(api)
    for one in 'abc':
        fetch(one, id_filter='id')
    assert api.asked == [('/things/detail', 'things', {'id': ['a', 'b', 'c']})]


def test_fetch_after_failed_list_requests_another():
    class Broken(Api):
        def pages(self, path, key, **query):
            raise OSError

    clock = Clock()
    poller = shared_poller.SharedPoller(clock)
    for one in 'ab':
        poller.fetch(Broken(), 'p', 'k', one, 0.0)
    try:
        poller.fetch(Broken(), 'p', 'k', 'c', 0.0)
    except OSError:
        assert poller.fetch(Api(['a', 'b', 'c']), 'p', 'k', 'c', 0.0) == (
            True,
            {'id': 'c', 'status': 'BUILD'},
        )
    else:
        raise AssertionError('the error was not raised')
