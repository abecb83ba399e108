"""Delivery by SMTP."""

import smtplib

from notices.model import Notice

SMTP_HOST = "localhost"


def send_email(notice: Notice) -> None:
    """Sends one mail to the operators."""
    with smtplib.SMTP(SMTP_HOST, timeout=10) as client:
        client.sendmail("notices@localhost", "operators@localhost", notice.text)
