"""Whether the cost model of one run prices what another run of the same configuration was asked."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.metrics.compare_grounds import ENERGY_FIGURES, Refusal
from joulemark.metrics.compare_settings import Difference
from joulemark.metrics.cost_forecast import TRANSFER, transfer_error_pct
from joulemark.metrics.cost_model import cost_model
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

_ALIKE = ("engine.", "load.", "machine.", "meter.")


def cost_transfer(
    a: RunView, b: RunView, found: Sequence[Difference], refused: Sequence[Refusal], names: tuple[str, str]
) -> Value:
    """Return by how much the cost model of ``a`` misses what was metered of ``b``, in per cent.

    Withheld where more than the questions differ (``found``) or their energies are not compared
    (``refused``), and as `transfer_error_pct`.
    """
    refusal = next((one for one in refused if set(ENERGY_FIGURES) <= set(one.figures)), None)
    if refusal is not None:
        return withheld(TRANSFER.unit, refusal.reason, detail=refusal.text)
    unlike = [one.name for one in found if one.name.startswith(_ALIKE)]
    if unlike:
        told = f"A cost model is of one configuration, and the runs differ in {', '.join(unlike)}."
        return withheld(TRANSFER.unit, Reason.NOT_APPLICABLE, detail=told)
    model = cost_model(a)
    if model.n_blocks is not None:
        told = f"The model of {names[0]} is of blocks of answers, the time between requests included."
        return withheld(TRANSFER.unit, Reason.NOT_APPLICABLE, detail=told)
    return transfer_error_pct(model, b.measured_items, b.headline_attributions())
