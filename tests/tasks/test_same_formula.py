"""Mathematical answers that are one, and those that are not."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.tasks.extract.number import canonical
from joulemark.tasks.scorers.algebra import canonical_form
from joulemark.tasks.scorers.math import same_formula


@pytest.mark.parametrize(
    ("gold", "reply"),
    [
        (r"\frac12", "0.5"),
        (r"\frac12", "1/2"),
        (r"\dfrac{1}{2}", r"\frac{2}{4}"),
        (r"\left( 3, \frac{\pi}{2} \right)", r"(3,\pi/2)"),
        (r"\left( 3, \frac{\pi}{2} \right)", "(3, 0.5\\pi)"),
        (r"3\sqrt{13}", r"\sqrt{117}"),
        (r"\frac{\sqrt{3}}{3}", r"\frac{1}{\sqrt{3}}"),
        (r"6 - 5i", "-5i+6"),
        ("x^2+2x+1", "(x+1)^2"),
        ("x^2+2x+1", "1+2x+x^{2}"),
        (r"90^\circ", "90"),
        (r"90^\circ", "90 degrees"),
        (r"90^\circ", r"90^{\circ}"),
        (r"90^\circ", "90°"),
        (r"\$32,\!348", "32348"),
        (r"\$32,\!348", "$32,348"),
        (r"\$32,\!348", r"\$32{,}348.00"),
        (r"11,\! 111,\! 111,\! 100", "11111111100"),
        (r"11,\! 111,\! 111,\! 100", "11,111,111,100"),
        ("58,500", "58500"),
        ("58,500", r"58\,500"),
        ("4210_{5}", "4210_5"),
        ("4210_{5}", "4210"),
        ("52_8", r"52_{\text{eight}}"),
        ("52_8", "(52)_8"),
        (r"\text{Evelyn}", "Evelyn"),
        (r"\text{Evelyn}", "evelyn"),
        (r"\text{(C)}", "C"),
        (r"\text{(C)}", "(C)"),
        (r"\text{(C)}", r"\textbf{(C)}"),
        (r"\text{even}", "even"),
        ("1,-2", "-2, 1"),
        ("1,-2", r"-2 \text{ and } 1"),
        ("1,-2", "x = 1 or x = -2"),
        ("1,-2", r"\{1,-2\}"),
        ("1,-2", "$1$ and $-2$"),
        (r"1 \pm \sqrt{19}", r"1+\sqrt{19}, 1-\sqrt{19}"),
        (r"\{1\pm\sqrt{5},-2\}", r"-2, 1+\sqrt5, 1-\sqrt5"),
        (r"3 \pm 2 \sqrt{2}", r"3 + 2\sqrt{2}, 3 - 2\sqrt{2}"),
        (r"3 \pm 2 \sqrt{2}", r"x = 3 \pm \sqrt{8}"),
        ("x=5", "5"),
        ("5", "x=5"),
        ("5", "x = 5"),
        ("y = 2x + 3", "y=3+2x"),
        ("y = 2x + 3", "2x+3"),
        ("5x - 7y + 11z + 4 = 0", "-5x+7y-11z-4=0"),
        ("5x - 7y + 11z + 4 = 0", "5x-7y+11z=-4"),
        ("y = -2x", "2x + y = 0"),
        (r"x \in [-2,7]", "[-2,7]"),
        (r"x \in [-2,7]", r"-2 \le x \le 7"),
        (r"[-2,7]", r"-2 \leq x \leq 7"),
        (r"(2,\infty)", "x > 2"),
        (r"(-\infty, 0]", r"x \le 0"),
        (r"(-\infty, 2) \cup (3, \infty)", r"(3,\infty)\cup(-\infty,2)"),
        (r"(3,4]", r"\left(3, 4\right]"),
        (r"(3,4]", "(3, 4.0]"),
        (
            r"\begin{pmatrix} -1/3 \\ 2/3 \\ 5/3 \end{pmatrix}",
            r"\begin{bmatrix} -\frac13 \\ \frac23 \\ \frac53 \end{bmatrix}",
        ),
        (r"\begin{pmatrix} -7 \\ 16 \\ 5 \end{pmatrix}", "(-7,16,5)"),
        (r"\begin{pmatrix} -1 & 0 \\ 0 & -1 \end{pmatrix}", r"\begin{pmatrix}-1&0\\0&-1\end{pmatrix}"),
        (r"864 \mbox{ inches}^2", "864"),
        (r"864 \mbox{ inches}^2", "864 square inches"),
        (r"864 \mbox{ inches}^2", r"864\text{ in}^2"),
        (r"15\mbox{ cm}^2", "15 cm^2"),
        (r"15\mbox{ cm}^2", r"15\,\mathrm{cm}^2"),
        (r"5.4 \text{ cents}", "5.4"),
        (r"\frac{270}7\text{ degrees}", r"\frac{270}{7}^\circ"),
        (r"1\frac{4}{5}", "9/5"),
        (r"1\frac{4}{5}", "1 4/5"),
        (r"137 \frac{1}{2}", "137.5"),
        (".35625", "0.35625"),
        (".0000672", r"6.72 \times 10^{-5}"),
        ("25\\%", "25"),
        ("25\\%", "0.25"),
        ("0.25", "25%"),
        ("25", "25\\%"),
        (r"\frac 59", "5/9"),
        (r"\frac9{19}", "9/19"),
        (r"11\sqrt2", r"11 \cdot \sqrt{2}"),
        (r"2k+2", "2(k+1)"),
        (r"(a+5)(b+2)", "ab+2a+5b+10"),
        (r"\cot x", r"\frac{\cos x}{\sin x}"),
        (r"\cot x", r"\frac{1}{\tan x}"),
        (r"288 \pi", "288π"),
        (r"\frac{20000}{\pi}", r"20000/\pi"),
        (r"x^8 + x^7 + x^6 + x^5 + x^4 + x^3 + x^2 + x + 1", r"\frac{x^9-1}{x-1}"),
        ("3R^2", "3 R^2"),
        (r"\frac{11+9a}{20}", r"\frac{9a}{20} + \frac{11}{20}"),
        ("7", r"3 + 4 = 7"),
        ("12", r"\text{Area} = 12"),
        ("12", r"\angle ABC = 12^\circ"),
        ("2", r"f(3) = 2"),
        ("25\\pi", r"A = \pi r^2 = 25\pi"),
        ("8", "2^3"),
        ("1/3", r"0.\overline{3}"),
        ("0.16666", r"0.16666"),
        ("1/6", r"0.1\overline{6}"),
        ("100, 200", "100,200"),
        ("1234", "1,234"),
        ("2^{100}", "1267650600228229401496703205376"),
        (r"\sqrt[3]{16}", r"2\sqrt[3]{2}"),
        (r"e^{i\pi}", "-1"),
        (r"\binom{5}{2}", "10"),
        ("5!", "120"),
        (r"|{-3}|", "3"),
        (r"\frac{1}{2}n(n+1)", r"\binom{n+1}{2}"),
        ("n(n-1)!", "n!"),
        (r"\log_2 8", "3"),
        (r"\ln e^2", "2"),
        ("-1", "i^2"),
        ("50", r"50\text{ square units}"),
        ("12", "12 apples"),
        (r"\left[ \frac{\pi^2}{8}, \frac{5 \pi^2}{4} \right]", r"[\pi^2/8, 5\pi^2/4]"),
        ("(6,31,-1)", r"\langle 6, 31, -1\rangle"),
        ("(6,31,-1)", "(x,y,z) = (6,31,-1)"),
        ("-\\frac{35}{9}", "\\frac{-35}{9}"),
        ("-\\frac{35}{9}", "-3\\frac{8}{9}"),
        ("\\text{no solution}", "no solution"),
        ("\\emptyset", "∅"),
        ("2\\sqrt{3}+1", "1+2√3"),
        ("x^{10}", "x^10"),
        ("1", "\\sin^2 x + \\cos^2 x"),
        ("\\frac{\\sqrt{2}}{2}", "\\sin(\\pi/4)"),
        ("\\sqrt{x^2}", "|x|"),
        ("p - q", "p-q"),
        ("y=5", "y = 5.0"),
        ("\\sqrt{-4}", "2i"),
        ("\\sqrt{3+4i}", "2+i"),
        ("(-8)^{1/3}", "-2"),
        ("10\\text{ m/s}", "10"),
        ("3", "3."),
    ],
)
def test_one_answer_written_in_two_ways(gold: str, reply: str) -> None:
    assert same_formula(gold, reply)


@pytest.mark.parametrize(
    ("gold", "reply"),
    [
        ("33.33", r"\frac{100}{3}"),
        ("1.414", r"\sqrt2"),
        ("3.14159265358979", r"\pi"),
        ("(1,2)", "(2,1)"),
        ("(1,2)", "[1,2]"),
        ("(1,2)", "1,2,3"),
        ("x=5", "x=6"),
        ("x=5", "y=5+1"),
        ("2k", "2n"),
        ("52_8", "42"),
        ("52_8", "52_7"),
        ("52", "52_8"),
        ("5.4 \\text{ cents}", "5.4 \\text{ dollars}"),
        ("\\text{even}", "\\text{odd}"),
        ("x^2", "x^3"),
        ("3", "-3"),
        ("1,-2", "1"),
        ("1", "1,-2"),
        ("1,2", "2,2"),
        ("1,2,2", "1,1,2"),
        ("10", "2x=10"),
        ("4", "x^2=4"),
        ("y=2x", "y=3x"),
        ("(2,\\infty)", "x \\ge 2"),
        ("9^{9}", "9^9^9^9"),
        ("\\sqrt{x^2}", "x"),
        ("\\text{Evelyn}", "Briana"),
        ("5", "five hundred"),
        ("5", ""),
        ("\\pi", "\\pi+10^{-30}"),
        ("0", "10^{-60}"),
        ("2", "2i"),
        ("3R^2", "3r"),
        ("\\begin{pmatrix} 1 \\\\ 2 \\end{pmatrix}", "(2,1)"),
        ("30^\\circ", "\\frac{\\pi}{6}"),
        ("0", "\\infty"),
        ("x", "5"),
        ("1/0", "2/0"),
        ("1/0", "1"),
        ("a", "b"),
        ("\\sin x", "\\cos x"),
        ("abc", "xyz"),
        ("12", "12x"),
        ("n!", "n^2"),
    ],
)
def test_other_answers(gold: str, reply: str) -> None:
    assert not same_formula(gold, reply)


@pytest.mark.parametrize(
    "hostile",
    [
        "9^9^9^9",
        "9^{9^{9^9}}",
        "(9^{999999999})!",
        "2^{10^9}",
        "1^{10^{300}}",
        "1/" * 400,
        "(" * 900,
        "{" * 900,
        "\\sqrt" * 160,
        "\\frac{1}{" * 100,
        "x^" * 400,
        "-" * 900,
        "!" * 900,
        "5" + "!" * 800,
        "|" * 900,
        "9" * 900,
        "0." + "3" * 250,
        "\\sin" * 200,
        "e^" * 400 + "9",
        "\\pm1" * 240,
        "1," * 480,
        "\\ln 2+" * 140,
        "\\sqrt[99999999]{2}",
        "\\binom{10^9}{10^8}",
        "2^{0.1}+" * 120,
        "abcdefghijklmnopqrstuvwxyz" * 30,
        "\\begin{pmatrix}" * 60,
        "(1,2)\\cup" * 90,
        "a=" * 400,
        "x_{" * 300,
        "\\text{" * 150,
        "\\sin 10^{50}",
        "i^{999999999}",
        "\\tan(\\pi/2)",
        "0^0",
        "0^{-1}",
        "\\log_1 5",
        "x" * 999,
    ],
)
def test_hostile_formulas_cost_nothing(hostile: str) -> None:
    started = time.process_time()
    for gold in ("5", "x+1", "1,2", "\\{x, y\\}"):
        assert not same_formula(gold, hostile)
        assert not same_formula(gold, f"\\frac{{{hostile}}}{{2}}")
    canonical_form(hostile)
    assert time.process_time() - started < 3


@settings(deadline=None)
@given(st.fractions(max_denominator=10**6), st.fractions(max_denominator=10**6))
def test_rationals_are_compared_exactly(left: Fraction, right: Fraction) -> None:
    written = f"\\frac{{{left.numerator}}}{{{left.denominator}}}"
    assert same_formula(written, f"{left.numerator}/{left.denominator}")
    assert same_formula(canonical(left), written)
    assert canonical_form(written) == canonical(left)
    assert same_formula(written, canonical(right)) == (left == right)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=5), st.integers(-9, 9))
def test_a_polynomial_is_its_expansion(roots: list[int], lead: int) -> None:
    coefficients = [lead]
    for root in roots:
        coefficients = [a - root * b for a, b in zip([*coefficients, 0], [0, *coefficients], strict=True)]
    top = len(roots)
    factored = f"{lead}" + "".join(f"(x-({root}))" for root in roots)
    expanded = "+".join(f"({c})x^{{{top - i}}}" for i, c in enumerate(coefficients))
    assert same_formula(expanded, factored)
    assert not same_formula(expanded, factored + "+1")


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 400), st.integers(1, 400))
def test_roots_are_compared_by_their_squares(a: int, b: int) -> None:
    assert same_formula(f"\\sqrt{{{a * b}}}", f"\\sqrt{{{a}}} \\cdot \\sqrt{{{b}}}")
    assert same_formula(f"\\sqrt{{{a}}}", f"\\sqrt{{{b}}}") == (a == b)


@settings(deadline=None)
@given(st.text(max_size=80) | st.text("0123456789xyi()[]{}\\^_/+-*=<>|!,. $%", max_size=60))
def test_any_text_is_itself_and_never_raises(text: str) -> None:
    canonical_form(text)
    same_formula("x + 1", text)
    same_formula(text, "x + 1")
    if any(char.isalnum() for char in text):
        assert same_formula(text, text)


@pytest.mark.parametrize(
    ("gold", "reply"),
    [
        (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1&2\end{pmatrix}"),
        ("1,000", "0,1"),
        ("0,1", "1,000"),
        ("30", "30 wrong"),
        ("30", r"30 \text{ is incorrect}"),
    ],
)
def test_a_row_is_no_column_a_thousand_no_list_and_a_verdict_no_unit(gold: str, reply: str) -> None:
    assert not same_formula(gold, reply)


@pytest.mark.parametrize(
    ("gold", "reply"),
    [
        (r"\begin{pmatrix}1\\2\end{pmatrix}", "(1,2)"),
        (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{bmatrix}1\\2\end{bmatrix}"),
        ("1,000", "1000"),
        ("12,001,500", "12001500"),
        ("1,234", "234,1"),
        ("30", "30 apples"),
    ],
)
def test_what_is_one_stays_one(gold: str, reply: str) -> None:
    assert same_formula(gold, reply)
