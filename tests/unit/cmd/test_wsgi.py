"""The API under another WSGI server, in a process of its own: a process has one configuration and one kind of threads."""

import json
import os
import subprocess
import sys

PROGRAM = """
import json, sys
from heat_lite.cmd import wsgi
app = wsgi.application()
import webob
answer = webob.Request.blank('/').get_response(app)
print(json.dumps([answer.status_int, sys.modules.get('eventlet') is not None, 'heat_lite.engine' in sys.modules]))
"""


def test_it_answers_without_green_threads(tmp_path):
    file = tmp_path / 'heat-lite.conf'
    file.write_text('[DEFAULT]\ntransport_url = local://\n[paste_deploy]\nflavor = noauth\n')
    command = [sys.executable, '-W', 'ignore', '-c', PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, 'HEAT_LITE_CONFIG_FILE': str(file)})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [300, False, False]
