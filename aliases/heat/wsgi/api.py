"""The WSGI application of the REST API, by the name of its module in Heat."""

from heat_lite.cmd.aliases import commands

application = commands.wsgi_api()
