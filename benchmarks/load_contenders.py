"""The load clients that load_clients.py compares: how each is started, and what it says of itself."""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from load_server import MODEL, PATH

PROMPT = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"


@dataclass(frozen=True)
class Work:
    """So many requests, each answered with so many tokens; ``lags``: the tokens are the server's stamps."""

    requests: int
    tokens: int
    concurrency: int
    lags: bool = False


@dataclass(frozen=True)
class Told:
    """What a client says and leaves.

    ``tpot_s``: the median over the requests of their mean time a token; ``t_kept_ns``: when it had kept the
    last answer (monotonic ns), null where that cannot be seen.
    """

    answered: int
    tpot_s: float
    lags_s: tuple[float, ...] = ()
    t_kept_ns: int | None = None


class Contender(Protocol):
    """A load client with a command of its own. ``quick``: so soon done that it is asked for more."""

    name: str
    quick: bool

    def command(self, work: Work, origin: str, place: Path) -> list[str]:
        """Return the command that asks the server at ``origin``; ``place`` is a new folder for its files."""
        ...

    def environment(self, place: Path) -> dict[str, str]:
        """Return the variables that it needs."""
        ...

    def told(self, work: Work, place: Path) -> Told:
        """Read what it left in ``place``."""
        ...


class Joulemark:
    """Ours: ``joulemark load`` as a user calls it, journal, record and report included."""

    name = "joulemark load"
    quick = True

    def command(self, work: Work, origin: str, place: Path) -> list[str]:
        return [
            *(sys.executable, "-m", "joulemark", "load", "--engine", origin, "--meter", "none", "--json"),
            *("--synthetic", f"{len(PROMPT.split())}:{work.tokens}", "--requests", str(work.requests)),
            *("--concurrency", str(work.concurrency), "--lead", "0", "--out", str(place / "run")),
        ]

    def environment(self, place: Path) -> dict[str, str]:
        # its key and its settings stay out of the user's home
        return {f"XDG_{kind}_HOME": str(place / "home") for kind in ("DATA", "CONFIG", "CACHE", "STATE")}

    def told(self, work: Work, place: Path) -> Told:
        rows = [json.loads(line) for line in (place / "run/items.jsonl").read_text().splitlines()]
        rows = [row for row in rows if row["item"]["phase"] == "measure"]
        items = [row["item"] for row in rows]
        gaps = [(one["t_end"] - one["t_first"]) / 1e9 / (work.tokens - 1) for one in items]
        lags: list[float] = []
        if work.lags:
            for row in rows:
                words = row["texts"]["answer"].split()
                lags += [(c[0] - int(word)) / 1e9 for c, word in zip(row["chunks"], words, strict=True)]
        answered = sum(item["completion_tokens"] == work.tokens for item in items)
        kept_ns = written_ns(place / "run/items.jsonl")
        return Told(answered, statistics.median(gaps), tuple(lags), kept_ns)


class VllmStyle:
    """vllm_style_client.py, which starts quickly and reports nothing: nearly all of it is asking."""

    quick = True

    def __init__(self, *, uvloop: bool) -> None:
        self.uvloop = uvloop
        self.name = "vllm-style aiohttp" + (", uvloop" if uvloop else "")

    def command(self, work: Work, origin: str, place: Path) -> list[str]:
        client = str(Path(__file__).with_name("vllm_style_client.py"))
        numbers = [str(number) for number in (work.requests, work.concurrency, work.tokens)]
        options = ["--uvloop"] * self.uvloop + ["--lags"] * work.lags
        return [sys.executable, client, origin + PATH, *numbers, PROMPT, str(place / "out.json"), *options]

    def environment(self, place: Path) -> dict[str, str]:
        return {}

    def told(self, work: Work, place: Path) -> Told:
        out = json.loads((place / "out.json").read_text())
        kept_ns = written_ns(place / "out.json")
        return Told(out["answered"], out["tpot_s"], tuple(out["lags_s"]), kept_ns)


