"""Somebody at the broker who loses messages, and sends others twice."""

import json
import random
import threading
import uuid

import kombu

from heat_lite.rpc import messaging

AGAIN = 'sent-again'


class Postman:
    """Takes part in the queues of a virtual host. ``lose``: how many of the messages that come to it in a shared queue are lost, the others
    go on; ``repeat``: how many requests are sent a second time, as if they were new ones."""

    def __init__(self, transport, queues=(), lose=0.0, repeat=0.0):
        self._url = transport.replace('rabbit://', 'amqp://', 1)
        self._queues, self._lose, self._repeat = queues, lose, repeat
        self._chance = random.Random(1)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.lost = self.repeated = 0
        self._error = None

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join(10)
        if self._error is not None:
            raise self._error

    def _run(self):
        try:
            self._work()
        except Exception as error:
            self._error = error

    def _work(self):
        with kombu.Connection(self._url) as connection:
            channel = connection.channel()
            consumers = [self._thief(channel, name) for name in self._queues]
            if self._repeat:
                consumers.append(self._copyist(connection, channel))
            for consumer in consumers:
                consumer.consume()
            while not self._over.is_set():
                try:
                    connection.drain_events(timeout=0.2)
                except TimeoutError:
                    continue

    def _thief(self, channel, name):
        queue = kombu.Queue(name, channel=channel, no_declare=True)
        consumer = kombu.Consumer(channel, [queue], callbacks=[self._take], auto_declare=False)
        consumer.qos(prefetch_count=1)
        return consumer

    def _take(self, body, message):
        if self._chance.random() < self._lose:
            self.lost += 1
            message.ack()
        else:
            message.requeue()

    def _copyist(self, connection, channel):
        """Everything that is sent to engines comes here, too."""
        exchange = kombu.Exchange(messaging.EXCHANGE, 'topic', durable=False, auto_delete=False, channel=channel, no_declare=True)
        queue = kombu.Queue(f'copies-{uuid.uuid4().hex}', exchange, routing_key='#', exclusive=True, durable=False, channel=channel)
        producer = kombu.Producer(connection.channel(), exchange, auto_declare=False)
        queue.queue_declare()
        queue.queue_bind()

        def copy(body, message):
            message.ack()
            if message.headers.get(AGAIN) or self._chance.random() > self._repeat:
                return
            self.repeated += 1
            routing_key = message.delivery_info['routing_key']
            producer.publish(
                _as_new(body), routing_key=routing_key, content_type='application/json', content_encoding='utf-8', headers={AGAIN: True}
            )

        return kombu.Consumer(channel, [queue], callbacks=[copy], auto_declare=False)


def _as_new(body):
    """A message that was sent twice by its sender, not by the broker: the library would notice that."""
    body = json.loads(body) if isinstance(body, str | bytes) else body
    inner = json.loads(body['oslo.message'])
    return json.dumps({**body, 'oslo.message': json.dumps({**inner, '_unique_id': uuid.uuid4().hex})})
