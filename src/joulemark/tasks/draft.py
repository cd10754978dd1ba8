"""From a row to an item: question, options and reference, not yet written out as messages."""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joulemark.tasks.definition import TaskDefinition
from joulemark.tasks.expressions import Variables, compiled_expression, compiled_template
from joulemark.tasks.extract.number import canonical, only_number
from joulemark.tasks.found_picture import FoundPicture, find_picture
from joulemark.tasks.kinds import is_lettered, require_one_measure, require_reference
from joulemark.tasks.rows import Row, RowFault
from joulemark.tasks.scorers import UNGRADED
from joulemark.tasks.subset import permuted

LETTERS = string.ascii_uppercase


@dataclass(frozen=True, slots=True)
class Draft:
    """An item before it is written out as messages; ``follow_ups`` are the user's words of later turns."""

    item_id: str
    row: Row
    question: str
    gold: str | None
    kind: str
    options: tuple[tuple[str, str], ...]
    group: str
    follow_ups: tuple[str, ...] = ()
    picture: FoundPicture | None = None

    def variables(self) -> dict[str, object]:
        """Return what a prompt's templates see: the row's own variables, and what was made of them."""
        return {
            **row_variables(self.row),
            "question": self.question,
            "options": self.options,
            "option_lines": "\n".join(f"{letter}) {text}" for letter, text in self.options),
            "letters": [letter for letter, _ in self.options],
            "kind": self.kind,
        }


def row_variables(row: Row) -> dict[str, object]:
    """Return what every template and expression sees of a row."""
    return {**row.fields, "row": row.fields, "file": row.file, "split": row.split}


class DraftReader:
    """Makes drafts of rows by one definition's programs."""

    def __init__(self, definition: TaskDefinition, order_key: str) -> None:
        require_one_measure(definition.kinds)
        items, data = definition.items, definition.data
        self._definition, self._order_key = definition, order_key
        self._question = compiled_template(items.question, "items.question")
        self._gold = optional_expression(items.gold, "items.gold")
        self._follow_ups = optional_expression(items.follow_ups, "items.follow_ups")
        self._kind = optional_expression(items.kind, "items.kind")
        self._options = optional_expression(items.options, "items.options")
        self._group = optional_expression(items.group, "items.group")
        self._id = optional_expression(items.id, "items.id")
        self._where = optional_expression(data.where, "data.where")
        self._image = optional_expression(items.image, "items.image")

    def draft(self, row: Row) -> Draft | None:
        """Return the item of a row, null where the row is left out; raises `InputError` naming the row."""
        data = self._definition.data
        try:
            for name in data.texts:
                row.text(name)
            return self._draft(row)
        except RowFault as fault:
            raise row.fault(
                str(fault), f"write each row as {data.row}, or mend the definition of {self._definition.name}"
            ) from fault

    def _draft(self, row: Row) -> Draft | None:
        variables = row_variables(row)
        if self._where is not None and not self._where(variables):
            return None
        kinds = self._definition.kinds
        kind = kinds[0] if self._kind is None else str(self._kind(variables))
        if kind not in kinds:
            raise RowFault(f"its kind is {kind!r}, none of {', '.join(kinds)}")
        question = self._question(variables).strip()
        if not question:
            raise RowFault("the question is empty")
        variables["question"] = question
        options: tuple[tuple[str, str], ...] = ()
        texts = self._texts(variables)
        if texts:
            names = LETTERS if is_lettered(kind) else texts
            options = tuple(zip(names, texts, strict=False))
        written: str | None = None
        if kind != UNGRADED:
            letters = [letter for letter, _ in options]
            gold = self._gold({**variables, "options": options, "letters": letters}) if self._gold else None
            if gold is None:
                return None
            written = _reference(gold, kind, options)
        follow_ups = self._later(variables)
        _require_whole(question, written or "", *(text for _, text in options), *follow_ups)
        picture = None if self._image is None else find_picture(self._image(variables), row.folder)
        item_id = self._item_id(variables, question, written, texts, picture)
        if self._definition.items.shuffle_options and is_lettered(kind) and written is not None:
            options, written = _shuffled(options, written, f"{self._order_key}\0{item_id}")
        group = "" if self._group is None else str(self._group(variables))
        return Draft(item_id, row, question, written, kind, options, group, follow_ups, picture)

    def _later(self, variables: Variables) -> tuple[str, ...]:
        listed = None if self._follow_ups is None else self._follow_ups(variables)
        if listed is None:
            return ()
        if not isinstance(listed, list | tuple) or not all(isinstance(t, str) and t.strip() for t in listed):
            raise RowFault("the follow-ups are no list of texts")
        return tuple(text.strip() for text in listed)

    def _texts(self, variables: Variables) -> list[str]:
        if self._options is None:
            return []
        listed = self._options(variables)
        if listed is None:
            return []
        if not isinstance(listed, list | tuple) or not all(isinstance(text, str) for text in listed):
            raise RowFault("the options are no list of texts")
        texts = [text.strip() for text in listed]
        if not 2 <= len(texts) <= len(LETTERS) or not all(texts):
            raise RowFault(f"there must be 2 to {len(LETTERS)} options, each with a text, not {len(texts)}")
        return texts

    def _item_id(
        self,
        variables: Variables,
        question: str,
        gold: str | None,
        texts: Sequence[str],
        picture: FoundPicture | None,
    ) -> str:
        if self._id is not None:
            named = str(self._id(variables)).strip()
            if not named:
                raise RowFault("its id is empty")
            return named
        # A digest of what is asked: the same item has one id, whatever file and place it was read from.
        shown = [] if picture is None else [picture.digest]
        content = json.dumps([question, list(texts), gold, *shown], ensure_ascii=False)
        return f"{self._definition.name}-{hashlib.sha256(content.encode()).hexdigest()[:12]}"


