"""The WSGI applications by the names that Heat's have, e.g. ``heat_lite.wsgi.api:application``.

The import reads the configuration: the file of HEAT_LITE_CONFIG_FILE, else the default files.
"""
