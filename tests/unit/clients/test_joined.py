"""Watching many objects of one kind by one list."""

from heat_lite.clients import joined


class Api:
    """A collection that counts what it is asked."""

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


def watch(api):
    clock = Clock()
    made = joined.Joined(clock)

    def look(one, since=0.0, **more):
        return made.look(api, '/things/detail', 'things', one, since, **more)

    return clock, look


def test_a_few_are_asked_for_one_by_one():
    api = Api(['a', 'b'])
    _, look = watch(api)
    assert look('a') == look('b') == (True, None)
    assert not api.asked


def test_many_are_told_by_one_list():
    api = Api(['a', 'b', 'c', 'other'])
    _, look = watch(api)
    told = [look(one) for one in 'abcabc']
    assert told[:2] == [(True, None)] * 2
    assert told[2:] == [(True, {'id': one, 'status': 'BUILD'}) for one in 'cabc']
    assert api.asked == [('/things/detail', 'things', {'limit': joined.LEAST_PAGE})]


def test_a_list_tells_for_a_moment_only():
    api = Api(['a', 'b', 'c'])
    clock, look = watch(api)
    for _ in range(3):
        for one in 'abc':
            look(one)
        clock.now += joined.FRESH
    assert len(api.asked) == 3


def test_a_service_that_is_slow_is_asked_less_often():
    api = Api(['a', 'b', 'c'])
    clock, look = watch(api)
    api.pages = lambda *args, slow=api.pages, **query: setattr(clock, 'now', clock.now + 4) or slow(*args, **query)
    for one in 'abc':
        look(one)
    for _ in range(3):
        clock.now += 1
        assert look('a')[1] is not None
    assert len(api.asked) == 1
    clock.now += 1
    look('a')
    assert len(api.asked) == 2


def test_what_was_told_before_one_began_to_wait_is_not_for_him():
    api = Api(['a', 'b', 'c'])
    clock, look = watch(api)
    for one in 'abc':
        look(one)
    clock.now += joined.FRESH / 2
    assert look('a', since=clock.now) == (False, None)
    clock.now += joined.FRESH
    assert look('a', since=clock.now - joined.FRESH) == (True, {'id': 'a', 'status': 'BUILD'})
    assert len(api.asked) == 2


def test_who_is_not_in_the_list_is_asked_for_alone():
    api = Api(['a', 'b'])
    _, look = watch(api)
    assert [look(one) for one in 'abc'][2] == (True, None)
    assert len(api.asked) == 1


def test_pages_are_read_until_all_are_found_and_not_for_ever():
    api = Api(['a', 'x'], ['b', 'c'], ['y'])
    _, look = watch(api)
    for one in 'abc':
        look(one)
    assert api.read == 2
    api = Api(*[[str(number)] for number in range(10)])
    _, look = watch(api)
    for one in 'abc':
        look(one)
    assert api.read == joined.MOST_PAGES


def test_who_has_not_come_again_is_forgotten():
    api = Api(['a', 'b', 'c'])
    clock, look = watch(api)
    for one in 'abc':
        look(one)
    clock.now += joined.FORGET + 1
    assert look('a') == (True, None)
    assert len(api.asked) == 1


def test_some_services_can_be_asked_for_some_objects_only():
    api = Api(['a', 'b', 'c'])
    _, look = watch(api)
    for one in 'abc':
        look(one, by='id')
    assert api.asked == [('/things/detail', 'things', {'id': ['a', 'b', 'c']})]


def test_a_list_that_fails_is_no_end():
    class Broken(Api):
        def pages(self, path, key, **query):
            raise OSError

    clock = Clock()
    made = joined.Joined(clock)
    for one in 'ab':
        made.look(Broken(), 'p', 'k', one, 0.0)
    try:
        made.look(Broken(), 'p', 'k', 'c', 0.0)
    except OSError:
        assert made.look(Api(['a', 'b', 'c']), 'p', 'k', 'c', 0.0) == (True, {'id': 'c', 'status': 'BUILD'})
    else:
        raise AssertionError('nobody heard of it')
