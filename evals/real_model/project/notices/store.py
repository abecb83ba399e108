"""Keeps notices that nobody has to read at once."""

from pathlib import Path

from notices.model import Notice

JOURNAL = Path("journal.log")


def save_notice(notice: Notice) -> None:
    """Appends a notice to the journal."""
    with JOURNAL.open("a") as journal:
        journal.write(f"{notice.channel}\t{notice.text}\n")
