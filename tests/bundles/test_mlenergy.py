"""The CSV files of early 2025: what a row becomes, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doubles.published_files import TEXT_HEADER, TEXT_ROW, VIDEO_HEADER, Write
from joulemark.bundles.foreign_file import read_foreign
from joulemark.bundles.kinds import import_file
from joulemark.bundles.mlenergy import read_mlenergy
from joulemark.record.errors import InputError


def _rows(path: Path, task: str | None = None):
    return read_mlenergy(read_foreign(path), task)


def test_a_row_of_text(write: Write) -> None:
    (row,) = _rows(write())
    assert (row.model, row.device, row.n_devices) == ("org/model", "NVIDIA H100 80GB HBM3", 2)
    assert (row.task, row.unit, row.energy_j) == ("chat", "request", 100.5)
    assert row.latency_s == {
        "tpot_mean": 60 / 1000,
        "e2el_mean": 60 / 1000 * 250,
        "tpot_iteration_mean": 0.05,
    }
    assert row.settings == {"max_batch": 64, "tensor_parallel": 2, "pipeline_parallel": 1}
    assert row.mean_power_w == pytest.approx(100.5 * 1000 / 250)
    assert row.tpot_definition is not None
    assert "Little" in row.tpot_definition
    assert "tpot_iteration_mean" in row.tpot_definition
    assert row.reasons == {"accuracy": "not_published"}
    assert "llm_text_generation__chat.csv" in row.source


def test_a_row_of_video(write: Write) -> None:
    path = write(
        VIDEO_HEADER, "org/video,NVIDIA A100-SXM4-40GB,900.0,8.0,4,25,16", name="diffusion__text-to-video.csv"
    )
    (row,) = _rows(path)
    assert (row.task, row.unit, row.energy_j, row.mean_batch) == ("text-to-video", "video", 900.0, 4)
    assert row.latency_s == {"e2el_mean": 8.0}
    assert row.settings == {"max_batch": 4, "denoising_steps": 25, "frames": 16}
    assert row.mean_power_w == 450
    assert row.tpot_definition is None
    assert row.reasons["tokens_per_second"] == "not_published"


def test_the_order_of_columns_and_others_beside_them_do_not_matter(write: Write) -> None:
    names, cells = TEXT_HEADER.split(",")[::-1], TEXT_ROW.split(",")[::-1]
    (row,) = _rows(write(",".join(["note", *names]), ",".join(["x", *cells])))
    assert row == _rows(write())[0].model_copy(update={"source": row.source})


def test_a_byte_order_mark_and_other_line_ends_are_read(write: Write) -> None:
    plain = _rows(write())[0]
    data = b"\xef\xbb\xbf" + "\r\n".join((TEXT_HEADER, "", TEXT_ROW, "")).encode()
    (row,) = _rows(write(data=data))
    assert row.latency_s == plain.latency_s


@pytest.mark.parametrize(
    ("name", "header", "row", "possible"),
    [
        ("rows.csv", TEXT_HEADER, TEXT_ROW, "chat, code, visual-chat"),
        ("rows.csv", VIDEO_HEADER, "m,g,1,1,1,25,16", "text-to-video, image-to-video"),
    ],
)
def test_a_task_that_nothing_tells_is_asked_for(
    write: Write, name: str, header: str, row: str, possible: str
) -> None:
    path = write(header, row, name=name)
    with pytest.raises(InputError, match=possible) as refused:
        _rows(path)
    assert "--task" in refused.value.fix
    assert _rows(path, possible.split(", ")[-1])[0].task == possible.split(", ")[-1]


def test_a_task_of_another_unit_is_refused(write: Write) -> None:
    with pytest.raises(InputError, match="text-to-image"):
        _rows(write(), "text-to-image")


def _with(column: str, cell: str) -> str:
    cells = dict(zip(TEXT_HEADER.split(","), TEXT_ROW.split(","), strict=True))
    return ",".join({**cells, column: cell}.values())


@pytest.mark.parametrize(
    "column", ["Energy/req (J)", "Token tput (tok/s)", "Avg BS (reqs)", "Max BS (reqs)", "TP"]
)
@pytest.mark.parametrize(
    "cell", ["nan", "inf", "-inf", "-1", "", " ", "abc", "1_0", "1e999", "0x10", "٣", "1,5"]
)
def test_a_cell_that_is_no_number_is_named_by_line_and_column(write: Write, column: str, cell: str) -> None:
    quoted = f'"{cell}"' if "," in cell else cell
    with pytest.raises(InputError) as refused:
        _rows(write(TEXT_HEADER, TEXT_ROW, _with(column, quoted)))
    assert "line 3" in refused.value.why
    assert repr(column) in refused.value.why
    assert "llm_text_generation__chat.csv" in refused.value.what


_DERIVED_HEADER = TEXT_HEADER + ',derived: TPOT_littles_law (s),"derived: avg power (W, all GPUs)"'
_DERIVED = {"derived: TPOT_littles_law (s)": "0.06", "derived: avg power (W, all GPUs)": "402.0"}


def _derived_row(**changed: str) -> str:
    cells = {**dict(zip(TEXT_HEADER.split(","), TEXT_ROW.split(","), strict=True)), **_DERIVED, **changed}
    return ",".join(cells.values())


def test_derived_columns_that_agree_change_nothing(write: Write) -> None:
    (row,) = _rows(write(_DERIVED_HEADER, _derived_row()))
    assert row == _rows(write())[0].model_copy(update={"source": row.source})
    empty = _derived_row(**dict.fromkeys(_DERIVED, ""))
    assert _rows(write(_DERIVED_HEADER, empty))[0].energy_j == 100.5
    assert _rows(write(_DERIVED_HEADER, _derived_row(**{"Energy/req (J)": "101.0"})))[0].energy_j == 101.0
    assert _rows(write(_DERIVED_HEADER, _derived_row(**{"Energy/req (J)": "0"})))[0].energy_j is None


@pytest.mark.parametrize(
    ("changed", "column"),
    [
        ({"Energy/req (J)": "40.2"}, "derived: avg power (W, all GPUs)"),
        ({"Energy/req (J)": "102.0"}, "derived: avg power (W, all GPUs)"),
        ({"Avg Output Tokens": "300"}, "derived: avg power (W, all GPUs)"),
        ({"Avg BS (reqs)": "24", "Avg TPOT (s)": "0.02"}, "derived: TPOT_littles_law (s)"),
        ({"Token tput (tok/s)": "1100"}, "derived: TPOT_littles_law (s)"),
        ({"derived: avg power (W, all GPUs)": "0"}, "derived: avg power (W, all GPUs)"),
        ({"derived: TPOT_littles_law (s)": "nan"}, "derived: TPOT_littles_law (s)"),
    ],
)
def test_a_cell_that_a_derived_column_contradicts_is_refused(
    write: Write, changed: dict[str, str], column: str
) -> None:
    untouched = _derived_row(Model="org/other")
    with pytest.raises(InputError) as refused:
        _rows(write(_DERIVED_HEADER, untouched, _derived_row(**changed)))
    assert f"line 3, column {column!r}" in refused.value.why
    assert refused.value.fix


@pytest.mark.parametrize(
    ("column", "cell"), [("Token tput (tok/s)", "0"), ("TP", "1.5"), ("Max BS (reqs)", "1e12")]
)
def test_a_number_that_cannot_be_is_refused(write: Write, column: str, cell: str) -> None:
    with pytest.raises(InputError, match=r"line 2.*" + column.replace("(", r"\(").replace(")", r"\)")):
        _rows(write(TEXT_HEADER, _with(column, cell)))


def test_numbers_that_together_overflow_are_refused(write: Write) -> None:
    with pytest.raises(InputError, match="line 2"):
        _rows(write(TEXT_HEADER, _with("Token tput (tok/s)", "1e-308")))


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ((TEXT_HEADER.replace("Avg BS (reqs)", "BS"), TEXT_ROW), "no column 'Avg BS (reqs)'"),
        ((TEXT_HEADER.replace("PP", "TP"), TEXT_ROW), "line 1: two columns are named 'TP'"),
        ((TEXT_HEADER, TEXT_ROW + ",more"), "line 2: 11 cells under 10 columns"),
        ((TEXT_HEADER, 'org/"model' + TEXT_ROW[9:], '"unclosed'), "line"),
        ((TEXT_HEADER,), "no row below its header"),
        (("", ""), "it is empty"),
        (
            (TEXT_HEADER, TEXT_ROW, TEXT_ROW.replace("100.5", "99")),
            "line 3: it repeats the configuration of line 2",
        ),
        ((TEXT_HEADER, TEXT_ROW.replace("org/model", "org/\x1b[2J")), "line 2, column 'Model'"),
        (("model,energy", "a,1"), "no column"),
        (("{}",), "no list `configurations`"),
        (("[1, 2]",), "no JSON object"),
        (("{",), "line"),
    ],
)
def test_a_file_that_is_no_such_file_is_refused(write: Write, lines: tuple[str, ...], told: str) -> None:
    with pytest.raises(InputError) as refused:
        _rows(write(*lines))
    assert told in refused.value.why
    assert refused.value.fix


@pytest.mark.parametrize(
    "data",
    [
        (TEXT_HEADER + "\n" + TEXT_ROW).encode("utf-16"),
        (TEXT_HEADER + "\n" + TEXT_ROW.replace("model", "modèle")).encode("latin-1"),
        b"\x1f\x8b\x08\x00",
        b"PK\x03\x04",
        b"a\0b",
    ],
)
def test_another_encoding_is_refused(write: Write, data: bytes) -> None:
    with pytest.raises(InputError, match="UTF-8"):
        _rows(write(data=data))


def test_a_line_that_is_no_utf8_is_told(write: Write) -> None:
    with pytest.raises(InputError, match="line 2"):
        _rows(write(data=(TEXT_HEADER + "\n").encode() + b"\xff\n"))


def test_a_file_that_is_too_long_is_not_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joulemark.bundles.foreign_file.MAX_BYTES", 100)
    with pytest.raises(InputError, match="longer than"):
        read_foreign(write())


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv"):
        read_foreign(tmp_path / "none.csv")


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: (TEXT_HEADER + "\n" + text).encode()))
def test_whatever_the_bytes_are_it_is_rows_or_an_input_error(write: Write, data: bytes) -> None:
    try:
        rows = _rows(write(data=data))
    except InputError:
        return
    assert rows


def test_an_unknown_kind_is_told_with_those_there_are(write: Write, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'mlperf'") as refused:
        import_file("mlperf", write(), tmp_path / "into")
    assert "mlenergy, mlenergy-v1" in refused.value.fix
