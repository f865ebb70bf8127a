"""The scheduler as plug-ins written for Heat use it."""

from heat_lite.plugin import scheduler


def test_task_runner_runs_a_plugin_task_to_its_end():
    steps = []

    def task(name):
        steps.append(f'{name} started')
        yield
        steps.append(f'{name} finished')

    runner = scheduler.TaskRunner(task, 'volume')
    runner.start()
    assert steps == ['volume started']
    runner.run_to_completion(sleep=lambda seconds: None)
    assert steps == ['volume started', 'volume finished']


def test_wrappertask_runs_subtasks_in_place():
    steps = []

    def subtask():
        steps.append('subtask')
        yield

    @scheduler.wrappertask
    def task():
        steps.append('before')
        yield subtask()
        steps.append('after')

    scheduler.TaskRunner(task).run_to_completion(sleep=lambda seconds: None)
    assert steps == ['before', 'subtask', 'after']
