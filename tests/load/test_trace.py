"""Recorded traffic in both published formats."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.load.lengths import RequestLengths
from joulemark.load.trace import MAX_BYTES, read_trace
from joulemark.record.errors import InputError

AZURE = (
    "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    "2023-11-16 18:17:03.9799600,4808,10\n"
    "2023-11-16 18:17:04.0319600,3180,8\n"
    "2023-11-16 18:18:04.0319601,110,27\n"
)
MOONCAKE = (
    '{"timestamp": 0, "input_length": 1100, "output_length": 50, "hash_ids": [0, 1, 2]}\n'
    '{"timestamp": 3040, "input_length": 700, "output_length": 2, "hash_ids": [0, 3]}\n'
)


@pytest.fixture
def written(tmp_path: Path):  # type: ignore[no-untyped-def]
    def write(text: str, name: str = "trace.csv") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_azure(written) -> None:  # type: ignore[no-untyped-def]
    trace = read_trace(written(AZURE))
    assert [row.t_ns for row in trace.rows] == [0, 52_000_000, 60_052_000_100]
    assert trace.rows[2].lengths == RequestLengths(110, 27)
    assert trace.name == "trace.csv"


def test_mooncake(written) -> None:  # type: ignore[no-untyped-def]
    trace = read_trace(written(MOONCAKE, "mooncake.jsonl"))
    assert [(row.t_ns, row.lengths) for row in trace.rows] == [
        (0, RequestLengths(1100, 50, (0, 1, 2))),
        (3_040_000_000, RequestLengths(700, 2, (0, 3))),
    ]


def test_a_replay_is_faster_and_a_window_shorter(written) -> None:  # type: ignore[no-untyped-def]
    trace = read_trace(written(AZURE))
    assert trace.times_ns(2.0) == (0, 26_000_000, 30_026_000_050)
    assert len(trace.window(n=1).rows) == 1
    assert len(trace.window(seconds=1.0).rows) == 2
    assert len(trace.window(n=3, seconds=61).rows) == 3
    assert trace.window(n=2).digest == trace.digest
    with pytest.raises(InputError, match="speed"):
        trace.times_ns(0.0)


def test_rows_out_of_order_are_put_in_order(written) -> None:  # type: ignore[no-untyped-def]
    header, first, *others = AZURE.splitlines()
    mixed = "\n".join([header, *others, first])
    assert read_trace(written(mixed)).rows == read_trace(written(AZURE, "other.csv")).rows


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no column"),
        ("a,b\n1,2\n", "no column"),
        (AZURE.splitlines()[0], "no request"),
        (AZURE + "2023-11-16,3,4\n", "line 5.*no time"),
        (AZURE + "2023-11-16 18:17:04,x,4\n", "line 5.*tokens"),
        (AZURE + "2023-11-16 18:17:04,-3,4\n", "line 5.*tokens"),
        (AZURE + "2023-11-16 18:17:04\n", "line 5.*columns"),
        (AZURE + "2023-13-45 18:17:04,3,4\n", "line 5.*no time"),
        (MOONCAKE + "{nonsense\n", "line 3.*JSON"),
        (MOONCAKE + "[1]\n", "line 3.*object"),
        (MOONCAKE + '{"timestamp": "now", "input_length": 1, "output_length": 1}\n', "line 3.*timestamp"),
        (MOONCAKE + '{"timestamp": 1, "input_length": 1, "output_length": true}\n', "line 3.*tokens"),
        (
            MOONCAKE + '{"timestamp": 1, "input_length": 1, "output_length": 1, "hash_ids": [1.5]}\n',
            "hash_ids",
        ),
    ],
)
def test_a_fault_is_named_with_its_line(written, text: str, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match="(?s)" + said):
        read_trace(written(text))


def test_a_span_of_ages_is_refused(written) -> None:  # type: ignore[no-untyped-def]
    header = AZURE.splitlines()[0]
    text = f"{header}\n0001-01-01 00:00:00,1,1\n9999-12-31 00:00:00,1,1\n"
    trace = read_trace(written(text))
    with pytest.raises(InputError, match="seconds to replay"):
        trace.times_ns()
    assert trace.window(n=1).times_ns() == (0,)
    assert len(trace.times_ns(1e6)) == 2


def test_a_file_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(InputError, match="too large"):
        read_trace(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_trace(tmp_path / "none.csv")


@settings(deadline=None, max_examples=200)
@given(data=st.binary(max_size=400) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_trace_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "any"
    for start in (b"", AZURE.encode(), MOONCAKE.encode()):
        path.write_bytes(start + data)
        try:
            trace = read_trace(path)
        except InputError:
            continue
        assert trace.rows[0].t_ns == 0
        assert all(row.lengths.prompt_tokens >= 1 for row in trace.rows)


@pytest.mark.parametrize(
    ("name", "n", "mean_in", "mean_out"),
    [
        ("AzureLLMInferenceTrace_conv_2023.csv", 19_366, 1155, 211),
        ("AzureLLMInferenceTrace_code_2023.csv", 8_819, 2048, 28),
        ("mooncake_conversation_trace.jsonl", 12_031, 12_035, 343),
        ("mooncake_synthetic_trace.jsonl", 3_993, None, None),
    ],
)
def test_the_published_traces(
    data_dir: Path, name: str, n: int, mean_in: float | None, mean_out: float | None
) -> None:
    trace = read_trace(data_dir / "tasks" / "traces" / name)
    assert len(trace.rows) == n
    assert 1000 < trace.duration_s < 3700
    if mean_in is not None and mean_out is not None:
        assert sum(row.lengths.prompt_tokens for row in trace.rows) / n == pytest.approx(mean_in, abs=1)
        assert sum(row.lengths.output_tokens for row in trace.rows) / n == pytest.approx(mean_out, abs=1)
    if name.startswith("mooncake"):
        for row in trace.rows:
            assert len(row.lengths.blocks) == -(-row.lengths.prompt_tokens // 512)
