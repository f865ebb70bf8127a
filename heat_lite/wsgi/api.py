"""The WSGI application of the REST API, for uwsgi, gunicorn and mod_wsgi."""

from heat_lite.cmd import wsgi

application = wsgi.application()