def optional_expression(source: str | None, where: str) -> Callable[[Variables], object] | None:
    """Return the program of an expression that a definition may leave out."""
    return None if source is None else compiled_expression(source, where)


def _reference(gold: object, kind: str, options: Sequence[tuple[str, str]]) -> str:
    """Write a reference answer as its scorer reads it; raises `RowFault` where it cannot be one."""
    if kind == "choice":
        letters = [letter for letter, _ in options]
        if isinstance(gold, int) and not isinstance(gold, bool) and 0 <= gold < len(letters):
            return letters[gold]
        if gold not in letters:
            raise RowFault(f"the reference {gold!r} is none of the options {', '.join(letters) or '(none)'}")
        return str(gold)
    if kind == "label":
        labels = [label for label, _ in options]
        if gold not in labels:
            raise RowFault(f"the reference {gold!r} is none of {', '.join(labels) or '(no labels)'}")
    if kind == "numeric":
        value = only_number(str(gold))
        if value is None:
            raise RowFault(f'the reference answer "{str(gold).strip()[:40]}" is no number')
        return canonical(value)
    written = str(gold).strip()
    if not written:
        raise RowFault("the reference answer is empty")
    try:
        require_reference(kind, written)
    except ValueError as error:
        raise RowFault(str(error)) from error
    return written


def _require_whole(*texts: str) -> None:
    for text in texts:
        if not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text):
            raise RowFault("it holds half a character (a lone surrogate)")


def _shuffled(
    options: Sequence[tuple[str, str]], gold: str, key: str
) -> tuple[tuple[tuple[str, str], ...], str]:
    """Give the letters to the texts in an order that ``key`` fixes; returns options and the new letter."""
    texts = permuted(list(enumerate(text for _, text in options)), key, lambda pair: f"{pair[0]}\0{pair[1]}")
    letters = [letter for letter, _ in options]
    moved = tuple(zip(letters, (text for _, text in texts), strict=True))
    right = letters.index(gold)
    return moved, letters[next(place for place, (index, _) in enumerate(texts) if index == right)]
