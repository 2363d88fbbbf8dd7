"""The command `neuralbo lab`, which the entry point `neuralbo.commands` adds."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralbo.cli import add_traceback, one_thread_each

if TYPE_CHECKING:
    from neuralbo_lab.core.study import Study as LabStudy


def add(parser: argparse.ArgumentParser) -> None:
    """Add what the laboratory can do to the parser of `neuralbo lab`."""
    parser.add_argument("-h", "--help", action="help", help="show this help message and exit")
    lab = parser.add_subparsers(required=True, metavar="COMMAND")
    speed = lab.add_parser("speed", help="speed and quality as ratios measured in one run")
    speed.add_argument(
        "name", metavar="NAME", help="start, scale, quality; 'list' tells about them"
    )
    speed.add_argument("--json", action="store_true", help="the result as JSON in the last line")
    speed.add_argument("--quick", action="store_true", help="few repetitions, to try it out")
    speed.set_defaults(command=_speed)
    peers = lab.add_parser("peers", help="make environments for peers that need their own")
    peers.add_argument("name", nargs="*", metavar="NAME", help="none to see which there are")
    peers.set_defaults(command=_peers)
    _add_studies(lab)
    _add_benchmarks(lab)
    for command in lab.choices.values():
        add_traceback(command)


def _add_benchmarks(lab: Any) -> None:
    """Add what makes the page of the benchmarks."""
    page = lab.add_parser("benchmarks", help="write the page of the benchmarks and its figures")
    page.set_defaults(command=_benchmarks)
    for name, usual in (("--root", "results"), ("--into", "docs")):
        page.add_argument(name, type=Path, default=Path(usual), metavar="DIR", help=usual)


def _add_studies(lab: Any) -> None:
    """Add what can be done with a study."""
    listed = lab.add_parser("list", help="the studies: what they reproduce, how long they take")
    listed.set_defaults(command=_lab_list)
    study = lab.add_parser("run", help="run a study; what is finished is kept")
    study.set_defaults(command=_lab_run)
    study.add_argument("--workers", type=int, default=2, metavar="N", help="processes (2)")
    study.add_argument("--test", action="store_true", help="allow what is kept for testing")
    study.add_argument("--keep-models", action="store_true", help="save model and proposal a step")
    study.add_argument(
        "--method", action="append", default=[], metavar="M", help="only this, or 'brvfl*' for all"
    )
    study.add_argument(
        "--problem", action="append", default=[], metavar="P", help="only this, or 'levy*' for all"
    )
    report = lab.add_parser("report", help="write the tables and the page of a study")
    report.set_defaults(command=_lab_report)
    packed = lab.add_parser("pack", help="put the results of a study into one compressed file")
    packed.set_defaults(command=_lab_pack)
    packed.add_argument(
        "--into", type=Path, default=Path("results"), metavar="DIR", help="results"
    )
    claims = lab.add_parser("claims", help="what the publications conclude, and what holds here")
    claims.set_defaults(command=_lab_claims)
    claims.add_argument("study", nargs="?", metavar="STUDY", help="all of the publications")
    claims.add_argument(
        "--json", action="store_true", help="a line a claim, the counts at the end"
    )
    claims.add_argument(
        "--root", type=Path, default=Path("results"), metavar="DIR", help="results"
    )
    again = lab.add_parser("replay", help="run some finished runs again and compare every line")
    again.set_defaults(command=_lab_replay)
    again.add_argument("--runs", type=int, default=3, metavar="N", help="how many (3)")
    again.add_argument("--method", action="append", default=[], metavar="M", help="only of this")
    for command in (study, report, packed, again):
        command.add_argument("study", metavar="STUDY", help="'neuralbo lab list', or FILE.toml")
        command.add_argument("--quick", action="store_true", help="few seeds and trials")
        command.add_argument("--seeds", type=int, metavar="N", help="fewer or more than usual")
        command.add_argument("--trials", type=int, metavar="N", help="fewer or more than usual")
        command.add_argument("--root", type=Path, default=Path("runs/lab"), metavar="DIR")


def _speed(options: argparse.Namespace) -> int:
    one_thread_each()
    from neuralbo_lab.speed.measurements import measure

    return measure(options.name, as_json=options.json, is_quick=options.quick)


def _peers(options: argparse.Namespace) -> int:
    from neuralbo.errors import unknown_name

    from neuralbo_lab.peers.environments import Environment, names

    for name in options.name:
        if name not in names():
            raise unknown_name("environment", name, names())
        print(f"making {name} ...")
        Environment(name).make()
    for name in names():
        environment = Environment(name)
        print(f"{name:12} {environment.missing or environment.folder}")
    return 0


def _benchmarks(options: argparse.Namespace) -> int:
    from neuralbo_lab.pages import benchmarks_page

    print(f"page: {benchmarks_page.write(options.root, options.into)}")
    return 0


def _lab_list(options: argparse.Namespace) -> int:
    from neuralbo_lab.core.recorded_times import in_words, stored
    from neuralbo_lab.core.studies import STUDIES

    times = stored()
    for study in STUDIES.values():
        hours = times.get(study.name)
        quick, full = ("not timed",) * 2
        if hours is not None:
            least = "at least " if hours.is_least else ""
            quick, full = in_words(hours.quick), least + in_words(hours.full)
            full += "" if hours.known == 1 else f" for {hours.known:.0%} of its runs"
        print(f"{study.name:22} {study.reproduces}")
        print(f"{'':22} quick: {quick}, {study.quick().extent}")
        print(f"{'':22} full: {full}, {study.extent}")
    print("times are of two workers on two cores, by the seconds that stored runs have recorded")
    print("a study can also be a file: FILE.toml")
    return 0


def _lab_run(options: argparse.Namespace) -> int:
    one_thread_each()
    from neuralbo_lab.core.options import only
    from neuralbo_lab.core.run import run
    from neuralbo_lab.core.store import folder

    study = _lab_study(options, is_quick=options.quick)
    for part in ("problem", "method"):
        study = only(study, part, getattr(options, part))
    run(
        study,
        options.root,
        options.workers,
        keep_models=options.keep_models,
        may_test=options.test,
    )
    print(f"results: {folder(study, options.root)}")
    return 0


def _lab_study(options: argparse.Namespace, is_quick: bool) -> "LabStudy[Any]":
    from neuralbo_lab.core.options import changed
    from neuralbo_lab.core.studies import find_study
    from neuralbo_lab.core.toml_study import read_study

    name = options.study
    study = read_study(Path(name)) if name.endswith(".toml") else find_study(name)
    study = study.quick() if is_quick else study
    return changed(study, trials=options.trials, seeds=options.seeds)


def _lab_finished(options: argparse.Namespace) -> "LabStudy[Any]":
    """Return the study as it was run: with fewer trials or quick, if there is nothing else."""
    from neuralbo_lab.core.as_run import as_run, in_words
    from neuralbo_lab.core.options import changed
    from neuralbo_lab.core.store import stale_in_words

    study = _lab_study(options, options.quick)
    if not options.quick and options.trials is None:
        whole, study = study, as_run(study, options.root)
        words = in_words(whole, study)
        if words is not None:
            print(words)
            study = changed(study, seeds=options.seeds)
    words = stale_in_words(study, options.root)
    if words is not None:
        print(f"{words}.")
    return study


def _lab_report(options: argparse.Namespace) -> int:
    """Write the report, print the tables, and say where everything is."""
    from neuralbo_lab.core.store import folder
    from neuralbo_lab.pages import html

    study = _lab_finished(options)
    tables, render = study.report(options.root)
    print(tables.read_text())
    print(f"report: {tables}")
    try:
        if render is not None:
            print(f"page: {html.write(render(), folder(study, options.root))}")
    except ImportError as error:  # the tables are there, and the page needs matplotlib
        print(f"no page: {error}")
    return 0


def _lab_claims(options: argparse.Namespace) -> int:
    """Print every claim with its answer, and how many there are of each."""
    from neuralbo_lab.core.claims_of_studies import COLUMNS, answered, counts
    from neuralbo_lab.core.studies import REPRODUCTIONS, find_study
    from neuralbo_lab.core.tables import markdown

    studies = REPRODUCTIONS if options.study is None else (find_study(options.study),)
    claims = [claim for study in studies for claim in answered(study, options.root)]
    if options.json:
        for claim in claims:
            print(claim.line)
        print(json.dumps(counts(claims)))
        return 0
    print("\n".join(markdown(COLUMNS, [claim.row for claim in claims])))
    print(", ".join(f"{n} {answer.replace('_', ' ')}" for answer, n in counts(claims).items()))
    return 0


def _lab_pack(options: argparse.Namespace) -> int:
    from neuralbo_lab.core.store import is_there, pack

    study = _lab_finished(options)
    if not is_there(study, options.root):
        raise FileNotFoundError(f"there are no results of {study.name} in {options.root}.")
    files = [cell.file for cell in study.cells()]
    print(f"packed: {pack(study, options.root, files, options.into)}")
    return 0


def _lab_replay(options: argparse.Namespace) -> int:
    """Return 1 if a run differs."""
    one_thread_each()
    from neuralbo_lab.core.replay import replay

    replayed = replay(_lab_finished(options), options.root, options.runs, tuple(options.method))
    for run in replayed:
        print(f"{run.file}: {run.difference or f'{run.lines} lines, all equal'}")
        if run.difference and run.is_same:
            print("  in the last digits only, as on another kind of processor")
    return int(any(run.difference for run in replayed))
