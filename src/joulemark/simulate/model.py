"""The models that can be simulated: sizes only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from joulemark.record.errors import InputError


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What a model asks of a board.

    ``parameters`` in all, of which ``active_parameters`` work on one token (fewer in a mixture of experts;
    null: all). ``kv_bytes_per_token`` is what one token of context keeps in memory. ``layers`` and ``hidden``
    are the number of layers and the width, for attention and for what tensor parallelism exchanges.
    Raises ``ValueError`` for sizes that no model can have.
    """

    name: str
    parameters: float
    kv_bytes_per_token: float
    layers: int
    hidden: int
    bytes_per_parameter: float = 2.0
    active_parameters: float | None = None

    def __post_init__(self) -> None:
        sizes = (self.parameters, self.kv_bytes_per_token, self.layers, self.hidden, self.bytes_per_parameter)
        if min(sizes) <= 0 or not 0 < self.active <= self.parameters:
            raise ValueError(f"{self.name}: sizes are positive, and no more is active than there is")

    @property
    def active(self) -> float:
        """Parameters that work on one token."""
        return self.parameters if self.active_parameters is None else self.active_parameters

    @property
    def weight_bytes(self) -> float:
        """Bytes of all weights."""
        return self.parameters * self.bytes_per_parameter


LLAMA_8B = ModelShape("llama-8b", 8.03e9, 131_072, layers=32, hidden=4096)
LLAMA_70B = ModelShape("llama-70b", 70.6e9, 327_680, layers=80, hidden=8192)
MIXTRAL_8X7B = ModelShape("mixtral-8x7b", 46.7e9, 131_072, layers=32, hidden=4096, active_parameters=12.9e9)
SMOLLM2_135M = ModelShape("smollm2-135m", 134.5e6, 23_040, layers=30, hidden=576)

MODELS: Mapping[str, ModelShape] = MappingProxyType(
    {model.name: model for model in (LLAMA_8B, LLAMA_70B, MIXTRAL_8X7B, SMOLLM2_135M)}
)
"""The built-in models by name: sizes of Llama 3.1 8B and 70B, Mixtral 8x7B and SmolLM2 135M (model cards)."""


def model_named(name: str) -> ModelShape:
    """Return the built-in model of this name, whatever its case; raises ``InputError`` for another."""
    found = MODELS.get(name.strip().lower())
    if found is None:
        raise InputError(f"no simulated model is named {name!r}", fix=f"name one of {', '.join(MODELS)}")
    return found
