"""Items written out as chat messages by one prompt."""

from __future__ import annotations

from collections.abc import Callable

from joulemark.record.content import Content, Illustrated, Message
from joulemark.tasks.definition import Prompt
from joulemark.tasks.draft import Draft
from joulemark.tasks.expressions import Variables, compiled_template
from joulemark.tasks.rows import RowFault

Turns = tuple[Message, ...]
"""Chat messages: (role, content) pairs."""


class MessageWriter:
    """Writes drafts out as chat messages by one prompt."""

    def __init__(self, prompt: Prompt, working: str | None) -> None:
        self.source = "\n".join((prompt.system or "", prompt.user, prompt.example))
        self._user = compiled_template(prompt.user, "prompt.user")
        self._example = compiled_template(prompt.example, "prompt.example")
        self._working = None if working is None else compiled_template(working, "items.working")
        self._system: Turns = (("system", prompt.system),) if prompt.system else ()

    def user(self, draft: Draft) -> str:
        """Return the message that asks an item."""
        return self._guarded(draft, self._user, draft.variables())

    def turns(self, example: Draft) -> Turns:
        """Return an example as a question and its reply."""
        variables = {**example.variables(), "gold": example.gold}
        working = "" if self._working is None else self._guarded(example, self._working, variables).strip()
        reply = self._guarded(example, self._example, {**variables, "working": working}).strip()
        return ("user", self._shown(example)), ("assistant", reply)

    def messages(self, draft: Draft, shown: Turns) -> Turns:
        """Return the whole conversation that asks an item, after the turns of its examples."""
        return (*self._system, *shown, ("user", self._shown(draft)))

    def _shown(self, draft: Draft) -> Content:
        """Return the message that asks an item, with its picture where it has one."""
        text = self.user(draft)
        if draft.picture is None:
            return text
        try:
            return Illustrated(text, (draft.picture.load(),))
        except RowFault as fault:
            raise draft.row.fault(str(fault), "leave the pictures alone while they are read") from fault

    @staticmethod
    def _guarded(draft: Draft, template: Callable[[Variables], str], variables: Variables) -> str:
        try:
            return template(variables)
        except RowFault as fault:
            raise draft.row.fault(
                str(fault), "mend the row, or the prompt of the task's definition"
            ) from fault
