"""The object storage, as far as servers and users outside tell something through it: by URLs that need no token (TempURL)."""

import hashlib
import hmac
import json
import secrets
import time
import urllib.parse

from heat_lite.clients import errors, rest

#: the latest time that any version of the service takes
FOREVER = 2147483647
KEY = 'X-Account-Meta-Temp-Url-Key'
VERSIONS = 'X-Versions-Location'


class Swift(rest.Api):
    """Containers and objects are named as they are called, unquoted."""

    def make_container(self, container, **headers):
        self.request('PUT', _path(container), headers=headers)

    def put(self, container, name, text=''):
        self.request('PUT', _path(container, name), text=text)

    def get(self, container, name):
        """The text of an object, and when it was last changed. Raises NotFound."""
        answer = self.request('GET', _path(container, name))
        return answer.content.decode('utf-8', 'replace'), answer.headers.get('Last-Modified')

    def remove(self, container, name):
        """Takes an object away with all its versions: under each there is an older one."""
        try:
            while True:
                self.delete(_path(container, name))
        except errors.NotFound:
            return

    def remove_container(self, container):
        """Unless there is something in it, which then is somebody else's."""
        try:
            self.delete(_path(container))
        except (errors.NotFound, errors.Conflict):
            return

    def names(self, container, prefix=''):
        """The names of the objects that begin so."""
        return [each['name'] for each in self.ask('GET', _path(container), params={'format': 'json', 'prefix': prefix}) or ()]

    # ------------------------------------------------------------ by URLs

    def temp_url(self, container, name, method='PUT', seconds=None):
        """The URL by which anybody can do that with the object, for so many seconds or for ever."""
        parts = urllib.parse.urlsplit(self.url.rstrip('/'))
        path = parts.path + _path(container, name)
        until = int(time.time()) + int(seconds) if seconds else FOREVER
        signature = hmac.new(self._account_key().encode(), f'{method}\n{until}\n{path}'.encode(), hashlib.sha256).hexdigest()
        query = urllib.parse.urlencode({'temp_url_sig': signature, 'temp_url_expires': until})
        return f'{parts.scheme}://{parts.netloc}{path}?{query}'

    def signal_url(self, container, name, seconds=None):
        """The same, for whoever signals: each signal is one more version of the object, in the same container, and none is lost."""
        self.make_container(container, **{VERSIONS: container})
        self.put(container, name)
        return self.temp_url(container, name, seconds=seconds)

    def signals(self, container, name):
        """The texts of all signals that have come, the oldest first: the object began empty. Raises NotFound where it is gone.

        What comes meanwhile is left for the next time: older versions are named by the time of what they hold, and one that is not older
        than the newest which was read is a copy of that, or of what came after.
        """
        newest = self.request('GET', _path(container, name))
        prefix = f'{len(name):03x}{name}/'
        until = prefix + newest.headers['X-Timestamp']
        older = [self.get(container, each)[0] for each in sorted(self.names(container, prefix)) if each < until]
        return [*older, newest.content.decode('utf-8', 'replace')][1:]

    def _account_key(self):
        """What signs the URLs of the account; it is made where there is none, and never changed: others have URLs by it."""
        key = self.request('HEAD', '').headers.get(KEY)
        if not key:
            key = hashlib.sha256(secrets.token_bytes(64)).hexdigest()
            self.request('POST', '', headers={KEY: key})
        return key


def details(text):
    """What a signal says, as data; what is no JSON says nothing."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


def _path(*names):
    return ''.join(f'/{urllib.parse.quote(each)}' for each in names)
