"""Chooses the channel of a notice and retries a delivery that failed."""

from notices.email import send_email
from notices.model import Notice
from notices.store import save_notice

RETRY_LIMIT = 3


def dispatch_notice(notice: Notice) -> bool:
    """Sends a notice by the channel that it names."""
    if not notice.is_valid():
        return False
    if notice.channel == "email":
        return with_retries(send_email, notice)
    return with_retries(save_notice, notice)


def with_retries(deliver, notice: Notice) -> bool:
    for _ in range(RETRY_LIMIT):
        try:
            deliver(notice)
            return True
        except OSError:
            continue
    return False
