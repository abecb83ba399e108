"""What a notice is."""

from dataclasses import dataclass

MAX_TEXT = 500


@dataclass
class Notice:
    channel: str
    text: str

    def is_valid(self) -> bool:
        return bool(self.text) and len(self.text) <= MAX_TEXT
