"""The command line: lazy groups, so that help costs no more than a bare interpreter and click."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence

import click

from joulemark import __version__
from joulemark.record.errors import JoulemarkError


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called.

    ``commands_at`` maps a command's name to (``module:attribute``, one line of help).
    """

    def __init__(self, *args: object, commands_at: dict[str, tuple[str, str]], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._commands_at = commands_at

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which they were given."""
        return list(self._commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; null for a name that there is not."""
        if cmd_name not in self._commands_at:
            return None
        module, attribute = self._commands_at[cmd_name][0].split(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return as click does; for a name that there is not the error names those that are alike."""
        name = args[0]
        if name not in self._commands_at and not name.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            alike = " or ".join(repr(near) for near in get_close_matches(name, self._commands_at))
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {alike}?" if alike else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands from their one-line helps, importing none of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._commands_at.items()])


_BENCH = "joulemark.cli.bench"


@click.group(
    cls=LazyGroup,
    commands_at={
        "bench": (f"{_BENCH}:bench", "Measure what a correct answer costs: quick, run; share it: submit"),
        "load": ("joulemark.cli.load:load", "Measure an engine that serves many requests at once"),
        "sweep": ("joulemark.cli.sweep:sweep", "Measure a load over a grid of settings, and what to run"),
        "media": ("joulemark.cli.media:media", "What a picture or a video costs that a pipeline makes"),
        "doctor": ("joulemark.cli.doctor:doctor", "What this machine can measure, and how to get the rest"),
        "calibrate": (
            "joulemark.cli.calibrate:calibrate",
            "Measure idle power, power under load, and the wall against the devices",
        ),
        "record": ("joulemark.cli.record:record", "Measure any program: record -- COMMAND"),
        "watch": ("joulemark.cli.watch:watch", "Live power of each part of the machine"),
        "report": ("joulemark.cli.report:report", "Show a run again and rewrite its page"),
        "compare": ("joulemark.cli.compare:compare", "Set runs side by side: A against B, or several tasks"),
        "recommend": ("joulemark.cli.recommend:recommend", "The configuration of least energy within limits"),
        "pick": ("joulemark.cli.pick:pick", "Which model to run for your workload, and how sure that is"),
        "import": ("joulemark.cli.import_:import_", "Take in results that others published"),
        "verify": ("joulemark.cli.verify:verify", "Check a bundle and recompute every figure of it, offline"),
        "board": (
            "joulemark.cli.board:board",
            "A leaderboard of submitted runs: serve it, or build it as files",
        ),
        "code": ("joulemark.cli.code:code", "Programs that models write: right or wrong, time and memory"),
        "frugal": ("joulemark.cli.frugal:frugal", "How few questions are enough, and when to stop asking"),
        "runs": ("joulemark.cli.runs:runs", "List the runs there are; --spread: mean and σ of repeated ones"),
        "engine": (
            "joulemark.cli.engine:engine",
            "Engines: those that run here, the built-in model, captured streams",
        ),
        "task": ("joulemark.cli.task:task", "Tasks and suites: list them, show one, extract answers"),
        "simulate": ("joulemark.cli.simulate:simulate", "A simulated GPU server: plan, or serve"),
        "grid": ("joulemark.cli.grid:grid", "The grid's carbon intensity by zone, with year and source"),
        "export": (
            "joulemark.cli.export:export",
            "Live meters for Prometheus, a run's requests as OpenTelemetry spans",
        ),
        "metrics": ("joulemark.cli.report:metrics", "The definition of every figure"),
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="joulemark")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """What a correct answer of a language model costs: joules, seconds, on your engine, from your meters."""
    ctx.obj = {"debug": debug}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Exit codes: 0 items were completed; 1 none was (for `doctor`: no source; for `engine list`: no engine; for
    `recommend`, `pick`: nothing meets the limits);
    2 bad input or a missing thing; 3 a self-test failed (`engine conformance`); 130 interrupted before
    anything was stored.
    """
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign is no reason to fail
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    ours = arguments[: arguments.index("--")] if "--" in arguments else arguments  # not those of a COMMAND
    debug = "--debug" in ours
    arguments = [argument for argument in ours if argument != "--debug"] + arguments[len(ours) :]
    try:
        # The library returns the code of its `Exit`; what commands return by themselves is no code.
        ended = cli.main(arguments, prog_name="joulemark", standalone_mode=False)
        if type(ended) is int and ended:
            sys.exit(ended)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.exceptions.Abort:
        _hear_no_more()
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.UsageError as error:
        if isinstance(error, click.exceptions.NoArgsIsHelpError) or error.ctx is None:
            error.show()
        else:
            context = error.ctx
            usage = " ".join(context.get_usage().split()).removeprefix("Usage: ")
            said = f"error: {error.format_message()}\n  fix: {usage}   (`{context.command_path} --help`)"
            click.echo(_printable(said), err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except JoulemarkError as error:
        if debug:
            raise
        click.echo(f"error: {_printable(str(error))}", err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _hear_no_more()
        click.echo("interrupted before anything was stored", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): no error of ours, but nothing more can be printed.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        sys.exit(0)
    except OSError as error:
        if debug:
            raise
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"error: {place}{error.strerror or error}\n  fix: `--debug` shows where", err=True)
        sys.exit(2)


def _hear_no_more() -> None:
    """Let Ctrl-C that is pressed again not break off the end of the process."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _printable(text: str) -> str:
    """Return foreign text without the control characters that steer a terminal; lines stay lines."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _open_missing_streams() -> None:
    """Give a process that was started without standard streams empty ones: libraries count on them."""
    for number, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115


if __name__ == "__main__":
    main()
