"""From a definition and rows to a loaded task: items drawn, ordered, given their examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from joulemark.record.errors import InputError
from joulemark.tasks.definition import DEFAULT_PRESET, TaskDefinition
from joulemark.tasks.draft import Draft, DraftReader, optional_expression
from joulemark.tasks.expressions import Variables
from joulemark.tasks.kinds import require_installed, score_range, scorer_of
from joulemark.tasks.messages import MessageWriter, Turns
from joulemark.tasks.rows import DataSet, Row, RowFault
from joulemark.tasks.scorers import KindScorer
from joulemark.tasks.subset import order_key, permuted
from joulemark.tasks.task import Question, TaskSet

ALL_SPLITS = "all"
_LEFT_OUT = "they have no usable reference answer, or the task's definition does not count them in"


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user asked of a task; null where left to the task or its preset."""

    limit: int | None = None
    n_shot: int | None = None
    split: str | None = None
    preset: str = DEFAULT_PRESET
    subset_key: str = ""
    nonce: str | None = None
    item_ids: tuple[str, ...] | None = None


def assemble(definition: TaskDefinition, data: DataSet, choices: Choices, *, source: str) -> TaskSet:
    """Return the task as it is asked. Raises `InputError` for rows, splits or numbers that cannot be.

    Items come in an order that the subset's key (with its nonce) fixes, only those of ``item_ids`` where they
    are given; ``limit`` takes the first of it.
    """
    preset = definition.preset(choices.preset)
    n_shot = choices.n_shot if choices.n_shot is not None else preset.n_shot or 0
    if n_shot and not definition.examples:
        raise InputError(
            f"{definition.name} takes no --shots",
            why="it is asked without examples",
            fix="leave --shots out, or name a task that has examples, such as gsm8k",
        )
    asked_rows, example_rows, split = _split(definition, data, choices.split)
    reader = DraftReader(definition, choices.subset_key)
    asked, left_out = _drafts(reader, asked_rows)
    if not asked:
        raise InputError(
            f"no row of {data.origin} can be asked",
            why=f"all {left_out} of split {split} are left out: {_LEFT_OUT}",
            fix=f"choose another split with --split; there are {', '.join(data.splits[:20])}",
        )
    key = order_key(choices.subset_key, choices.nonce)
    ordered = permuted(asked, key, lambda draft: draft.item_id)
    pool, ordered = _example_pool(reader, example_rows, ordered, n_shot)
    if not ordered or (choices.limit is not None and choices.limit > len(ordered) and n_shot):
        raise InputError(
            f"{n_shot} examples and {choices.limit or 1} questions are more than there are",
            why=f"{data.origin} holds {len(asked)} items to ask, and an example is never asked",
            fix="lower --shots or --limit",
        )
    n_whole = sum(1 + len(draft.follow_ups) for draft in ordered)
    notes = [] if not left_out else [f"{left_out} rows of the data are left out: {_LEFT_OUT}"]
    if choices.item_ids is not None:
        notes.append(f"asked are {len(choices.item_ids)} of {len(ordered)} items, which a list named")
        ordered = _named(ordered, choices.item_ids, data.origin)
    ordered = ordered[: choices.limit or len(ordered)]
    writer = MessageWriter(preset.prompt or definition.prompt, definition.items.working)
    budget = optional_expression(definition.items.max_tokens, "items.max_tokens")
    shown: dict[str, Turns] = {
        group: tuple(turn for e in _examples(pool, group, n_shot) for turn in writer.turns(e))
        for group in dict.fromkeys(draft.group for draft in ordered)
    }
    questions = tuple(
        turn
        for draft in ordered
        for turn in _turns(
            draft,
            writer.messages(draft, shown[draft.group]),
            None if budget is None or preset.max_tokens else _budget(budget, draft),
        )
    )
    kinds = sorted({draft.kind for draft in ordered})
    for kind in kinds:
        require_installed(kind, (draft.gold or "" for draft in ordered if draft.kind == kind))
    budgets = [question.max_tokens for question in questions if question.max_tokens is not None]
    return TaskSet(
        name=definition.name,
        revision=data.revision,
        split=split,
        n_shot=n_shot,
        template=_programs(definition, writer, pool),
        questions=questions,
        scorer=KindScorer({kind: scorer_of(kind) for kind in kinds}),
        max_tokens=preset.max_tokens or max(budgets, default=definition.max_tokens),
        subset_key=choices.subset_key,
        nonce=choices.nonce,
        source=source,
        preset=choices.preset,
        score_range=next(filter(None, map(score_range, kinds)), None),
        is_canary=definition.is_canary,
        is_listed=choices.item_ids is not None,
        n_whole=n_whole,
        temperature=preset.temperature,
        top_p=preset.top_p,
        notes=tuple(notes),
    )


