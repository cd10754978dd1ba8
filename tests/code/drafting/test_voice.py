"""An engine asked from code that is not asynchronous: answers, refusals, and an engine that goes away."""

from __future__ import annotations

import pytest

from doubles.working_engine import WorkingEngine
from joulemark.code.drafting.voice import Manner, Voice
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.record.errors import InputError

_MANNER = Manner(max_tokens=50, retries=0, timeout_s=20)


def test_answers_come_one_after_another() -> None:
    with (
        WorkingEngine(str.upper, tokens=3, gap_s=0.0) as engine,
        Voice(UrlEngine(UrlOptions(engine.url)), _MANNER) as voice,
    ):
        first, second = (voice.ask([("user", text)], i) for i, text in enumerate(("one", "two")))
        assert voice.name == "worker-1b"
    assert [first.text.strip(), second.text.strip()] == ["ONE", "TWO"]
    assert (first.tokens, first.finish_reason, first.error, first.was_cut) == (3, "stop", None, False)
    assert second.seconds > 0


def test_a_refused_request_is_an_answer_with_the_engines_words() -> None:
    with WorkingEngine(str.upper, gap_s=0.0) as engine:
        engine.refuse_after = 1  # the client's trial
        with Voice(UrlEngine(UrlOptions(engine.url)), _MANNER) as voice:
            answer = voice.ask([("user", "one")], 0)
    assert (answer.text, answer.tokens) == ("", None)
    assert "no more" in (answer.error or "")


def test_an_engine_that_goes_away_ends_the_command() -> None:
    with (
        WorkingEngine(str.upper, gap_s=0.0) as engine,
        Voice(UrlEngine(UrlOptions(engine.url)), _MANNER) as voice,
    ):
        engine.close()
        with pytest.raises(InputError, match="went away"):
            voice.ask([("user", "one")], 0)


def test_an_engine_that_is_not_there_is_said_at_the_start() -> None:
    with pytest.raises(InputError), Voice(UrlEngine(UrlOptions("http://127.0.0.1:1")), _MANNER):
        pass
