from notices.dispatch import with_retries
from notices.model import Notice


def test_a_failing_delivery_is_tried_three_times():
    tries = []

    def fail(notice):
        tries.append(notice)
        raise OSError

    assert not with_retries(fail, Notice("email", "hello"))
    assert len(tries) == 3