def _named(ordered: list[Draft], item_ids: Sequence[str], origin: str) -> list[Draft]:
    """Return the items that a list names, in asking order; raises `InputError` where one is not there."""
    wanted = set(item_ids)
    found = [draft for draft in ordered if draft.item_id in wanted]
    if len(found) < len(wanted):
        missing = sorted(wanted - {draft.item_id for draft in found})
        raise InputError(
            f"{len(missing)} of {len(wanted)} items of the list are not asked in {origin}",
            why=f"there is no {missing[0]!r} among its {len(ordered)} items (or it serves as an example)",
            fix="name a list of this task's items, made from runs with the same data, --split and --shots",
        )
    return found


def _turns(draft: Draft, messages: Turns, max_tokens: int | None) -> list[Question]:
    """Return an item as its question or, where there are follow-ups, as the turns of a conversation."""
    first = Question(draft.item_id, messages, draft.gold, draft.kind, draft.options, max_tokens)
    if not draft.follow_ups:
        return [first]
    turns = [replace(first, session=draft.item_id, turn=0)]
    for number, text in enumerate(draft.follow_ups, start=1):
        item_id = f"{draft.item_id}#{number}"
        turns.append(replace(turns[0], item_id=item_id, messages=(("user", text),), turn=number))
    return turns


def _programs(definition: TaskDefinition, writer: MessageWriter, pool: Sequence[Draft]) -> str:
    """Return all that decides how a row is asked and graded, for the identity of a configuration.

    Examples stand there by their ids: which of them a question gets does not depend on the limit.
    """
    items = definition.items
    # a setting that came later is left out where it is not used: what was asked before is still the same
    unused = {name for name in ("follow_ups", "image") if getattr(items, name) is None}
    written = items.model_dump_json(exclude=unused)
    parts = (writer.source, written, definition.data.where or "")
    return "\n".join((*parts, *(example.item_id for example in pool)))


def _split(
    definition: TaskDefinition, data: DataSet, wanted: str | None
) -> tuple[Sequence[Row], Sequence[Row], str]:
    """Return the rows to ask, the rows that examples come from (none: held back), and the split's name."""
    splits, source = data.splits, definition.data
    if wanted == ALL_SPLITS:
        return data.rows, (), ALL_SPLITS
    if wanted is None:
        wanted = source.split if source.split in splits else splits[0] if len(splits) == 1 else None
    if wanted not in splits:
        raise InputError(
            f"{data.origin} has no split {wanted or source.split!r}",
            why=f"there are {', '.join(splits[:20])}",
            fix=f"name one with --split, or pool them with --split {ALL_SPLITS}",
        )
    asked = [row for row in data.rows if row.split == wanted]
    examples = [row for row in data.rows if row.split == source.example_split != wanted]
    return asked, examples, wanted


def _drafts(reader: DraftReader, rows: Iterable[Row]) -> tuple[list[Draft], int]:
    """Return the items of rows, each under an id of its own, and how many rows were left out."""
    drafts: list[Draft] = []
    seen: set[str] = set()
    left_out = 0
    for row in rows:
        draft = reader.draft(row)
        if draft is None:
            left_out += 1
            continue
        # the same item twice in the data is asked twice, as the data has it
        times, item_id = 1, draft.item_id
        while item_id in seen:
            times += 1
            item_id = f"{draft.item_id}~{times}"
        seen.add(item_id)
        drafts.append(replace(draft, item_id=item_id))
    return drafts, left_out


def _example_pool(
    reader: DraftReader, rows: Sequence[Row], ordered: list[Draft], n_shot: int
) -> tuple[list[Draft], list[Draft]]:
    """Return the examples in their order, and what is left to ask where they had to be held back."""
    if not n_shot:
        return [], ordered
    if rows:
        drafts, _ = _drafts(reader, rows)
        asked = {_plain(draft.question) for draft in ordered}
        return [draft for draft in drafts if _plain(draft.question) not in asked], ordered
    # the last of each group: a question is shown examples of its own group, and none of them is asked
    groups: dict[str, list[Draft]] = {}
    for draft in ordered:
        groups.setdefault(draft.group, []).append(draft)
    held = [draft for group in groups.values() for draft in group[max(0, len(group) - n_shot) :]]
    kept = {draft.item_id for draft in held}
    return held, [draft for draft in ordered if draft.item_id not in kept]


def _plain(question: str) -> str:
    """Return a question without case and spacing, by which an example would give it away."""
    return " ".join(question.split()).casefold()


def _examples(pool: Sequence[Draft], group: str, n_shot: int) -> Sequence[Draft]:
    """Return the first examples of the same group, filled up from the others where it has too few."""
    own = [draft for draft in pool if draft.group == group]
    others = [draft for draft in pool if draft.group != group]
    found = (own + others)[:n_shot]
    if len(found) < n_shot:
        raise InputError(
            f"{n_shot} examples are more than there are",
            why=f"there are {len(found)}, and an example is never asked",
            fix="lower --shots",
        )
    return found


def _budget(budget: Callable[[Variables], object], draft: Draft) -> int:
    try:
        tokens = budget(draft.variables())
    except RowFault as fault:
        raise draft.row.fault(str(fault), "mend the row, or items.max_tokens of the definition") from fault
    if not isinstance(tokens, int) or tokens < 1:
        raise draft.row.fault(
            f"its token budget is {tokens!r}", "let items.max_tokens be a whole number above 0"
        )
    return tokens
