"""An engine is stopped in the middle of a create that the cloud finishes later: it is made once."""

import itertools
import signal

import pytest

from tests.chaos import cloud as chaos_cloud, clusters
from tests.chaos.test_engine_crashes import THING, template, thing

REQUESTED = 'Test::Requested'
PAIR = template(a=thing(REQUESTED), b=thing(REQUESTED), c=thing(THING, 'a', 'b'))
#: the seconds that an engine which is stopped leaves to its calls
GRACE = ('env', 'OS_HEAT_LITE__GRACEFUL_SHUTDOWN_TIMEOUT=1')

killed_or_not = pytest.mark.parametrize('killed', [False, True], ids=['kept', 'killed'])


class Case:
    """One stack of a cluster, whose engine is stopped; ``cluster`` always has an engine."""

    numbers = itertools.count()

    def __init__(self, cluster):
        self.cluster = cluster
        self.name = f's{next(self.numbers)}'

    def calls(self, kind, engine=None):
        """Return the objects of this stack in the calls of a kind, of one engine or of all."""
        return [
            name
            for name, process in chaos_cloud.cloud.calls(kind)
            if name.startswith(f'{self.name}-') and engine in (None, process)
        ]

    def requests(self, engine=None):
        return self.calls('request', engine and str(engine.pid))

    def start(self, *variables):
        return self.cluster.start_ready_engine(*GRACE, *variables)

    def start_looking(self, *variables):
        """Start an engine, wait until it has looked for both objects, and return its process."""
        engine = self.start(*variables)
        self.wait_for_looks(engine, 2)
        return engine

    def wait_for_looks(self, engine, count):
        clusters.wait_for(lambda: len(set(self.calls('look', str(engine.pid)))) == count)

    def cut_off(self, *variables):
        """Stop the engine in the middle of two creates. Return the engine that takes over."""
        self.cluster.create(self.name, PAIR)
        clusters.wait_for(lambda: len(self.requests()) == 2)
        (engine,) = self.cluster.engines
        self.cluster.kill(engine, signal.SIGTERM)
        return self.start_looking(*variables)

    def delete(self):
        """Request the delete of the stack. Return its path."""
        path = self.cluster.path(self.name)
        assert self.cluster.request('DELETE', path).status_code == 204
        return path

    def wait_for_deletes(self, path):
        """Wait until both resources are being deleted."""

        def states():
            found = self.cluster.request('GET', f'{path}/resources').json()['resources']
            wanted = [each for each in found if each['resource_type'] == REQUESTED]
            return [each['resource_status'] for each in wanted]

        clusters.wait_for(lambda: states() == ['DELETE_IN_PROGRESS'] * 2)

    def check_complete(self, requests):
        """Wait until the stack is complete; check how often its objects were requested."""
        states = self.cluster.wait([self.name])
        assert states == {self.name: 'CREATE_COMPLETE'}, self.cluster.failure_reasons()
        assert len(self.requests()) == requests
        assert not self.cluster.violations()


def make(names):
    """Make what the cloud was asked for."""
    for name in names:
        chaos_cloud.cloud.create(name)


@pytest.fixture(scope='module', params=[False, True], ids=['alone', 'shared'])
def running_cluster(request, tmp_path_factory):
    with clusters.running_on_shared_servers(
        'mysql',
        tmp_path_factory.mktemp('cluster'),
        engines=1,
        options=f'convergence_engine = {request.param}',
        wrapper=GRACE,
    ) as cluster:
        yield cluster


@pytest.fixture
def case(running_cluster):
    return Case(running_cluster)


@killed_or_not
def test_create_that_outlasts_its_engine_is_found_later(killed, case):
    engine = case.cut_off()
    if killed:
        case.cluster.kill(engine)
        case.start_looking()
    make(case.requests())
    case.check_complete(requests=2)


@killed_or_not
def test_object_that_is_made_during_the_delete_is_deleted(killed, case):
    before = case.cluster.objects()
    engine = case.cut_off()
    path = case.delete()
    case.wait_for_deletes(path)
    if killed:
        case.cluster.kill(engine)
        case.start_looking()
        case.wait_for_deletes(path)
    make(case.requests())
    clusters.wait_for(lambda: case.name not in case.cluster.states())
    assert len(case.requests()) == 2
    assert case.cluster.objects() == before
    assert not case.cluster.violations()


def test_create_that_was_lost_with_its_engine_is_made_again_in_the_end(case):
    engine = case.cut_off('OS_CLIENTS__TIMEOUT=2')
    clusters.wait_for(lambda: len(case.requests()) == 4)
    make(set(case.requests()))
    case.check_complete(requests=4)
    case.cluster.kill(engine)
    case.start()
