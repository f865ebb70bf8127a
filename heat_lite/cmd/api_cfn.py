"""``heat-lite-api-cfn``: the door that speaks CloudFormation. It is not there yet."""

import sys


def main(argv=None):
    """Say so."""
    print('heat-lite-api-cfn: the CloudFormation API is not there yet; heat-lite-api serves the native one.', file=sys.stderr)
    return 1


if __name__ == '__main__':
    sys.exit(main())
