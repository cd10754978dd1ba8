"""A meter that was named is read, or the command ends with the reason."""

from __future__ import annotations

import pytest

from doubles.prometheus import UUIDS, PageServer, Reply, dcgm_page
from joulemark.record.errors import InputError
from joulemark.runs.metering import require_meters

PAGE = dcgm_page({"TOTAL_ENERGY_CONSUMPTION": 684_000_123, "POWER_USAGE": 310.25})


def served(page: str) -> PageServer:
    return PageServer(lambda path, query: Reply(page))


def test_another_board_of_the_same_number_is_an_error_and_not_left_out_in_silence() -> None:
    other = PAGE.replace(UUIDS[0], "GPU-of-another-machine")
    with served(PAGE) as mine, served(other) as theirs:
        meters = [f"dcgm:{one.url}/metrics" for one in (mine, theirs)]
        with pytest.raises(InputError, match="cannot be read") as caught:
            require_meters(meters)
        assert meters[1] in caught.value.what
        assert "another board" in caught.value.why
        assert "leave out the one that does not run the engine" in caught.value.fix
        require_meters([meters[0], f"{meters[1]}?scope=wall/psu/gpu:1"])


@pytest.mark.parametrize("scope", ["", "?scope=wall/psu/gpu:1"])
def test_the_same_board_twice_is_read_once(scope: str) -> None:
    with served(PAGE) as one, served(PAGE) as again:
        require_meters([f"dcgm:{one.url}/metrics", f"dcgm:{again.url}/metrics{scope}"])
