"""The fitted cost model as an equation in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.metrics.cost_forecast import predict
from joulemark.metrics.cost_model import CostModel, cost_figures
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import withheld
from joulemark.report.wording import decimals, figure_texts, number, why


@dataclass(frozen=True, slots=True)
class Term:
    """One coefficient with its standard error; ``name`` is that of its definition."""

    name: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class CostWords:
    """The equation, its terms, how well it fits and what it says; ``why`` where there is none."""

    equation: str = ""
    terms: tuple[Term, ...] = ()
    sentences: tuple[str, ...] = ()
    why: str = ""


def equation(model: CostModel) -> str:
    """Return ``E = … J + … J × prompt tokens + … J × output tokens``, or nothing of a withheld model."""
    if model.coefficients is None:
        return ""
    parts = []
    for value, error, of in zip(
        model.coefficients, _errors(model), ("", " × prompt tokens", " × output tokens"), strict=True
    ):
        sign = "−" if value < 0 else "+"
        parts.append((sign, f"{_rounded(abs(value), error)} J{of}"))
    first = ("−" if parts[0][0] == "−" else "") + parts[0][1]
    return f"E = {first} " + " ".join(f"{sign} {text}" for sign, text in parts[1:])


def why_no_model(model: CostModel) -> str:
    """Return the sentence that says why there is no cost model, or nothing."""
    return "" if model.reason is None else why(withheld("J", model.reason, detail=model.detail))


def fit_words(model: CostModel) -> str:
    """Return how well the model fits, on one line."""
    if model.coefficients is None:
        return why_no_model(model)
    r2 = "R² —: all requests cost the same" if model.r2 is None else f"R² {model.r2:.2f}"
    return f"{r2}, {model.n:,} requests{_in_blocks(model)}"


def cost_words(model: CostModel, run: RunView) -> CostWords:
    """Return the model of a run in words."""
    if model.coefficients is None:
        return CostWords(why=why_no_model(model))
    named = zip(
        cost_figures(model),
        ("Fixed, a request", "A prompt token", "An output token"),
        model.coefficients,
        _errors(model),
        strict=False,
    )
    terms = tuple(
        Term(name, title, f"{_rounded(value, error)} ± {_rounded(error, error)} J")
        for name, title, value, error in named
    )
    return CostWords(equation(model), terms, tuple(_sentences(model, run)))


def _sentences(model: CostModel, run: RunView) -> list[str]:
    assert model.prompt_range is not None
    assert model.completion_range is not None
    if model.r2 is None:
        fits = "All requests cost the same, so R² is not known."
    else:
        fits = f"R² {model.r2:.3f}: lengths explain {100 * model.r2:.0f} % of how requests differ in energy."
    prompt, output = (sum(ends) / 2 for ends in (model.prompt_range, model.completion_range))
    told = predict(model, prompt, output).energy
    text, interval = figure_texts("joules_per_request", told)
    (p0, p1), (c0, c1) = model.prompt_range, model.completion_range
    return [
        "± are standard errors. " + fits,
        f"Example: {prompt:,.0f} prompt and {output:,.0f} output tokens take about {text} ({interval}).",
        (
            f"Fitted on {model.n:,} of {len(run.measured_items):,} requests{_in_blocks(model)}, one at a "
            f"time, with prompts of {p0:,} to {p1:,} and answers of {c0:,} to {c1:,} tokens; beyond these it "
            "is a guess."
        ),
        *([_BLOCKS] if model.n_blocks is not None else []),
    ]


_BLOCKS = (
    "The meter is too slow for single requests, so the means of blocks were fitted: the fixed part holds the "
    "time between requests."
)


def _in_blocks(model: CostModel) -> str:
    return "" if model.n_blocks is None else f" in {model.n_blocks} blocks"


def _errors(model: CostModel) -> tuple[float, float, float]:
    return model.se_fixed_j or 0.0, model.se_alpha_j_per_token or 0.0, model.se_beta_j_per_token or 0.0


def _rounded(value: float, error: float) -> str:
    return number(value, decimals(value, error))
