"""``heat-lite-api-cfn``: the processes that accept signals by signed URLs.

The other operations of the CloudFormation API are not implemented.
"""

import sys

from heat_lite.cmd import api


def main(argv=None):
    """Serve signed URLs until a stop signal. Return the exit status if the start fails."""
    return api.serve(
        sys.argv[1:] if argv is None else argv, 'heat-lite-api-cfn', 'heat_api_cfn', 'heat-api-cfn'
    )


if __name__ == '__main__':
    sys.exit(main())
