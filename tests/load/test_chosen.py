"""From what was said of a load to the load, without a command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from joulemark.load.chosen import SLOTS, choose_load
from joulemark.load.options import LoadOptions
from joulemark.record.errors import InputError

MOONCAKE = "".join(
    f'{{"timestamp": {ms}, "input_length": {n}, "output_length": {n // 2}, "hash_ids": [1]}}\n'
    for ms, n in ((0, 40), (100, 30), (300, 20), (1300, 10))
)


def test_a_task_is_not_made_up_and_an_engine_is_started_for_what_is_in_flight() -> None:
    chosen = choose_load(LoadOptions(task="quick", concurrency=3))
    assert chosen.made_up is None
    assert (chosen.n_parallel, chosen.shape.lead_requests) == (3, 3)
    assert choose_load(LoadOptions(task="quick", concurrency=3, slots=2)).n_parallel == 2
    assert choose_load(LoadOptions(task="quick", rate=1.0)).n_parallel == SLOTS


def test_what_leads_up_to_a_trace_stands_behind_what_counts(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(MOONCAKE)
    chosen = choose_load(LoadOptions(trace=path, lead_requests=1, trace_window_s=0.5))
    assert chosen.made_up is not None
    assert [one.prompt_tokens for one in chosen.made_up.requests] == [30, 20, 40]
    assert (chosen.shape.n_requests, chosen.shape.lead_requests) == (2, 1)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "one of TASK"),
    ({"task": "quick", "synthetic": "1:1"}, "one of TASK"),
    ({"task": "quick"}, "how the engine is loaded"),
    ({"task": "quick", "concurrency": 2, "rate": 1.0}, "--concurrency is a closed loop"),
    ({"task": "quick", "concurrency": 2, "cap": 2}, "--cap does not go"),
    ({"task": "quick", "rate": 1.0, "arrival": "constant", "burstiness": 0.5}, "--burstiness goes with"),
]


@pytest.mark.parametrize(("said", "what"), REFUSED)
def test_what_does_not_go_together_is_refused(said: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        choose_load(LoadOptions(**said))
