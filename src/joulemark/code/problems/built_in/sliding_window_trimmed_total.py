"""The best trimmed total

Description: A jury's marks arrive as a list of whole numbers, `marks` (1 <= len(marks) <= 10**5, each from
-10**6 to 10**6). For every run of exactly `width` marks in a row (1 <= width <= len(marks), width <= 1000)
the `cut` lowest and the `cut` highest are struck out (0 <= cut, 2 * cut < width; of equal marks it does not
matter which), and those that stay are added up. Return the greatest total that any run gives.
"""

import bisect
import random

ALGORITHMS = ("sliding_window", "binary_search", "sorting")
DIFFICULTY = "hard"
ENTRY_POINT = "best_trimmed_total"
EXAMPLES = (
    (([5, 1, 9, 2], 3, 1), 5),
    (([5, 1, 9, 2], 4, 1), 7),
    (([4, 4, 4], 2, 0), 8),
    (([-3, -8, -1, -7, -2], 3, 1), -2),
)
SHAPES = ("random", "few_values", "drifting", "outliers")
SIZES = (500, 80_000)
CHECKER = "equal"
EDGE_CASES = (
    ([-5], 1, 0),
    ([3, 1, 2], 1, 0),
    ([2, 2, 2, 2, 2], 3, 1),
    ([1, 2, 3, 4, 5, 6], 5, 2),
    ([6, 5, 4, 3, 2, 1], 3, 1),
    ([0, 100, 0, 100, 0], 4, 1),
)
BRUTE_FORCE_SIZE = 12


def best_trimmed_total(marks: list[int], width: int, cut: int) -> int:
    """Keep the window sorted, and the total of its middle: what comes or goes moves one border mark."""
    window = sorted(marks[:width])
    high = width - cut
    total = best = sum(window[cut:high])
    for leaving, entering in zip(marks, marks[width:], strict=False):
        position = bisect.bisect_left(window, leaving)
        if position < cut:
            total -= window[cut]
        elif position < high:
            total -= leaving
        else:
            total -= window[high - 1]
        del window[position]
        position = bisect.bisect_left(window, entering)
        window.insert(position, entering)
        if position < cut:
            total += window[cut]
        elif position < high:
            total += entering
        else:
            total += window[high - 1]
        if total > best:
            best = total
    return best


def slow_sort_each(marks: list[int], width: int, cut: int) -> int:
    """Sort every run from nothing."""
    return max(
        sum(sorted(marks[start : start + width])[cut : width - cut])
        for start in range(len(marks) - width + 1)
    )


def slow_sum_each(marks: list[int], width: int, cut: int) -> int:
    """Keep the window sorted, but find the mark that leaves by a scan and add up the middle every time."""
    window = sorted(marks[:width])
    best = sum(window[cut : width - cut])
    for leaving, entering in zip(marks, marks[width:], strict=False):
        window.remove(leaving)
        bisect.insort(window, entering)
        best = max(best, sum(window[cut : width - cut]))
    return best


def brute_force(marks: list[int], width: int, cut: int) -> int:
    """Strike out lowest and highest marks one at a time."""
    totals = []
    for start in range(len(marks) - width + 1):
        run = marks[start : start + width]
        for _ in range(cut):
            run.remove(min(run))
            run.remove(max(run))
        totals.append(sum(run))
    return max(totals)


def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int], int, int]:
    """`size` marks; the width is some hundreds once there is room for it."""
    width = max(1, min(size // 2, rng.randint(280, 320)))
    cut = rng.randint(0, (width - 1) // 2) if width < 50 else rng.randint(width // 10, width // 5)
    if shape == "few_values":
        return rng.choices(range(-3, 4), k=size), width, cut
    if shape == "drifting":
        mark = 0
        marks = []
        for step in rng.choices(range(-9, 10), k=size):
            mark = max(-1_000_000, min(1_000_000, mark + step))
            marks.append(mark)
        return marks, width, cut
    if shape == "outliers":
        pool = [*range(90, 111), -1_000_000, 1_000_000]
        return rng.choices(pool, k=size), width, cut
    return rng.choices(range(-1_000_000, 1_000_001), k=size), width, cut
