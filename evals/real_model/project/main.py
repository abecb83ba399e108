"""Entry point: reads a notice from the command line and hands it to the dispatcher."""

import sys

from notices.dispatch import dispatch_notice
from notices.model import Notice


def main() -> int:
    if len(sys.argv) < 3:
        print("usage: main.py CHANNEL TEXT", file=sys.stderr)
        return 2
    notice = Notice(channel=sys.argv[1], text=" ".join(sys.argv[2:]))
    return 0 if dispatch_notice(notice) else 1


if __name__ == "__main__":
    sys.exit(main())
