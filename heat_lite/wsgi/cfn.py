"""The WSGI application of the CloudFormation API, for uwsgi, gunicorn and mod_wsgi."""

from heat_lite.cmd import wsgi

application = wsgi.cfn_application()