class Guidellm:
    """guidellm by its own command line, with one worker: more of them only share the one core."""

    quick = False

    def __init__(self, python: str) -> None:
        self.program = Path(python).with_name("guidellm")
        self.name = f"guidellm {version_in(python, 'guidellm')}"

    def command(self, work: Work, origin: str, place: Path) -> list[str]:
        rows = prompts(place, work, {"prompt": PROMPT, "output_tokens_count": work.tokens})
        backend = f"kind=openai_http,target={origin},model={MODEL},request_format={PATH}"
        return [
            *(str(self.program), "run", "--backend", backend, "--disable-console-interactive"),
            *("--profile", f"kind=concurrent,streams={work.concurrency}"),
            *("--constraint", f"kind=max_requests,count={work.requests}"),
            *("--data", f"kind=json_file,path={rows}"),
            *("--output", f"kind=json,path={place / 'out.json'}"),
        ]

    def environment(self, place: Path) -> dict[str, str]:
        return {"GUIDELLM__MAX_WORKER_PROCESSES": "1", "HF_HUB_OFFLINE": "1", "HF_HOME": str(place / "home")}

    def told(self, work: Work, place: Path) -> Told:
        (benchmark,) = json.loads((place / "out.json").read_text())["benchmarks"]
        figures = benchmark["metrics"]
        tpot_ms = figures["inter_token_latency_ms"]["successful"]["median"]
        return Told(figures["request_totals"]["successful"], tpot_ms / 1e3)


class Aiperf:
    """aiperf by its own command line, with one worker, counts from the server and no telemetry."""

    quick = False

    def __init__(self, python: str) -> None:
        self.program = Path(python).with_name("aiperf")
        self.name = f"aiperf {version_in(python, 'aiperf')}"

    def command(self, work: Work, origin: str, place: Path) -> list[str]:
        rows = prompts(place, work, {"text": PROMPT, "output_length": work.tokens})
        return [
            *(str(self.program), "profile", "-m", MODEL, "--url", origin, "--endpoint-type", "chat"),
            *("--streaming", "--use-server-token-count", "--tokenizer", str(word_tokenizer(place))),
            *("--input-file", str(rows), "--custom-dataset-type", "single-turn"),
            *("--request-count", str(work.requests), "--concurrency", str(work.concurrency)),
            *("--workers-max", "1", "--no-gpu-telemetry", "--no-server-metrics", "--ui", "none"),
            *("--artifact-dir", str(place / "out")),
        ]

    def environment(self, place: Path) -> dict[str, str]:
        return {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HOME": str(place / "home")}

    def told(self, work: Work, place: Path) -> Told:
        figures = json.loads((place / "out/profile_export_aiperf.json").read_text())
        return Told(int(figures["request_count"]["avg"]), figures["inter_token_latency"]["p50"] / 1e3)


def contenders() -> tuple[list[Contender], list[str]]:
    """Return those that can be run here, ours first, and why others cannot."""
    found: list[Contender] = [Joulemark()]
    absent = []
    if importlib.util.find_spec("aiohttp") is None:
        absent.append("vllm-style aiohttp: this interpreter has no aiohttp")
    else:
        found.append(VllmStyle(uvloop=False))
        if importlib.util.find_spec("uvloop") is not None:
            found.append(VllmStyle(uvloop=True))
    python = os.environ.get("JOULEMARK_PEERS")
    for name, kind in (("guidellm", Guidellm), ("aiperf", Aiperf)):
        if python is None:
            absent.append(f"{name}: JOULEMARK_PEERS names no interpreter that has it")
        elif not Path(python).with_name(name).exists():
            absent.append(f"{name}: there is none beside {python}")
        else:
            found.append(kind(python))
    return found, absent


def written_ns(path: Path) -> int:
    """Return when a file was last written to, on the monotonic clock."""
    return path.stat().st_mtime_ns - time.time_ns() + time.monotonic_ns()


def version_in(python: str, package: str) -> str:
    """Return the version of a package that another interpreter has."""
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def prompts(place: Path, work: Work, row: dict[str, Any]) -> Path:
    """Write the file of requests that a peer reads."""
    path = place / "requests.jsonl"
    path.write_text((json.dumps(row) + "\n") * work.requests)
    return path


def word_tokenizer(place: Path) -> Path:
    """Write a tokenizer of words: aiperf wants one, though the server counts, and none can be fetched."""
    folder = place / "tokenizer"
    folder.mkdir()
    vocabulary = {"<unk>": 0, "token": 1}
    tokenizer = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"},
    }
    parts = dict.fromkeys(("truncation", "padding", "normalizer", "post_processor", "decoder"))
    (folder / "tokenizer.json").write_text(json.dumps({**parts, **tokenizer}))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder
