"""What `neuralbo completion` prints: a script that lets a shell complete commands and names.

eval "$(neuralbo completion bash)"          in ~/.bashrc; zsh likewise in ~/.zshrc
neuralbo completion fish | source           in ~/.config/fish/config.fish
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from neuralbo.surrogates_command import rows

BASH = """\
_neuralbo() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    case "$before" in
        --surrogate) COMPREPLY=($(compgen -W "%(surrogates)s" -- "$word")); return;;
%(choices)s
    esac
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "%(commands)s" -- "$word")); return
    fi
    case "${COMP_WORDS[1]}" in
%(options)s
    esac
}
complete -o default -F _neuralbo neuralbo
"""
ZSH = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"

OPTION = re.compile(r"(--[a-z-]+)(?:\s+\{([^}]*)\})?(\s+[A-Z])?")

Options = dict[str, "Option"]


class Option(NamedTuple):
    """What is known of an option: the words that may follow, and whether something must."""

    words: list[str]
    has_value: bool


def script(shell: str, usages: Mapping[str, str]) -> str:
    """Return the script for a shell.

    Args:
        shell: "bash", "zsh" or "fish".
        usages: the usage of each command, as argparse prints it.
    """
    commands = {name: _options(usage) for name, usage in usages.items()}
    surrogates = [row["name"] for row in rows()]
    if shell == "fish":
        return "\n".join(_fish(commands, surrogates)) + "\n"
    return (ZSH if shell == "zsh" else "") + _bash(commands, surrogates)


def _options(usage: str) -> Options:
    """Return the options that a usage names."""
    return {
        name: Option(words.split(",") if words else [], bool(words or value))
        for name, words, value in OPTION.findall(usage)
    } | {"--help": Option([], False)}


def _bash(commands: dict[str, Options], surrogates: list[str]) -> str:
    choices = {
        name: " ".join(option.words)
        for options in commands.values()
        for name, option in options.items()
        if option.words
    }
    lines = {
        "choices": [
            f'        {name}) COMPREPLY=($(compgen -W "{words}" -- "$word")); return;;'
            for name, words in choices.items()
        ],
        "options": [
            f'        {name}) COMPREPLY=($(compgen -W "{" ".join(options)}" -- "$word"));;'
            for name, options in commands.items()
        ],
    }
    return BASH % {
        "surrogates": " ".join(surrogates),
        "commands": " ".join([*commands, "--help", "--version"]),
        **{name: "\n".join(found) for name, found in lines.items()},
    }


def _fish(commands: dict[str, Options], surrogates: list[str]) -> Iterator[str]:
    yield f'complete -c neuralbo -n __fish_use_subcommand -f -a "{" ".join(commands)}"'
    for command, options in commands.items():
        here = f'complete -c neuralbo -n "__fish_seen_subcommand_from {command}"'
        for name, option in options.items():
            words = surrogates if name == "--surrogate" else option.words
            given = f' -x -a "{" ".join(words)}"' if words else " -r" * option.has_value
            yield f"{here} -l {name.removeprefix('--')}{given}"
