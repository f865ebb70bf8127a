"""Scripts that run on a server at its first boot.

The paths and file names are those that heat-cfntools and cloud-init in images expect.
"""

#: where the tools on the server look for data; old versions of heat-cfntools use the second folder
DATA_FOLDERS = ('/var/lib/heat-cfntools', '/var/lib/cloud/data')

CLOUD_CONFIG = """\
#cloud-config
output: {all: '| tee -a /var/log/cloud-init-output.log'}
"""

#: creates the folders that the other parts write to; runs first
BOOTHOOK = """\
#!/bin/sh
umask 077
mkdir -p /var/lib/heat-cfntools /var/lib/cloud/data
"""

#: stores data parts as files in both folders
PART_HANDLER = f"""\
#part-handler
import os

FOLDERS = {DATA_FOLDERS}


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

#: runs the user's script, logs its output and creates a file at its end; for Python 2 and 3
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
        def write_log(text):
            log.write(('%s %s\\n' % (datetime.datetime.now(), text)).encode())
            log.flush()

        write_log('user data begins')
        try:
            status = subprocess.call([SCRIPT], stdout=log, stderr=log)
        except OSError as error:
            # a script without an interpreter line: run it with the shell
            write_log(error)
            status = subprocess.call(['/bin/sh', SCRIPT], stdout=log, stderr=log)
        write_log('user data ends with %d' % status)
    with open(DONE, 'w') as mark:
        mark.write('%s' % datetime.datetime.now())
    return status


sys.exit(main())
"""
