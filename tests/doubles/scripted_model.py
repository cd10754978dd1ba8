"""A model that answers with what a test wrote down, and generators that it may answer with."""

from __future__ import annotations

HEAD = 'SIZES = (200, 40_000)\nSHAPES = ("random", "rising")\n\n\n'
GOOD = HEAD + (
    "def generate(rng, size, shape):\n"
    "    values = [rng.randint(-50, 50) for _ in range(size)]\n"
    '    if shape == "rising":\n'
    "        values.sort()\n"
    "    return (values,)\n"
)
BARE_LIST = GOOD.replace("return (values,)", "return values")
CLOCK = "import time\n\n" + GOOD.replace("return (values,)", "return ([time.time_ns() % 1000, *values],)")
ENDLESS = GOOD.replace("return (values,)", "while True:\n        pass")
LEAVES = "import os\n\n" + GOOD.replace("return (values,)", "os._exit(0)")


def fenced(program: str) -> str:
    """A program as a model gives it."""
    return f"Here it is:\n\n```python\n{program}```\nIt draws from `rng` alone.\n"


class ScriptedModel:
    """Answers prompts about tests with ``answers`` in turn, the last one again and again.

    ``asked`` are those prompts. Anything else, as a client's trial, gets a word.
    """

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, question: str) -> str:
        if "tests" not in question and "not accepted" not in question:
            return "yes"
        self.asked.append(question)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
