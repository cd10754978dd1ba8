"""Many at once, on either database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from doubles.board_rows import counts
from doubles.boards import BoardDouble, bundle, content, key
from doubles.hostile_bundles import WORDS
from joulemark.bundles.submission.pack import pack_content


def test_one_bundle_sent_eight_times_at_once_is_one_submission(both: BoardDouble) -> None:
    data = bundle().data
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: both.submit(data).status_code, range(8)))
    assert sorted(answers) == [200] * 7 + [201]
    found = counts(both.engine)
    assert (found["submissions"], found["runs"], found["audit_log"], found["configurations"]) == (1, 1, 1, 1)


def test_of_copies_sent_at_once_only_one_is_accepted(both: BoardDouble) -> None:
    mine = content()
    copies = [pack_content(mine, key(n), WORDS).data for n in range(4)]
    with ThreadPoolExecutor(4) as pool:
        answers = [one.status_code for one in pool.map(both.submit, copies)]
    assert sorted(answers) == [201, 202, 202, 202]


def test_runs_of_one_configuration_sent_at_once_are_all_in_its_row(both: BoardDouble) -> None:
    several = [bundle(seed=seed, signer=seed).data for seed in range(6)]
    with ThreadPoolExecutor(6) as pool:
        answers = [one.status_code for one in pool.map(both.submit, several)]
    assert answers == [201] * 6
    [row] = both.client.get("/api/v1/leaderboard").json()["rows"]
    assert row["n_runs"] == 6
