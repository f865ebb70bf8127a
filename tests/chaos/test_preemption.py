"""An engine is killed after an update has interrupted another one that creates a group."""

from tests import databases, engines
from tests.chaos import cloud as chaos_cloud, engine_processes


def generated(held):
    return {'type': 'Test::Generated', 'properties': {'held': held}}


def template(held, **resources):
    group = {
        'type': 'OS::Heat::ResourceGroup',
        'properties': {'count': 2, 'resource_def': generated(held)},
        'depends_on': [*resources],
    }
    return {'resources': {**resources, 'group': group}}


def interrupt(driver):
    """End this process when the group's create is given up and its update has yet to begin."""
    identity = driver.create(template(True), wait=False)
    driver.wait_for_resource(identity, 'group', 'CREATE_IN_PROGRESS')
    driver.update(identity, template(False, first=generated(True)), wait=False)
    driver.wait_for_resource(identity, 'group', 'CREATE_FAILED')
    engine_processes.kill_self()


def test_interrupted_create_of_a_group_fails_no_update_that_is_taken_over(tmp_path):
    (tmp_path / 'cloud').mkdir()
    chaos_cloud.cloud.folder = tmp_path / 'cloud'
    with databases.migrated('postgresql', tmp_path) as url:
        engine_processes.run_engine(url, interrupt)
        chaos_cloud.cloud.release()
        with engines.running(url, chaos_cloud.TYPES, ours=engine_processes.SETTINGS) as driver:
            driver.context.project_id = 'p'
            identity = driver.client.identify_stack(driver.context, stack_name='stack')
            driver.wait(identity)
            assert driver.state(identity) == 'UPDATE_COMPLETE', driver.stack(identity)
