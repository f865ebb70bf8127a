"""The WSGI application of the alarms, for uwsgi, gunicorn and mod_wsgi."""

from heat_lite.cmd import wsgi

application = wsgi.cloudwatch_application()
