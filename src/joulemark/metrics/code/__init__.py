"""Figures of generated code, from its runs alone: `summarize_code` takes those of one model's evaluation.

Pure as the rest of `joulemark.metrics`. Two columns that never share a name: what EffiBench's paper defines
(`as_defined`), and what we measure (`corrected`). Scores of other benchmarks are computed from the same runs.
"""

from joulemark.metrics.code.break_even import (
    BreakEven,
    CostKind,
    ModelCost,
    break_even,
    cost_curve,
    cost_with_runs,
    model_cost,
)
from joulemark.metrics.code.by_group import Extremes, Placed, Tags, on_identical_problems, solved_by_all
from joulemark.metrics.code.dps import Cluster
from joulemark.metrics.code.environments import EnvironmentComparison, compare_environments, ratios_by_task
from joulemark.metrics.code.number_of_tests import TestCount, compare_test_counts
from joulemark.metrics.code.pair_ratio import Comparison, PairRatio, aa_band, pair_ratio
from joulemark.metrics.code.repeat_study import repeat_study
from joulemark.metrics.code.sample import Sample, is_right, samples_of
from joulemark.metrics.code.summary import CodeSummary, summarize_code
from joulemark.metrics.code.summary_json import definition_name, figures_json, spreads_json, summary_json

__all__ = [
    "BreakEven",
    "Cluster",
    "CodeSummary",
    "Comparison",
    "CostKind",
    "EnvironmentComparison",
    "Extremes",
    "ModelCost",
    "PairRatio",
    "Placed",
    "Sample",
    "Tags",
    "TestCount",
    "aa_band",
    "break_even",
    "compare_environments",
    "compare_test_counts",
    "cost_curve",
    "cost_with_runs",
    "definition_name",
    "figures_json",
    "is_right",
    "model_cost",
    "on_identical_problems",
    "pair_ratio",
    "ratios_by_task",
    "repeat_study",
    "samples_of",
    "solved_by_all",
    "spreads_json",
    "summarize_code",
    "summary_json",
]
