"""What runs inside a server at its first start. Paths and names of files are those that the tools in images know."""

CLOUD_CONFIG = """\
#cloud-config
output: {all: '| tee -a /var/log/cloud-init-output.log'}
"""

#: it runs before anything else: the folders that the others write to
BOOTHOOK = """\
#!/bin/sh
umask 077
mkdir -p /var/lib/heat-cfntools /var/lib/cloud/data
"""

#: what cloud-init does with parts that are data: old tools look for them in the second folder
PART_HANDLER = """\
#part-handler
import os

FOLDERS = ('/var/lib/heat-cfntools', '/var/lib/cloud/data')


def list_types():
    return ['text/x-cfninitdata']


def handle_part(data, content_type, filename, payload):
    if content_type in ('__begin__', '__end__'):
        return
    for folder in FOLDERS:
        if not os.path.isdir(folder):
            os.makedirs(folder, 0o700)
        if not isinstance(payload, bytes):
            payload = payload.encode('utf-8')
        with open(os.path.join(folder, os.path.basename(filename)), 'wb') as file:
            file.write(payload)
"""

#: it runs the user's text, writes down what that says, and leaves a mark when it has ended; for Python 2 and 3
RUN_USER_DATA = """\
#!/bin/sh
''':'
for python in python3 python python2 /usr/libexec/platform-python; do
    command -v "$python" >/dev/null 2>&1 && exec "$python" "$0" "$@"
done
echo 'there is no Python to run the user data with' >&2
exit 1
'''
import datetime
import os
import subprocess
import sys

SCRIPT = '/var/lib/cloud/data/cfn-userdata'
LOG = '/var/log/heat-provision.log'
DONE = '/var/lib/heat-cfntools/provision-finished'


def main():
    os.chmod(SCRIPT, 0o700)
    with open(LOG, 'ab') as log:
        def say(text):
            log.write(('%s %s\\n' % (datetime.datetime.now(), text)).encode())
            log.flush()

        say('user data begins')
        try:
            status = subprocess.call([SCRIPT], stdout=log, stderr=log)
        except OSError as error:
            # a script without its first line, as the shell would take it
            say(error)
            status = subprocess.call(['/bin/sh', SCRIPT], stdout=log, stderr=log)
        say('user data ends with %d' % status)
    with open(DONE, 'w') as mark:
        mark.write('%s' % datetime.datetime.now())
    return status


sys.exit(main())
"""
