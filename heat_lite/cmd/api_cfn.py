"""``heat-lite-api-cfn``: the processes that take signals by signed URLs. More of CloudFormation they do not speak yet."""

import sys

from heat_lite.cmd import api


def main(argv=None):
    """Serve until told to stop; the exit status."""
    return api.serve(sys.argv[1:] if argv is None else argv, 'heat-lite-api-cfn', 'heat_api_cfn', 'heat-api-cfn')


if __name__ == '__main__':
    sys.exit(main())
