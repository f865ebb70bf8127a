"""``heat-lite-api-cfn``: the processes of the CloudFormation API and of signals by signed URLs."""

import sys

from heat_lite.cmd import api


def main(argv=None):
    """Serve the API until a stop signal. Return the exit status if the start fails."""
    return api.serve(argv, 'heat-lite-api-cfn', 'heat_api_cfn', 'heat-api-cfn')


if __name__ == '__main__':
    sys.exit(main())
