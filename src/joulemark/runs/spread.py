"""How far the complete runs of one configuration lie apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from joulemark.metrics.plain import JsonValue, spread_json
from joulemark.metrics.pooling import NotPoolable, pool
from joulemark.metrics.repeats import Spread, repeat_figures
from joulemark.runs.recorded import read_run
from joulemark.runs.view import view_of


@dataclass(frozen=True, slots=True)
class ConfigurationSpread:
    """Runs of one configuration and the spread of their figures, or why they were not taken together."""

    config_hash: str
    task: str
    model: str
    run_dirs: tuple[str, ...]
    figures: Mapping[str, Spread] = field(default_factory=dict)
    refusal: str | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "config_hash": self.config_hash,
            "task": self.task,
            "model": self.model,
            "run_dirs": list(self.run_dirs),
            "figures": {name: spread_json(spread) for name, spread in self.figures.items()},
            "refusal": self.refusal,
        }


def spreads_of(listed: Sequence[Mapping[str, object]]) -> list[ConfigurationSpread]:
    """Return one entry a configuration of the complete runs in ``listed`` (see `joulemark.runs.listing`)."""
    by_hash: dict[str, list[Mapping[str, object]]] = {}
    for facts in listed:
        if facts["state"] == "complete":
            by_hash.setdefault(str(facts["config_hash"]), []).append(facts)
    return [_spread(config_hash, runs) for config_hash, runs in by_hash.items()]


def _spread(config_hash: str, runs: Sequence[Mapping[str, object]]) -> ConfigurationSpread:
    roots = tuple(str(facts["run_dir"]) for facts in runs)
    figures: Mapping[str, Spread] = {}
    refusal: str | None = None
    views = [view_of(read_run(Path(root))) for root in roots]
    try:
        # one run that asked everything several times has its spread in itself
        figures = pool(views) if len(views) > 1 else repeat_figures(views[0])
    except NotPoolable as error:
        refusal = str(error)
    return ConfigurationSpread(
        config_hash, str(runs[0]["task"]), str(runs[0]["model"]), roots, figures, refusal
    )
