"""Errors that a user can mend: what happened, why, and the command that fixes it.

::

    JoulemarkError
    └── InputError      exit 2: bad input or a missing thing
"""

from __future__ import annotations


class JoulemarkError(Exception):
    """An error with a cause and a way out; the command line prints it without a traceback.

    ``fix`` is what to do, a command where there is one.
    """

    exit_code = 2

    def __init__(self, what: str, *, why: str = "", fix: str = "") -> None:
        super().__init__(what)
        self.what, self.why, self.fix = what, why, fix

    def __str__(self) -> str:
        sentence = self.what if not self.why else f"{self.what}: {self.why}"
        return sentence if not self.fix else f"{sentence}\n  fix: {self.fix}"


class InputError(JoulemarkError):
    """Bad input or a missing thing."""
