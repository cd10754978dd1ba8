"""Which series of a page is meant: ``NAME`` or ``NAME{label="value",…}``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from joulemark.meters.http.words import cleaned
from joulemark.meters.privacy import hashed, load_salt
from joulemark.meters.prometheus.exposition import MalformedPage, Sample, parse_exposition
from joulemark.record.errors import InputError

_SHOWN, _COMPARED = 4, 50
_LONGEST = 300
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
        """A short name without label values, which may name hosts: this machine's own digest stands for them.

        Raises `InputError` where the local salt cannot be used.
        """
        name = _UNSAFE.sub("_", self.name.lower()).strip("_") or "series"
        if not self.labels:
            return name
        digest = hashed(repr(sorted(self.labels.items())), load_salt())[:8]
        return f"{name}-{digest}"


def told_apart(samples: Sequence[Sample], *, tells_all: bool = False) -> str:
    """Return the labels by which several series differ, or all, for a user who has to choose one."""
    labelled = [dict(sample.labels) for sample in samples[:_COMPARED]]
    names = sorted({name for labels in labelled for name in labels})
    told = [name for name in names if tells_all or len({labels.get(name) for labels in labelled}) > 1]
    shown = [
        "{" + ",".join(f'{cleaned(name)}="{cleaned(labels[name])}"' for name in told if name in labels) + "}"
        for labels in labelled[:_SHOWN]
    ]
    more = f" and {len(samples) - _SHOWN} more" if len(samples) > _SHOWN else ""
    return " ".join(one if len(one) <= _LONGEST else one[:_LONGEST] + "…" for one in shown) + more
