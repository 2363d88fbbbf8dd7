"""`neuralbo lab`, as a new user meets it: in an empty folder."""

import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import study_runs
import torch
from neuralbo import cli
from neuralbo.catalog import SURROGATES
from neuralbo.data import Data
from neuralbo.engine.step import generator
from neuralbo.space import Space
from scipy.stats import mannwhitneyu, norm

from neuralbo_lab.core import recorded_times, report, studies
from neuralbo_lab.core import run as runner
from neuralbo_lab.core.methods import find_method
from neuralbo_lab.core.optimization_study import OptimizationStudy
from neuralbo_lab.core.regression_fits import TEST, TRAINING, distribution_of, sample, score
from neuralbo_lab.core.store import folder, packed
from neuralbo_lab.core.studies import STUDIES, find_study
from neuralbo_lab.pages import html
from neuralbo_lab.problems import find

CHEAP = OptimizationStudy(
    name="cheap", reproduces="nothing much", problems=("branin",), methods=("random", "sobol"),
    trials=4, start=2, seeds=2, quick_trials=3, quick_seeds=1,
)  # fmt: skip


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    """Begin in an empty folder, know one more study, and draw nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(studies.STUDIES, CHEAP.name, CHEAP)
    monkeypatch.setattr(html, "image", lambda figure, alt: "")


def lab(*arguments):
    return cli.main(["lab", *arguments])


def finish(study=CHEAP, root="runs/lab"):
    study_runs.finish(study, Path(root))


class TestList:
    def test_every_study_is_there_with_quick_and_full_times(self, capsys):
        assert lab("list") == 0
        lines = capsys.readouterr().out.splitlines()
        for name, study in STUDIES.items():
            at = next(i for i, line in enumerate(lines) if line.split()[0] == name)
            assert study.reproduces in lines[at]
            assert lines[at + 1].strip().startswith("quick: ")
            assert lines[at + 2].strip().startswith("full: ")

    def test_times_are_those_that_stored_runs_have_recorded(self, capsys, monkeypatch):
        monkeypatch.setattr(
            recorded_times,
            "stored",
            lambda: {"cheap": recorded_times.Hours(0.01, 10.0, 0.5, is_least=True)},
        )
        lab("list")
        out = capsys.readouterr().out
        assert "quick: a minute, 2 runs of 3 trials" in out
        assert "full: at least 5 hours for 50% of its runs, 4 runs of 4 trials" in out
        assert "quick: not timed" in out

    def test_nothing_is_written(self, tmp_path):
        lab("list")
        assert list(tmp_path.iterdir()) == []


class TestUnknownNames:
    @pytest.mark.parametrize("command", ["run", "report", "pack", "replay"])
    def test_an_unknown_study_is_answered_with_the_near_ones(self, command, capsys, tmp_path):
        assert lab(command, "kruse-bo-1") == 1
        captured = capsys.readouterr()
        assert "unknown study 'kruse-bo-1'. Did you mean 'kruse-bo-1d'" in captured.err
        assert "Traceback" not in captured.err and captured.out == ""
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("command", ["run", "report", "pack", "replay"])
    def test_a_file_that_is_not_there_is_named(self, command, capsys):
        assert lab(command, "none.toml") == 1
        assert "there is no file none.toml" in capsys.readouterr().err

    def test_only_the_methods_that_match_a_pattern_are_run(self, monkeypatch):
        seen = []
        monkeypatch.setattr(runner, "run", lambda study, *_, **__: seen.append(study.methods))
        assert lab("run", "cheap", "--method", "sob*") == 0
        assert lab("run", "cheap") == 0
        assert seen == [("sobol",), ("random", "sobol")]

    def test_a_pattern_without_a_method_is_refused_with_all_names(self, capsys):
        assert lab("run", "agrawal-benchmark", "--quick", "--method", "brvfl9*") == 1
        assert "has no method 'brvfl9*'; it has " in capsys.readouterr().err

    def test_only_the_problems_that_match_a_pattern_are_run(self, monkeypatch):
        seen = []
        monkeypatch.setattr(runner, "run", lambda study, *_, **__: seen.append(study.problems))
        assert lab("run", "hoegger-5d", "--problem", "*-levy5") == 0
        assert seen == [("hoegger-levy5",)]

    def test_few_runs_are_left_out_with_their_problem(self, monkeypatch):
        seen = []
        monkeypatch.setattr(runner, "run", lambda study, *_, **__: seen.append(study))
        assert lab("run", "hoegger-2d", "--problem", "hoegger-perm2") == 0
        assert {cell.problem for cell in seen[0].cells()} == {"hoegger-perm2"}

    def test_a_pattern_without_a_problem_is_refused_with_all_names(self, capsys):
        assert lab("run", "hoegger-5d", "--problem", "branin") == 1
        assert "has no problem 'branin'; it has hoegger-g" in capsys.readouterr().err

    def test_the_number_of_trials_can_be_chosen_and_has_its_own_folder(self, monkeypatch):
        seen = []
        monkeypatch.setattr(runner, "run", lambda study, *_, **__: seen.append(study.protocol))
        assert lab("run", "hoegger-5d", "--trials", "40") == 0
        assert seen == ["40x8-random"]

    @pytest.mark.parametrize(("study", "trials"), [("hoegger-5d", "8"), ("speed", "20")])
    def test_trials_must_be_more_than_the_initial_points(self, study, trials, capsys):
        assert lab("run", study, "--trials", trials) == 1
        assert "--trials must be more than the initial points" in capsys.readouterr().err

    def test_the_methods_of_a_speed_study_cannot_be_chosen(self, capsys):
        assert lab("run", "speed", "--method", "start") == 1
        assert "leave --method out" in capsys.readouterr().err

    @pytest.mark.parametrize("seeds", ["0", "-3"])
    def test_a_number_of_seeds_below_one_is_refused(self, seeds, capsys):
        assert lab("run", "cheap", "--seeds", seeds) == 1
        assert "--seeds must be at least 1" in capsys.readouterr().err

    @pytest.mark.parametrize("workers", ["0", "-1"])
    def test_a_number_of_workers_below_one_is_refused(self, workers, capsys):
        assert lab("run", "cheap", "--workers", workers) == 1
        assert "workers must be" in capsys.readouterr().err


class TestReport:
    def test_before_a_run_it_says_how_to_run(self, capsys, tmp_path):
        assert lab("report", "cheap") == 1
        err = capsys.readouterr().err
        assert "make them with: neuralbo lab run cheap" in err and "Traceback" not in err
        assert list(tmp_path.iterdir()) == []

    def test_before_a_run_of_a_file_it_says_how_to_run_the_file(self, capsys):
        Path("mine.toml").write_text(
            'problems = ["branin"]\nmethods = ["random"]\ntrials = 3\nstart = 1\nseeds = 1\n'
        )
        assert lab("report", "mine.toml") == 1
        assert "neuralbo lab run mine.toml" in capsys.readouterr().err

    def test_it_prints_the_tables_and_says_where_all_is(self, capsys):
        pytest.importorskip("matplotlib")
        finish()
        assert lab("report", "cheap") == 0
        out, where = capsys.readouterr().out, folder(CHEAP, Path("runs/lab"))
        assert "| branin | random | 2 |" in out
        assert f"report: {where / 'report.md'}" in out and f"page: {where / 'report.html'}" in out
        for name in ("report.md", "report.html", "report.csv"):
            assert (where / name).is_file()

    def test_fewer_seeds_can_be_reported(self, capsys):
        pytest.importorskip("matplotlib")
        finish()
        assert lab("report", "cheap", "--seeds", "1") == 0
        assert "| branin | random | 1 |" in capsys.readouterr().out

    def test_results_of_a_part_of_the_study_are_reported_as_far_as_they_go(self, capsys):
        pytest.importorskip("matplotlib")
        where = folder(CHEAP, Path("runs/lab"))
        where.mkdir(parents=True)
        runner.run_cell(CHEAP, next(CHEAP.cells()), where)
        assert lab("report", "cheap") == 0
        out = capsys.readouterr().out
        assert "| branin | random | 1 |" in out and "| branin | sobol | 0 | N/A |" in out

    def test_a_study_without_a_finished_run_has_a_report(self, capsys):
        pytest.importorskip("matplotlib")
        folder(CHEAP, Path("runs/lab")).mkdir(parents=True)
        assert lab("report", "cheap") == 0
        assert "| branin | random | 0 | N/A |" in capsys.readouterr().out

    def test_without_the_package_of_a_problem_there_is_no_report_and_that_is_an_error(
        self, capsys, monkeypatch
    ):
        def absent(name):
            raise ImportError("this problem needs coco-experiment: pip install neuralbo-lab")

        folder(CHEAP, Path("runs/lab")).mkdir(parents=True)
        monkeypatch.setattr(report, "find", absent)
        assert lab("report", "cheap") == 1
        assert "this problem needs coco-experiment" in capsys.readouterr().err


class TestPack:
    def test_before_a_run_it_says_that_there_is_nothing(self, capsys, tmp_path):
        assert lab("pack", "cheap") == 1
        assert "there are no results of cheap in runs/lab" in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []

    def test_it_says_where_the_pack_is(self, capsys):
        finish()
        assert lab("pack", "cheap") == 0
        path = packed(CHEAP, Path("results"))
        assert path == Path("results/cheap/4x2-random.jsonl.xz")
        assert f"packed: {path}" in capsys.readouterr().out and path.is_file()

    def test_a_report_can_be_made_of_the_pack_alone(self, capsys):
        pytest.importorskip("matplotlib")
        finish()
        lab("report", "cheap")
        before = folder(CHEAP, Path("runs/lab")).joinpath("report.md").read_text()
        lab("pack", "cheap")
        shutil.rmtree("runs")
        assert lab("report", "cheap", "--root", "results") == 0
        assert folder(CHEAP, Path("results")).joinpath("report.md").read_text() == before

    def test_it_can_be_put_elsewhere(self):
        finish()
        assert lab("pack", "cheap", "--into", "there") == 0
        assert packed(CHEAP, Path("there")).is_file()

    def test_a_second_pack_of_fewer_seeds_loses_nothing(self, capsys):
        finish()
        lab("pack", "cheap")
        before = packed(CHEAP, Path("results")).read_bytes()
        lab("pack", "cheap", "--seeds", "1")
        assert packed(CHEAP, Path("results")).read_bytes() == before


class TestRun:
    @pytest.mark.slow
    def test_a_new_user_runs_packs_and_replays_a_file(self, tmp_path, capsys):
        Path("mine.toml").write_text(
            'problems = ["branin"]\nmethods = ["random"]\ntrials = 3\nstart = 1\nseeds = 2\n'
        )
        command = [sys.executable, "-m", "neuralbo.cli", "lab", "run", "mine.toml"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("results: runs/lab/mine/")
        assert lab("pack", "mine.toml") == 0
        assert lab("replay", "mine.toml", "--root", "results") == 0
        assert capsys.readouterr().out.count("4 lines, all equal") == 2
        assert {path.name for path in tmp_path.iterdir()} == {"mine.toml", "runs", "results"}

    def test_ctrl_c_is_told_in_a_line(self, monkeypatch, capsys):
        def interrupted(*more, **options):
            raise KeyboardInterrupt

        monkeypatch.setattr(runner, "run", interrupted)
        assert lab("run", "cheap") == 130
        assert capsys.readouterr().err == "stopped; what was finished is kept.\n"

    def test_a_full_disk_is_told_without_a_traceback(self, monkeypatch, capsys):
        def full(*more, **options):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(runner, "run", full)
        assert lab("run", "cheap") == 1
        err = capsys.readouterr().err
        assert "No space left on device" in err and "Traceback" not in err


@pytest.mark.slow
def test_the_empirical_model_optimizes_like_random_search():
    """Kruse (2022), Sec. 6.1.3: with a constant posterior every point is as good as any other."""
    study = find_study("kruse-bo-1d")
    problem = find("kruse-test1")

    def final(method, seed):
        optimizer = find_method(method).make(Space(problem.space()), seed, study.trials)
        values = []
        for _ in range(study.trials):
            params = optimizer.ask()
            values.append(problem.evaluate(params))
            optimizer.tell(params, values[-1])
        return min(values) - problem.minimum

    model = [final("empirical/ei/random", seed) for seed in range(40)]
    random = [final("random", 1000 + seed) for seed in range(40)]
    assert len(set(model)) == len(set(random)) == 40 and not set(model) & set(random)
    assert mannwhitneyu(model, random).pvalue > 0.01


class TestPredictionsOfTheGaussianProcess:
    """Of our own: the published code of Kruse (2022) took variances for standard deviations."""

    def fitted(self, unit=1.0):
        X, Y = sample(find("kruse-test1"), 15, 0, TRAINING)
        return SURROGATES["gp"].fit(Data(X, unit * Y), generator(0))

    def test_the_standard_deviation_squared_is_the_variance_of_draws(self):
        X = torch.tensor([[0.03], [0.5], [0.97]], dtype=torch.float64)
        posterior = self.fitted().posterior(X[:, None, :], observation_noise=True)
        draws = posterior.rsample(torch.Size([20_000])).reshape(20_000, 3)
        squared = distribution_of(posterior).standard_deviations.detach().reshape(3) ** 2
        # five standard errors of a variance of 20,000 draws: 5 * sqrt(2 / 20,000)
        torch.testing.assert_close(draws.detach().var(0), squared, rtol=0.05, atol=0)

    def test_the_density_is_that_of_the_normal_distribution(self):
        X = torch.tensor([[0.2], [0.6]], dtype=torch.float64)
        posterior = self.fitted().posterior(X[:, None, :], observation_noise=True)
        y = torch.tensor([0.3, -1.0], dtype=torch.float64)
        mean, variance = (m.detach().reshape(2).numpy() for m in
                          (posterior.mean, posterior.variance))  # fmt: skip
        expected = norm(mean, variance**0.5).logpdf(y.numpy())
        found = distribution_of(posterior).log_density(y).detach()
        torch.testing.assert_close(found, torch.as_tensor(expected))

    def test_the_score_does_not_depend_on_the_unit_of_y(self):
        """The MLPD of y is shifted by the logarithm of the unit, and that in its scale is not."""
        problem, unit = find("kruse-test1"), 1000.0
        X, Y = sample(problem, 15, 0, TRAINING)
        U, V = sample(problem, 100, 0, TEST)
        found = [
            score(SURROGATES["gp"], Data(X, c * Y), (U, c * V), generator(0)) for c in (1.0, unit)
        ]
        small, large = (one["scores"]["mlpd"] for one in found)
        assert large == pytest.approx(small, rel=1e-4)  # the ends of two searches
        own = [one["scores"]["mlpd"] - math.log(one["scale"]) for one in found]
        assert own[0] - own[1] == pytest.approx(math.log(unit), abs=1e-3)


def test_a_reader_that_has_seen_enough_is_no_error():
    command = f"{sys.executable} -m neuralbo.cli lab list | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") == 1 and done.stderr == ""
