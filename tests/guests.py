"""Servers as their guest agents see them: the stock heat-cfntools with boto, in a folder."""

import base64
import email
import getpass
import os
import subprocess
import sys
from pathlib import Path

RUNNER = Path(__file__).with_name('guest_run.py')
#: the ports of the CFN and CloudWatch APIs, which the tools know by heart
CFN_PORT, CLOUDWATCH_PORT = 8000, 8003
SECONDS = 60


class Guest:
    """A server whose disk is ``folder``. The APIs are at ``host``."""

    def __init__(self, folder, cfn_port, cloudwatch_port=None, host='127.0.0.1'):
        self.folder = Path(folder)
        self.ports = {CFN_PORT: cfn_port, CLOUDWATCH_PORT: cloudwatch_port or CLOUDWATCH_PORT}
        for name in ('etc/cfn', 'var/lib/heat-cfntools', 'var/cache/heat-cfntools', 'var/log'):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        options = '\n'.join(
            f'{service}_region_{key} = {value}'
            for service in ('cfn', 'cloudwatch')
            for key, value in (('name', 'heat'), ('endpoint', host))
        )
        self.write('var/lib/heat-cfntools/cfn-boto-cfg', f'[Boto]\nis_secure = 0\n{options}\n')

    def write(self, path, text):
        (self.folder / path).write_text(text)

    def boot(self, user_data):
        """Write the files of the user data of a server, as cloud-init does."""
        message = email.message_from_string(base64.b64decode(user_data).decode())
        for part in message.get_payload():
            if part.get_content_type() == 'text/x-cfninitdata':
                content = part.get_payload(decode=True).decode()
                self.write(f'var/lib/heat-cfntools/{part.get_filename()}', content)

    def log_in(self, access, secret):
        """Write the credentials of the tools."""
        self.write('etc/cfn/cfn-credentials', f'AWSAccessKeyId={access}\nAWSSecretKey={secret}\n')

    def identify(self, server_id):
        """Write what the tools know of the metadata service of the cloud."""
        self.write(
            'var/lib/heat-cfntools/nova_meta.json', f'{{"uuid": "{server_id}", "meta": {{}}}}'
        )

    def watch(self, stack, resource, action):
        """Let cfn-hup run a command when the metadata of a resource have changed."""
        credentials = self.folder / 'etc/cfn/cfn-credentials'
        self.write(
            'etc/cfn/cfn-hup.conf',
            f'[main]\nstack={stack}\ncredential-file={credentials}\nregion=heat\ninterval=1\n',
        )
        self.write(
            'etc/cfn/hooks.conf',
            f'[changed]\ntriggers=post.update\npath=Resources.{resource}.Metadata\n'
            f'action={action}\nrunas={getpass.getuser()}\n',
        )

    def run(self, tool, *arguments):
        """Run a tool. Return the finished process, with its output as text."""
        ports = ','.join(f'{fixed}={real}' for fixed, real in self.ports.items())
        env = {name: value for name, value in os.environ.items() if not name.startswith('OS_')}
        return subprocess.run(
            [sys.executable, RUNNER, self.folder, ports, tool, *arguments],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            env=env,
        )
