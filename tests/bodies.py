"""Bodies of requests that a test follows while they are read."""

import io


class EndlessBody(io.RawIOBase):
    """An endless body that counts what is read of it."""

    def __init__(self):
        super().__init__()
        self.taken = 0

    def read(self, size=-1):
        assert size >= 0, 'an unlimited read of the body'
        self.taken += size
        return b'x' * size
