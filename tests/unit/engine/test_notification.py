"""Sending what the message bus is told."""

import threading

from heat_lite.engine import notification


class Bus:
    """Stands in for oslo.messaging's notifier; ``gate`` is the broker coming back."""

    def __init__(self):
        self.gate = threading.Event()
        self.told = []

    def info(self, context, event_type, payload):
        self.gate.wait(10)
        if payload is None:
            raise OSError('the broker is gone')
        self.told.append(('info', event_type))

    def error(self, context, event_type, payload):
        self.told.append(('error', event_type))


def test_in_order_and_without_waiting_for_the_broker():
    bus = Bus()
    sender = notification.Notifications(bus)
    sender.send(None, 'one', {})
    sender.send(None, 'two', {}, failed=True)
    assert bus.told == []
    bus.gate.set()
    sender.stop(10)
    assert bus.told == [('info', 'one'), ('error', 'two')]


def test_one_that_cannot_be_sent_is_logged_and_the_next_one_goes(caplog):
    bus = Bus()
    bus.gate.set()
    sender = notification.Notifications(bus)
    sender.send(None, 'lost', None)
    sender.send(None, 'next', {})
    sender.stop(10)
    assert bus.told == [('info', 'next')]
    assert 'The notification lost could not be sent' in caplog.text


def test_a_broker_that_stays_away_holds_up_nobody(monkeypatch, caplog):
    monkeypatch.setattr(notification, 'MOST_WAITING', 2)
    bus = Bus()
    sender = notification.Notifications(bus)
    for number in range(4):
        sender.send(None, f'event {number}', {})
    assert 'event 3 is not told: 2 notifications wait for the broker' in caplog.text
    sender.stop(0.01)
    bus.gate.set()


def test_nobody_is_told_unless_configured():
    sender = notification.Notifications(None)
    assert not sender.wanted
    sender.send(None, 'one', {})
    sender.stop(0)
