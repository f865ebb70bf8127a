import threading
import types

from heat_lite.engine import notification


class Bus:
    """Stands in for oslo.messaging's notifier; ``gate`` is the broker coming back."""

    def __init__(self):
        self.gate, self.busy = threading.Event(), threading.Event()
        self.told, self.payloads = [], []

    def info(self, context, event_type, payload):
        self.busy.set()
        self.gate.wait(10)
        if payload is None:
            raise OSError('the broker is gone')
        self.told.append(('info', event_type))
        self.payloads.append(payload)

    def error(self, context, event_type, payload):
        self.told.append(('error', event_type))
        self.payloads.append(payload)


def test_notifications_are_sent_in_order_without_blocking():
    bus = Bus()
    sender = notification.Notifications(bus)
    sender.send(None, 'one', {})
    sender.send(None, 'two', {}, failed=True)
    assert bus.told == []
    bus.gate.set()
    sender.stop(10)
    assert bus.told == [('info', 'one'), ('error', 'two')]


def test_failed_notification_is_logged_and_next_is_sent(caplog):
    bus = Bus()
    bus.gate.set()
    sender = notification.Notifications(bus)
    sender.send(None, 'lost', None)
    sender.send(None, 'next', {})
    sender.stop(10)
    assert bus.told == [('info', 'next')]
    assert 'The notification lost could not be sent' in caplog.text


def test_full_outbox_drops_notifications(monkeypatch, caplog):
    monkeypatch.setattr(notification, 'MOST_WAITING', 2)
    bus = Bus()
    sender = notification.Notifications(bus)
    sender.send(None, 'event 0', {})
    assert bus.busy.wait(10)
    for number in range(1, 4):
        sender.send(None, f'event {number}', {})
    assert 'event 3 is dropped: 2 notifications wait for the broker' in caplog.text
    sender.stop(0.01)
    bus.gate.set()


def test_stop_with_queued_notifications_logs_their_number(monkeypatch, caplog):
    monkeypatch.setattr(notification, 'MOST_WAITING', 1)
    bus = Bus()
    sender = notification.Notifications(bus)
    sender.send(None, 'one', {})
    assert bus.busy.wait(10)
    sender.send(None, 'two', {})
    sender.stop(0.01)
    assert '1 notifications still wait for the broker' in caplog.text
    bus.gate.set()


def test_scaling_notification_carries_stack_payload():
    bus = Bus()
    bus.gate.set()
    sender = notification.Notifications(bus)
    stack = types.SimpleNamespace(
        runtime=types.SimpleNamespace(notifier=sender),
        context=types.SimpleNamespace(username='u', user_id='i'),
        template=types.SimpleNamespace(description=''),
        tags=(),
        redact=str,
        created_at=None,
        updated_at=None,
        **dict.fromkeys(
            ('tenant', 'username', 'id', 'name', 'action', 'status', 'status_reason'), 'x'
        ),
    )
    notification.send_scaling(stack, 'start', groupname='g', capacity=2)
    notification.send_scaling(stack, 'error', groupname='g', message='no room')
    sender.stop(10)
    assert bus.told == [
        ('info', 'orchestration.autoscaling.start'),
        ('error', 'orchestration.autoscaling.error'),
    ]
    assert (
        bus.payloads[0]['capacity'] == 2
        and bus.payloads[1]['message'] == 'no room'
        and bus.payloads[0]['stack_name'] == 'x'
    )
