from heat_lite.engine.signals.wait_registry import WaitRegistry


def is_notified(wakeup):
    calls = []
    wakeup.on_notify(lambda: calls.append(1))
    return bool(calls)


def test_notify_wakes_all_tasks_of_its_key_only():
    registry = WaitRegistry()
    first, second, other = registry.register(1), registry.register(1), registry.register(2)
    assert registry.notify(1)
    assert is_notified(first) and is_notified(second) and not is_notified(other)
    assert not registry.notify(1), 'they have been notified'


def test_notify_ignores_unregistered_tasks():
    registry = WaitRegistry()
    wakeup = registry.register(1, timeout=5)
    assert wakeup.seconds == 5
    registry.unregister(1, wakeup)
    registry.unregister(1, wakeup)
    assert not registry.notify(1)
