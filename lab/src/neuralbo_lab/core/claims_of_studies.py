"""All claims of some studies, and whether they hold in stored results."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from neuralbo_lab.claims.outcome import ANSWERS, Outcome, out_of_reach
from neuralbo_lab.core.as_run import as_run, trials_of
from neuralbo_lab.core.store import is_there
from neuralbo_lab.core.study import Study

COLUMNS = ("claim", "source", "answer", "pairs", "interval", "of", "command")


class Answered(NamedTuple):
    """A claim, where it is said, and whether it holds."""

    study: str
    words: str
    source: str
    outcome: Outcome

    @property
    def command(self) -> str:
        """What decides it again."""
        return f"neuralbo lab claims {self.study}"

    @property
    def row(self) -> tuple[str, ...]:
        """A row of a table with `COLUMNS`."""
        o = self.outcome
        numbers = (o.answer, o.pairs_in_words, o.interval_in_words, o.of)
        return self.words, self.source, *numbers, self.command

    @property
    def line(self) -> str:
        """The same as JSON, with the numbers that decide it."""
        o = self.outcome
        ends = None if o.interval is None or not o.interval.is_known else list(o.interval)
        return json.dumps({
            "study": self.study, "claim": self.words, "source": self.source, "answer": o.answer,
            "pairs": list(o.pairs), "interval": ends, "of": o.of, "because": o.because,
            "command": self.command,
        })  # fmt: skip


def answered(study: Study[Any], root: Path) -> list[Answered]:
    """Return the claims of a study, decided with what of it was run."""
    run = as_run(study, root)
    if not is_there(run, root):
        nothing = out_of_reach([f"neuralbo lab run {study.name}"])
        claims = getattr(study, "claims", ())
        return [Answered(study.name, claim.words, claim.source, nothing) for claim in claims]
    return decided(study, run, run.read(root))


def decided(study: Study[Any], run: Study[Any], results: Any) -> list[Answered]:
    """Return the claims of a study, decided by the results of what was run of it."""
    return [
        Answered(study.name, words, source, _of_length(outcome, study, run))
        for words, source, outcome in run.conclusions(results)
    ]


def _of_length(outcome: Outcome, study: Study[Any], run: Study[Any]) -> Outcome:
    """Return an outcome of runs that are shorter than those which a claim is about."""
    if trials_of(run) == trials_of(study) or not outcome.pairs[1]:
        return outcome
    length = f"runs of {trials_of(study)} evaluations; in those of {trials_of(run)}"
    because = f"needs {length} it is {outcome.answer}: {outcome.because}"
    return outcome._replace(answer="out of reach", because=because)


def counts(claims: Iterable[Answered]) -> dict[str, int]:
    """Return how many claims have each answer."""
    found = Counter(claim.outcome.answer for claim in claims)
    return {answer.replace(" ", "_"): found[answer] for answer in ANSWERS}
