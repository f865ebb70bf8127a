"""When an engine takes requests."""

import pytest

from heat_lite.engine.cluster import heartbeat


class Server:
    """Notes whether it takes requests."""

    takes = True

    def pause(self):
        self.takes = False

    def start(self):
        self.takes = True


class Beat:
    """A heartbeat that is fresh or late."""

    peer_ids = frozenset({'other'})

    def __init__(self):
        self.fresh = True

    def is_fresh(self):
        return self.fresh


@pytest.mark.parametrize(
    ('fresh', 'working', 'takes'),
    [(True, {'other'}, True), (False, {'other'}, False), (False, set(), True)],
    ids=['healthy', 'the only late one', 'all are late'],
)
def test_engine_leaves_requests_to_others_that_work(fresh, working, takes):
    beat, servers = Beat(), [Server(), Server()]
    intake = heartbeat.RequestIntake(beat, working.__contains__, servers)
    beat.fresh = fresh
    intake.check()
    assert [server.takes for server in servers] == [takes, takes]
    beat.fresh = True
    intake.check()
    assert all(server.takes for server in servers)
