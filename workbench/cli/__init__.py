"""The command line: parse, call one operation, print. Commands are loaded when they run, so ``--help`` is quick."""

from __future__ import annotations

import os
import sys

import click

from workbench import __version__, text
from workbench.cli.lazy import LazyGroup

# Characters of a message of failure.
_LONGEST = 4_000
COMMANDS = {
    "up": ("workbench.cli.up:up", "Find transcripts, learn from them, and open the workbench."),
    "serve": ("workbench.cli.up:serve", "Serve the workbench on this machine."),
    "open": ("workbench.cli.up:open_", "Sign in to a workbench that is being served."),
    "status": ("workbench.cli.status:status", "Say how this home stands."),
    "ingest": ("workbench.cli.ingest:ingest", "Read transcripts into the home."),
    "sources": ("workbench.cli.ingest:sources", "List the transcripts found on this machine."),
    "doctor": ("workbench.cli.doctor:doctor", "Check the databases of the home."),
    "rebuild": ("workbench.cli.doctor:rebuild", "Make a derived index again from the files it is derived from."),
    "maintain": ("workbench.cli.maintain:maintain", "Do what time asks for: check, put away, draw, tidy up."),
    "config": ("workbench.cli.config:config", "Show and change settings."),
    "migrate": ("workbench.cli.status:migrate", "Bring the home's databases to this program's version."),
    "export": ("workbench.cli.bundle:export", "Write everything the ledger holds to FILE."),
    "import-bundle": ("workbench.cli.bundle:import_bundle", "Take over the memories of a bundle."),
    "sessions": ("workbench.cli.sessions:sessions", "List, show and search conversations."),
    "remember": ("workbench.cli.remember:remember", "Propose to remember TEXT, as an agent."),
    "link": ("workbench.cli.agents:link", "Relate a memory to another, or to a note, file, page or commit."),
    "forget": ("workbench.cli.agents:forget", "Put away a memory that nobody endorsed; nothing is erased."),
    "checkpoint": ("workbench.cli.agents:checkpoint", "Keep an episode of work and what to remember of it."),
    "recall": ("workbench.cli.context_:recall", "Find what is known about QUERY, and why it was found."),
    "lens": ("workbench.cli.context_:lens", "Compile what an agent should know, as one text."),
    "context": ("workbench.cli.context_:context", "Print the block that goes into an agent's prompt."),
    "bootstrap": ("workbench.cli.context_:bootstrap", "List what is in force, the most important first."),
    "notes": ("workbench.cli.context_:bootstrap", "List what is in force, the most important first."),
    "search": ("workbench.cli.notes:search", "Search the notes: MEMORY.md, daily notes, further folders."),
    "get": ("workbench.cli.notes:get", "Read lines of a note."),
    "append": ("workbench.cli.notes:append", "Write TEXT into MEMORY.md as an entry of its own."),
    "graph": ("workbench.cli.graph:graph", "See and say who and what is known, and since when."),
    "memory": ("workbench.cli.memory:memory", "See and rule on what is remembered."),
}


# Commands that are tools of agents, and are there only where the settings let them be.
_TOOLS = {"search": "memory_search", "get": "memory_get"}


def _switched_off(context: click.Context) -> list[str]:
    """The commands that the settings of the home take away."""
    from workbench import home as homes
    from workbench.errors import WorkbenchError

    try:
        home = homes.resolve(context.params.get("home"), context.params.get("profile"))
        if not os.path.lexists(home.config):  # the usual case needs nothing else imported
            return []
        from workbench.operations import tools

        on = tools.available(home)
    except WorkbenchError:
        return []  # what is wrong is said by the command that needs the settings
    return [name for name, tool in _TOOLS.items() if tool not in on]


@click.group(
    cls=LazyGroup,
    commands_by_name=COMMANDS,
    hidden_in=_switched_off,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--home", metavar="DIR", is_eager=True, help="The home to work on (default: WORKBENCH_HOME, else ~/.workbench)."
)
@click.option("--profile", metavar="NAME", is_eager=True, help="A profile inside the home.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document on standard output.")
@click.option("-q", "--quiet", is_flag=True, help="Print results only.")
@click.version_option(__version__, prog_name="workbench")
@click.pass_context
def cli(context: click.Context, home: str | None, profile: str | None, as_json: bool, quiet: bool) -> None:
    """See, search, correct and measure what AI agents remember about you."""
    from workbench.cli.context import Settings

    context.obj = Settings(home_option=home, profile=profile, as_json=as_json, quiet=quiet)


def _readable(argument: str) -> str:
    """An argument as text; bytes that are none stay where they name a file, and are U+FFFD elsewhere."""
    return argument if os.path.lexists(argument) else text.storable(argument)


def _complain(message: str) -> None:
    """Say what failed on one line in which everything but secrets is visible, whatever text it quotes."""
    from workbench import guard

    click.echo(f"workbench: {text.one_line(guard.mask(message), _LONGEST)}", err=True)


def _refuse(error: click.ClickException) -> None:
    """What Click says of arguments it can't take, with these as visible as in any other message."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        context = error.ctx
        click.echo(f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n", err=True)
    message = _misplaced(error) if isinstance(error, click.NoSuchOption) else error.format_message()
    click.echo(f"Error: {text.one_line(message, _LONGEST)}", err=True)


def _misplaced(error: click.NoSuchOption) -> str:
    """What is said of an option that a command does not have: it may be one of the program's, or a text."""
    context, named = error.ctx, error.option_name
    if context is None:
        return error.format_message()
    general = next((option for option in cli.params if named in option.opts), None)
    if general is not None and context.command is not cli:
        value = f" {general.metavar}" if general.metavar else ""
        rest = context.command_path.removeprefix(f"{context.find_root().command_path} ")
        return f"{named} goes before the command: workbench {named}{value} {rest}"
    takes_text = any(isinstance(each, click.Argument) for each in context.command.params)
    return error.format_message() + (" Put -- before a text that begins with -." if takes_text else "")


def main() -> None:
    """Run the command line; every failure a user can meet is one line on standard error."""
    from workbench.errors import WorkbenchError

    try:
        code = cli.main(args=[_readable(argument) for argument in sys.argv[1:]], standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("stopped", err=True)
        code = 130
    except click.ClickException as error:
        _refuse(error)
        code = error.exit_code
    except WorkbenchError as error:
        _complain(str(error))
        code = error.exit_code
    except BrokenPipeError:
        # The reader of our output went away (| head): nothing is wrong.
        sys.stderr.close()
        code = 0
    except OSError as error:
        _complain(f"{error.filename or 'input or output'}: {error.strerror or error}")
        code = 1
    except Exception as error:
        # A fault of ours: still one line for the user, and the way to the whole story for whoever mends it.
        if os.environ.get("WORKBENCH_DEBUG"):
            raise
        said = text.one_line(f"{type(error).__name__}: {error}", _LONGEST // 2)
        _complain(f"unexpected: {said}; please report it (WORKBENCH_DEBUG=1 shows where)")
        code = 1
    sys.exit(code if isinstance(code, int) else 0)
