"""A function of which each call is measured."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from joulemark.live.measurement import Measurement

F = TypeVar("F", bound=Callable[..., Any])


def each_call(function: F, new: Callable[[], Measurement]) -> F:
    """Return ``function`` with a measurement by ``new`` of each call; the last that ended is ``.last``.

    Raises ``TypeError`` for what does not do its work in the call: a generator, a class, no callable at all;
    at its call for a plain function whose result is still to be awaited or taken from.
    """
    name = getattr(function, "__qualname__", None) or repr(function)
    _require_callable(function, name)
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def measured(*args: Any, **kwargs: Any) -> Any:
            block = new()
            try:
                async with block:
                    return await function(*args, **kwargs)
            finally:
                measured.last = block  # type: ignore[attr-defined]

    else:

        @functools.wraps(function)
        def measured(*args: Any, **kwargs: Any) -> Any:
            block = new()
            try:
                with block:
                    result = function(*args, **kwargs)
            finally:
                measured.last = block  # type: ignore[attr-defined]
            _require_done(result, name)
            return result

    measured.last = None  # type: ignore[attr-defined]
    return cast("F", measured)


def _require_callable(function: object, name: str) -> None:
    if inspect.isclass(function):
        raise TypeError(f"{name} is a class: measure a method of it, or the block that uses it")
    if not callable(function):
        raise TypeError(f"{name} cannot be called: meters are named by measure(meters=...)")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{name} is a generator: measure the loop that takes from it")


def _require_done(result: object, name: str) -> None:
    """Raise ``TypeError`` where the call only prepared its work: the joules would be those of nothing."""
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        raise TypeError(
            f"{name} returned what is still to be awaited: make it `async def`, "
            "or await it in `async with joulemark.measure()`"
        )
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        raise TypeError(f"{name} returned a generator: measure the loop that takes from it")
