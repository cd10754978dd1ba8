"""Which series of a page is meant: ``NAME`` or ``NAME{label="value",…}``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from joulemark.meters.prometheus.exposition import MalformedPage, Sample, parse_exposition
from joulemark.record.errors import InputError

_SHOWN = 4
_UNSAFE = re.compile(r"[^a-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Selector:
    """A series: its name and the labels that it must have, beside others."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Selector:
        """Read what the user wrote; raises `InputError`. Only equality of labels is understood."""
        try:
            samples = parse_exposition(f"{text.strip()} 0").samples
            if len(samples) != 1 or samples[0].t_s is not None:
                raise MalformedPage("it names no series")
        except MalformedPage as error:
            raise InputError(
                f"{text!r} names no series",
                why=str(error).removeprefix("line 1: "),
                fix='write NAME or NAME{label="value"}, as the page at the address has it',
            ) from error
        return cls(samples[0].name, samples[0].labels)

    def pick(self, samples: Iterable[Sample]) -> list[Sample]:
        """Return those that it means."""
        wanted = self.labels.items()
        return [s for s in samples if s.name == self.name and wanted <= s.labels.items()]

    @property
    def slug(self) -> str:
        """A short name without label values, which may name hosts: a digest stands for them."""
        name = _UNSAFE.sub("_", self.name.lower()).strip("_") or "series"
        if not self.labels:
            return name
        digest = hashlib.sha256(repr(sorted(self.labels.items())).encode()).hexdigest()[:6]
        return f"{name}-{digest}"


def told_apart(samples: Iterable[Sample]) -> str:
    """Return the labels by which several series differ, for a user who has to choose one."""
    labelled = [dict(sample.labels) for sample in samples]
    names = sorted({name for labels in labelled for name in labels})
    differing = [name for name in names if len({labels.get(name) for labels in labelled}) > 1]
    shown = [
        "{" + ",".join(f'{name}="{labels[name]}"' for name in differing if name in labels) + "}"
        for labels in labelled[:_SHOWN]
    ]
    more = f" and {len(labelled) - _SHOWN} more" if len(labelled) > _SHOWN else ""
    return " ".join(shown) + more
