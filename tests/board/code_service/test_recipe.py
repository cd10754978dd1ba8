"""The recipe of the worker's image: no container runtime is here, so what it names is looked up."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

from joulemark.cli.__main__ import cli

ROOT = Path(__file__).parents[3]
RECIPE = ROOT / "deploy" / "worker" / "Containerfile"
GUIDE = ROOT / "docs" / "code-service.md"


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"^#.*\n", "", RECIPE.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    pairs = [line.split(maxsplit=1) for line in text.splitlines() if line.strip()]
    return [(name, rest) for name, rest in pairs]


def of(name: str) -> list[str]:
    return [rest for one, rest in instructions() if one == name]


def resolved(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that words name, and what is left of them."""
    command: click.Command = cli
    context = click.Context(cli)
    while words and isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        assert found is not None, words[0]
        command, words = found, words[1:]
    return command, words


def test_what_is_copied_is_there() -> None:
    for line in of("COPY"):
        *sources, target = shlex.split(line)
        assert target.startswith("/build/")
        assert all((ROOT / one).exists() for one in sources)


def test_the_command_and_its_options_are_there() -> None:
    (entry,) = of("ENTRYPOINT")
    program, *words = json.loads(entry)
    (install,) = [line for line in of("RUN") if "pip install" in line]
    assert program.startswith(re.search(r"-m venv (\S+)", install)[1] + "/bin/")  # type: ignore[index]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert Path(program).name in project["scripts"]
    assert re.search(r"\[(\w+)\]", install)[1] in project["optional-dependencies"]  # type: ignore[index]
    command, left = resolved(words)
    command.make_context("worker", [*left, "--once"])  # raises for an option that there is not


def test_it_is_never_root_and_nothing_it_runs_is_its_own() -> None:
    (user,) = of("USER")
    number = user.partition(":")[0]
    assert int(number) > 0
    assert any(f"--uid {number}" in line for line in of("RUN"))
    names = [name for name, _ in instructions()]
    assert names.index("USER") > max(k for k, name in enumerate(names) if name in ("RUN", "COPY"))


def test_it_names_no_address() -> None:
    assert not re.search(r"https?://|@sha256|index-url", RECIPE.read_text())
    assert all("/" not in image for image in of("FROM"))


@pytest.mark.parametrize(
    "option",
    ["--read-only", "--cap-drop ALL", "no-new-privileges", "seccomp=unconfined", "--network none", "--tmpfs"],
)
def test_the_guide_says_how_it_is_run(option: str) -> None:
    assert option in GUIDE.read_text()


def test_the_guides_commands_are_there() -> None:
    found = re.findall(r"^joulemark (board (?:worker|serve) [^#\n]+)", GUIDE.read_text(), re.MULTILINE)
    assert len(found) >= 4
    for line in found:
        command, left = resolved(shlex.split(line))
        options = {name for one in command.params for name in one.opts}
        assert {word for word in left if word.startswith("--")} <= options
