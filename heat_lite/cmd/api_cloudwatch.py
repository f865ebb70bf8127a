"""``heat-lite-api-cloudwatch``: the processes that take measurements of alarms."""

import sys

from heat_lite.cmd import api


def main(argv=None):
    """Serve the CloudWatch API until a stop signal. Return the exit status if the start fails."""
    return api.serve(
        argv,
        'heat-lite-api-cloudwatch',
        'heat_api_cloudwatch',
        'heat-api-cloudwatch',
    )


if __name__ == '__main__':
    sys.exit(main())
