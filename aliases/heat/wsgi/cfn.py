"""The WSGI application of the CloudFormation API, by the name of its module in Heat."""

from heat_lite.cmd.aliases import commands

application = commands.wsgi_api_cfn()
