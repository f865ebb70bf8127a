"""A filter for pipelines of tests, which records the headers that reach the application."""

#: the headers of each request, as keys and values of its WSGI environment
seen = []


def filter_factory(global_conf, **local_conf):
    def build(application):
        def record(environ, start_response):
            seen.append({key: environ[key] for key in environ if key.startswith('HTTP_')})
            return application(environ, start_response)

        return record

    return build
