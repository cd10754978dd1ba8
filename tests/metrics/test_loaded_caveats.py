import dataclasses

import pytest

from doubles import run_views, steady_runs
from joulemark.metrics.loaded_caveats import of_load
from joulemark.record.energy import Withheld
from joulemark.record.manifest import Load
from joulemark.record.reason import Reason
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B


def loaded(n: int):
    config = ServerConfig(H100, LLAMA_8B, max_batch=8)
    return steady_runs.closed(config, draw_requests(n, 300, 80, 5), 8, with_gauge=True).view


def codes(view) -> list[str]:
    return [caveat.code for caveat in of_load(view)]


def test_a_load_without_a_steady_state_is_told_first_and_with_its_numbers():
    (caveat,) = of_load(loaded(10))
    assert (caveat.code, caveat.loud) == ("no_steady_state", True)
    assert " s" in caveat.text
    assert codes(run_views.with_counter()) == ["engine_not_watched"]  # asked one at a time, and not shown


def test_power_that_moved_and_tokens_that_were_spread_are_told():
    view = loaded(200)
    state = view.steady
    flat = dataclasses.replace(state, block_energies=(state.block_energies[0],) * len(state.blocks))
    assert codes(dataclasses.replace(view, steady=flat)) == []
    rising = tuple(
        dataclasses.replace(one, joules=100.0 + k, lo=100.0 + k, hi=100.0 + k)
        for k, one in enumerate(state.block_energies)
    )
    assert len(rising) > 7
    spread = dataclasses.replace(state.window, token_basis="spread_over_chunks")
    moved = dataclasses.replace(state, block_energies=rising, window=spread)
    assert codes(dataclasses.replace(view, steady=moved)) == ["power_changed", "tokens_spread"]
    lost = dataclasses.replace(state, block_energies=(Withheld(Reason.METER_LOST),) * len(state.blocks))
    assert codes(dataclasses.replace(view, steady=lost)) == []


@pytest.mark.parametrize(
    ("load", "told", "not_told"),
    [
        (Load(mode="open", arrival="poisson", rate=3.0), "follows the arrivals", "--lead"),
        (Load(mode="closed", concurrency=8), "--lead", "arrivals"),
        (Load(mode="open", arrival="at_once"), "--lead", "arrivals"),
    ],
)
def test_power_under_arrivals_follows_them_and_a_longer_lead_is_no_help(load, told, not_told):
    view = loaded(200)
    state = view.steady
    rising = tuple(
        dataclasses.replace(one, joules=100.0 + k, lo=100.0 + k, hi=100.0 + k)
        for k, one in enumerate(state.block_energies)
    )
    moved = dataclasses.replace(
        view,
        steady=dataclasses.replace(state, block_energies=rising),
        manifest=view.manifest.model_copy(update={"load": load}),
    )
    (text,) = [one.text for one in of_load(moved) if one.code == "power_changed"]
    assert told in text
    assert not_told not in text
