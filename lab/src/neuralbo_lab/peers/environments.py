"""Environments of their own, for peers that need other versions than ours.

One is made on demand, by `neuralbo lab peers NAME`, of a file in `pinned`: all packages with their
versions, installed as they stand there, without what else they would bring. Its folder is named
after what is in the file, so another file is another environment.
"""

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import final

PINNED = Path(__file__).with_name("pinned")
FOLDER = "NEURALBO_LAB_PEERS"  # the variable that says where environments are, if it is set
USUAL = Path("~/.cache/neuralbo-lab/peers")
FINISHED = "finished"  # a file that is written last


@final
@dataclass(frozen=True, slots=True)
class Environment:
    """The Python that runs a peer, and what is installed there."""

    name: str

    @property
    def pinned(self) -> Path:
        """The file of its packages."""
        return PINNED / f"{self.name}.txt"

    @property
    def key(self) -> str:
        """A short name for what is in the file."""
        return blake2b(self.pinned.read_bytes(), digest_size=4).hexdigest()

    @property
    def folder(self) -> Path:
        """Where it is, or would be."""
        root = Path(os.environ.get(FOLDER) or USUAL).expanduser()
        return root / f"{self.name}-py{sys.version_info[0]}{sys.version_info[1]}-{self.key}"

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def missing(self) -> str | None:
        """Why nothing can run in it, or None."""
        if (self.folder / FINISHED).is_file():
            return None
        return f"an environment of its own is not made yet: neuralbo lab peers {self.name}"

    def make(self) -> None:
        """Make it, if it is not there; it takes minutes.

        Raises:
            RuntimeError: if pip fails; the message has what it said last.
        """
        if self.missing is None:
            return
        venv.create(self.folder, clear=True, with_pip=True)
        command = [str(self.python), "-m", "pip", "install", "--quiet", "--no-deps"]
        done = subprocess.run(
            [*command, "-r", str(self.pinned)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(
                f"{self.pinned.name} could not be installed in {self.folder}: "
                f"{done.stderr.strip()[-2000:]}"
            )
        (self.folder / FINISHED).touch()


def names() -> list[str]:
    """Return the names of all environments."""
    return sorted(path.stem for path in PINNED.glob("*.txt"))
