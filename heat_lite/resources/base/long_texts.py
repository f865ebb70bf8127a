"""YAML and MIME of texts that may be long."""

from email import feedparser, message

import yaml

from heat_lite.template.functions import budget

#: characters of a message that are charged as one step
PART = 512
#: parts of a message; user data of a server have less
MAX_PARTS = 1000


def yaml_of(data, **options) -> str:
    """Return data as YAML in block style."""
    return yaml.dump(data, Dumper=yaml.SafeDumper, default_flow_style=False, **options)


def message_of(text: str) -> message.Message:
    """Return the MIME message of a text.

    Each line of a part is compared with the boundaries of all messages around it. Raises
    LimitExceeded beyond the seconds of a step, ValueError if it has too many parts or levels.
    """
    parser = feedparser.FeedParser()
    stopwatch = budget.Stopwatch('MIME')
    try:
        for start in range(0, len(text), PART):
            parser.feed(text[start : start + PART])
            stopwatch.step()
        found = parser.close()
    except RecursionError:
        raise ValueError('The parts of the MIME message are nested too deeply.') from None
    parts = found.get_payload()
    if isinstance(parts, list):
        check_parts(parts)
    return found


def check_parts(parts: list) -> None:
    """Raise ValueError if these are too many parts of a message."""
    if len(parts) > MAX_PARTS:
        raise ValueError(f'The MIME message has more than {MAX_PARTS} parts.')
