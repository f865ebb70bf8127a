"""Fault injection at the broker: lost, late and reordered messages, and duplicated requests."""

import functools
import json
import random
import threading
import time
import uuid

import kombu

from heat_lite.rpc import messaging

DUPLICATE_HEADER, LATE_HEADER = 'sent-again', 'sent-late'


class FaultInjector:
    """Consumes the queues of a virtual host and disturbs them.

    ``loss_rate`` is the share of messages that are lost of those it receives from ``queues``; it
    requeues the others, or delivers each after up to ``delay_seconds``, so that they arrive late
    and in another order. ``duplicate_rate`` is the share of requests to engines that it sends a
    second time as new messages.
    """

    def __init__(self, transport, queues=(), loss_rate=0.0, duplicate_rate=0.0, delay_seconds=0.0):
        self._url = transport.replace('rabbit://', 'amqp://', 1)
        self._queues, self._loss_rate, self._duplicate_rate = queues, loss_rate, duplicate_rate
        self._delay_seconds = delay_seconds
        #: (time, number of the message, its queue, its body and headers) of those to deliver
        self._late = []
        self._producer = None
        self._random = random.Random(1)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.lost = self.duplicated = self.received = self.overtaken = 0
        self._error = None

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        self._thread.join(10)
        if self._error is not None:
            raise self._error

    def _run(self):
        try:
            self._consume()
        except Exception as error:
            self._error = error

    def _consume(self):
        with kombu.Connection(self._url) as connection:
            channel = connection.channel()
            consumers = [self._loss_consumer(channel, name) for name in self._queues]
            if self._duplicate_rate:
                consumers.append(self._duplicate_consumer(connection, channel))
            self._producer = kombu.Producer(connection.channel(), auto_declare=False)
            for consumer in consumers:
                consumer.consume()
            while not self._stopped.is_set():
                self._deliver_late()
                try:
                    connection.drain_events(timeout=0.05 if self._delay_seconds else 0.2)
                except TimeoutError:
                    continue

    def _deliver_late(self):
        """Send the messages whose time has come to their queues."""
        due = sorted(each for each in self._late if each[0] <= time.monotonic())
        self._late = [each for each in self._late if each not in due]
        for _, number, queue, body, headers in due:
            self.overtaken += any(each[1] < number for each in self._late)
            self._producer.publish(
                body,
                exchange='',
                routing_key=queue,
                content_type='application/json',
                content_encoding='utf-8',
                headers={**headers, LATE_HEADER: True},
            )

    def _loss_consumer(self, channel, name):
        queue = kombu.Queue(name, channel=channel, no_declare=True)
        disturb = functools.partial(self._disturb, name)
        consumer = kombu.Consumer(channel, [queue], callbacks=[disturb], auto_declare=False)
        consumer.qos(prefetch_count=1)
        return consumer

    def _disturb(self, queue, body, message):
        self.received += 1
        if self._random.random() < self._loss_rate:
            self.lost += 1
            message.ack()
        elif self._delay_seconds and LATE_HEADER not in message.headers:
            until = time.monotonic() + self._random.uniform(0, self._delay_seconds)
            text = body if isinstance(body, str | bytes) else json.dumps(body)
            self._late.append((until, self.received, queue, text, message.headers))
            message.ack()
        else:
            message.requeue()

    def _duplicate_consumer(self, connection, channel):
        """Return a consumer of a copy of each message to engines."""
        exchange = kombu.Exchange(
            messaging.EXCHANGE,
            'topic',
            durable=False,
            auto_delete=False,
            channel=channel,
            no_declare=True,
        )
        queue = kombu.Queue(
            f'copies-{uuid.uuid4().hex}',
            exchange,
            routing_key='#',
            exclusive=True,
            durable=False,
            channel=channel,
        )
        producer = kombu.Producer(connection.channel(), exchange, auto_declare=False)
        queue.queue_declare()
        queue.queue_bind()

        def duplicate(body, message):
            message.ack()
            if (
                message.headers.get(DUPLICATE_HEADER)
                or self._random.random() > self._duplicate_rate
            ):
                return
            self.duplicated += 1
            routing_key = message.delivery_info['routing_key']
            producer.publish(
                _with_new_id(body),
                routing_key=routing_key,
                content_type='application/json',
                content_encoding='utf-8',
                headers={DUPLICATE_HEADER: True},
            )

        return kombu.Consumer(channel, [queue], callbacks=[duplicate], auto_declare=False)


def _with_new_id(body):
    """Return the message with a new id, as if its sender had sent it twice.

    oslo.messaging drops a second message of the same id.
    """
    body = json.loads(body) if isinstance(body, str | bytes) else body
    inner = json.loads(body['oslo.message'])
    return json.dumps(
        {**body, 'oslo.message': json.dumps({**inner, '_unique_id': uuid.uuid4().hex})}
    )
