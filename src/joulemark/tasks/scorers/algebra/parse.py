"""From text to a tree, by recursive descent. Length and depth are bounded."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from joulemark.tasks.scorers.algebra.cursor import END, Cursor
from joulemark.tasks.scorers.algebra.tokens import tokenize
from joulemark.tasks.scorers.algebra.tree import (
    Call,
    Group,
    Listed,
    Matrix,
    Name,
    Node,
    NotUnderstood,
    Number,
    Power,
    Product,
    Relation,
    Sum,
    Union,
)
from joulemark.tasks.scorers.algebra.units import unit_of

_RELATIONS = frozenset("=≠<>≤≥∈")
_CLOSERS = {"(": ")]", "[": ")]", "\\{": ("\\}",)}


@dataclass(frozen=True, slots=True)
class Answer:
    """A tree, and the known units that were written with it."""

    node: Node
    units: frozenset[str]


class _Parser(Cursor):
    def whole(self) -> Node:
        node = self._list()
        if self.token is not END:
            raise NotUnderstood(f"{self.token.text} is in the way")
        return node

    def _list(self) -> Node:
        items = [self._relation()]
        while self.take(",", ";"):
            while self.take(",", ";"):  # ", and"
                pass
            if self.token is END:
                break
            items.append(self._relation())
        return items[0] if len(items) == 1 else Listed(tuple(items))

    def _relation(self) -> Node:
        operands, signs = [self._union()], []
        while self.is_sign(*_RELATIONS):
            signs.append(self.token.text)
            self.at += 1
            operands.append(self._union())
        return Relation(tuple(signs), tuple(operands)) if signs else operands[0]

    def _union(self) -> Node:
        parts = [self._sum()]
        while self.take("∪"):
            parts.append(self._sum())
        return Union(tuple(parts)) if len(parts) > 1 else parts[0]

    def _sum(self) -> Node:
        self.deeper()
        terms: list[tuple[int, Node]] = []
        flipped = set()
        while True:
            sign = 1
            while self.is_sign("+", "-", "±", "∓"):
                text = self.token.text
                sign = sign * (-1 if text == "-" else 1) if text in "+-" else 0
                if text == "∓":
                    flipped.add(len(terms))
                self.at += 1
            terms.append((sign, self._product()))
            if not self.is_sign("+", "-", "±", "∓"):
                break
        self.depth -= 1
        if len(terms) == 1 and terms[0][0] == 1:
            return terms[0][1]
        return Sum(tuple(terms), frozenset(flipped))

    def _product(self) -> Node:
        factors: list[tuple[bool, Node]] = [(False, self._factor())]
        while True:
            has_units = self.skip_units()
            if self.is_sign("*", "/"):
                divides = self.token.text == "/"
                self.at += 1
                sign = -1 if self.take("-") else 1
                factor = self._factor()
                factors.append((divides, factor if sign > 0 else Sum(((-1, factor),))))
            elif not has_units and self._begins_factor(after=factors[-1][1]):
                factors.append((False, self._factor()))
            else:
                return factors[0][1] if len(factors) == 1 else Product(tuple(factors))

    def _begins_factor(self, *, after: Node) -> bool:
        token = self.token
        if token.kind == "number":
            return not isinstance(after, Number)
        return (
            token.kind in ("name", "function")
            or self.is_sign("(", "{")
            or token.text in ("frac", "sqrt", "binom")
        )

    def _factor(self) -> Node:
        node = self._primary()
        depth = self.depth
        while self.is_sign("!", "^"):
            self.deeper()
            node = Call("factorial", (node,)) if self.take("!") else Power(node, self._exponent())
        self.depth = depth
        return node

    def _exponent(self) -> Node:
        self.want("^")
        sign = -1 if self.take("-") else 1
        node = self._argument()
        if self.is_sign("^"):
            self.deeper()
            node = Power(node, self._exponent())
            self.depth -= 1
        return node if sign > 0 else Sum(((-1, node),))

    def _argument(self) -> Node:
        """Return what stands in braces, else the next single thing."""
        if self.take("{"):
            node = self._list()
            self.want("}")
            return node
        return self._primary()

    def _primary(self) -> Node:
        self.deeper()
        node = self._unbounded_primary()
        self.depth -= 1
        return node

    def _unbounded_primary(self) -> Node:
        token = self.token
        self.at += 1
        if token.kind == "number":
            assert token.value is not None
            return self._number(token.value, token.text)
        if token.kind == "name":
            return Name(token.text + self.suffix())
        if token.kind == "text":
            return self._word(token.text)
        if token.kind == "function":
            return self._call(token.text)
        if token.kind == "command":
            return self._command(token.text)
        if token.kind == "sign" and token.text in ("(", "[", "\\{"):
            return self._group(token.text)
        if token.kind == "sign" and token.text == "{":
            node = self._list()
            self.want("}")
            return node
        if token.kind == "sign" and token.text == "|":
            node = self._sum()
            self.want("|")
            return Call("abs", (node,))
        raise NotUnderstood(f"{token.text or 'the end'} is in the way")

    def _number(self, value: Fraction, digits: str) -> Node:
        if self.is_sign("_"):
            return Name(digits + self.suffix())
        if value.denominator == 1 and digits:
            start = self.at
            part = self._mixed_part()
            if part is not None and 0 < part < 1:
                return Number(value + part)
            self.at = start
        return Number(value, digits)

    def _mixed_part(self) -> Fraction | None:
        """Read the fraction of a mixed number: ``1\\frac{4}{5}``, ``1 4/5``."""
        if self.token.text == "frac" and self.token.kind == "command":
            self.at += 1
            top, bottom = self._argument(), self._argument()
        elif self.token.kind == "number" and self.token.spaced:
            top = Number(self.token.value or Fraction(0))
            self.at += 1
            if not self.take("/") or self.token.kind != "number":
                return None
            bottom = Number(self.token.value or Fraction(0))
            self.at += 1
        else:
            return None
        if not isinstance(top, Number) or not isinstance(bottom, Number) or not bottom.value:
            return None
        return top.value / bottom.value

    def _word(self, words: str) -> Node:
        """Read words where a value should be: a currency before it, or an answer in words."""
        unit = unit_of(words)
        if unit is not None and (self.token.kind == "number" or self.is_sign("-")):
            self.units.add(unit)
            return self._factor()
        return Name(" ".join(words.casefold().split()).strip(" .()"))

    def _call(self, function: str) -> Node:
        power = base = None
        if self.is_sign("^"):
            power = self._exponent()
        if self.take("_"):
            base = self._argument()
        if self.is_sign("(", "{"):
            argument = self._primary()
        else:
            factors = [(False, self._factor())]
            while self._begins_factor(after=factors[-1][1]) and self.token.kind != "function":
                factors.append((False, self._factor()))
            argument = factors[0][1] if len(factors) == 1 else Product(tuple(factors))
        called = Call(function, (argument,) if base is None else (base, argument))
        return called if power is None else Power(called, power)

    def _command(self, name: str) -> Node:
        if name == "frac":
            top = self._argument()
            return Product(((False, top), (True, self._argument())))
        if name == "binom":
            top = self._argument()
            return Call("binom", (top, self._argument()))
        if name == "sqrt":
            if not self.take("["):
                return Call("sqrt", (self._argument(),))
            index = self._sum()
            self.want("]")
            return Call("root", (index, self._argument()))
        if name == "begin":
            return self._matrix()
        raise NotUnderstood(f"{name} is in the way")

    def _group(self, opening: str) -> Node:
        node = self._list()
        closing = self.token.text
        if self.token.kind != "sign" or closing not in _CLOSERS[opening]:
            raise NotUnderstood("a bracket is not closed")
        self.at += 1
        items = node.items if isinstance(node, Listed) else (node,)
        if len(items) == 1 and opening != "\\{":
            return items[0]
        return Group(opening.strip("\\"), items, closing.strip("\\"))

    def _matrix(self) -> Node:
        rows: list[tuple[Node, ...]] = []
        while not (self.token.kind == "command" and self.token.text == "end"):
            row = [self._sum()]
            while self.take("&"):
                row.append(self._sum())
            rows.append(tuple(row))
            if not self.take("\\\\"):
                break
        if self.token.text != "end" or len({len(row) for row in rows}) != 1:
            raise NotUnderstood("a matrix is not whole")
        self.at += 1
        return Matrix(tuple(rows))


def parse(text: str, *, commas_group: bool = True) -> Answer:
    """Read a mathematical answer; raises `NotUnderstood`."""
    parser = _Parser(tokenize(text, commas_group=commas_group))
    node = parser.whole()
    return Answer(node, frozenset(parser.units))
