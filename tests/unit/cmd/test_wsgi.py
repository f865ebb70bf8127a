"""The API under another WSGI server. In its own process: configuration and threads are global."""

import json
import os
import subprocess
import sys

PROGRAM = """
import json, sys
from heat_lite.cmd import wsgi
app = wsgi.application()
import webob
response = webob.Request.blank('/').get_response(app)
has_eventlet = sys.modules.get('eventlet') is not None
print(json.dumps([response.status_int, has_eventlet, 'heat_lite.engine' in sys.modules]))
"""


def test_application_answers_on_native_threads(tmp_path):
    file = tmp_path / 'heat-lite.conf'
    file.write_text(
        '[DEFAULT]\nauth_encryption_key = a key of these tests, 32 letters\n'
        'transport_url = local://\n[paste_deploy]\nflavor = noauth\n'
    )
    command = [sys.executable, '-W', 'ignore', '-c', PROGRAM]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, 'HEAT_LITE_CONFIG_FILE': str(file)},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [300, False, False]
