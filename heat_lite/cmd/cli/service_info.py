"""Verbs about the service itself: ``service list`` and ``build info``."""

import argparse

from heat_lite.cmd.cli import api_client, terminal

ENGINES: tuple = ()
BUILD: tuple = ()


def engines(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    found = api.call('GET', '/services')['services']
    if out.is_json:
        out.write_json(found)
        return
    rows = [
        [each['hostname'], each['status'], each['engine_id'], each['updated_at'], each['binary']]
        for each in found
    ]
    out.table(['HOST', 'STATUS', 'ENGINE', 'SEEN', 'PROGRAM'], rows)


def build(api: api_client.ApiClient, out: terminal.Terminal, args: argparse.Namespace) -> None:
    found = api.call('GET', '/build_info')
    if out.is_json:
        out.write_json(found)
        return
    # the API and the engines may be of different versions while a service is upgraded
    out.table(['PART', 'REVISION'], [[name, each['revision']] for name, each in found.items()])
