"""YAML and MIME of texts that may be long."""

from email import feedparser, message
from email.mime import text as mime_text

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


def text_part(content, subtype: str, filename: str | None = None) -> message.Message:
    """Return a text as a part of a message."""
    part = mime_text.MIMEText(content, subtype)
    if filename:
        part.add_header('Content-Disposition', 'attachment', filename=filename)
    return part


def copied_part(part) -> message.Message:
    """Return a part of another message as a part of a new one, without its other headers."""
    content = part.get_payload(decode=True) or b''
    decoded = content.decode(part.get_content_charset() or 'utf-8', 'replace')
    return text_part(decoded, part.get_content_subtype(), part.get_filename())


def check_parts(parts: list) -> None:
    """Raise ValueError if these are too many parts of a message."""
    if len(parts) > MAX_PARTS:
        raise ValueError(f'The MIME message has more than {MAX_PARTS} parts.')
