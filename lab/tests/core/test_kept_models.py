"""Kept models: a file for each suggestion, with the model that it came from."""

import math
import pickle

import pytest
import torch
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.surrogates.surrogate import moments_of

from neuralbo_lab.core import run as runner
from neuralbo_lab.core import run_trials
from neuralbo_lab.core.kept_models import load_step, models_folder
from neuralbo_lab.core.optimization_study import Cell, OptimizationStudy
from neuralbo_lab.problems import find

STUDY = OptimizationStudy(
    name="tiny", reproduces="nothing", problems=("branin",), methods=("gp", "random"), trials=7,
    start=4, seeds=1,
)  # fmt: skip


def kept(tmp_path, method):
    """Run a cell with its models and return its trials and the steps."""
    cell = Cell("branin", method, 0)
    runner.run_cell(STUDY, cell, tmp_path, keep_models=True)
    files = sorted(models_folder(tmp_path, cell.file).iterdir())
    return runner.read_lines(tmp_path / cell.file)[1:], files


@pytest.mark.parametrize("method", ["gp", "random", "tpe"])
def test_each_suggestion_after_the_start_has_a_file(tmp_path, method):
    _, files = kept(tmp_path, method)
    assert [file.name for file in files] == ["0004.pt", "0005.pt", "0006.pt"]
    assert files[0].parent == tmp_path / "models" / f"branin__{method}__000"


@pytest.mark.parametrize("method", ["gp/log_ei", "brvfl4/log_ei"])
def test_a_kept_model_is_that_of_an_optimizer_that_was_told_the_same(tmp_path, method):
    trials, files = kept(tmp_path, method)
    X = torch.rand(9, 1, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    surrogate, criterion = method.split("/")
    for file in files:
        step = load_step(file)
        opt = Optimizer(find("branin").space(), surrogate=surrogate, criterion=criterion, seed=0)
        for line in trials[: step["number"]]:
            opt.tell(line["params"], line["value"])
        with torch.no_grad():
            for ours, theirs in zip(
                moments_of(step["model"].posterior(X)),
                moments_of(opt.model.posterior(X)),
                strict=True,
            ):
                torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("method", ["gp", "brvfl4", "auto", "trust_region@gp", "tpe"])
def test_a_kept_file_has_no_code_in_it(tmp_path, method):
    _, files = kept(tmp_path, method)
    for file in files:
        found = torch.load(file, weights_only=True)
        assert set(found) == {"text", "data"}
        assert all(isinstance(tensor, torch.Tensor) for tensor in found["data"].values())
        load_step(file)


def test_a_file_with_code_in_it_is_refused(tmp_path):
    torch.save({"text": "{}", "data": Failing()}, tmp_path / "0000.pt")
    with pytest.raises(pickle.UnpicklingError, match="weights_only"):
        load_step(tmp_path / "0000.pt")


def test_a_kept_model_is_in_the_units_and_the_sign_of_the_values(tmp_path):
    trials, files = kept(tmp_path, "gp")
    observed = trials[:6]
    X = torch.tensor([[(t["params"]["x0"] + 5) / 15, t["params"]["x1"] / 15] for t in observed])
    with torch.no_grad():
        mean = load_step(files[-1])["model"].posterior(X.double()[:, None]).mean.reshape(-1)
    values = torch.tensor([t["value"] for t in observed], dtype=torch.float64)
    assert float(torch.corrcoef(torch.stack([mean, values]))[0, 1]) > 0.9


@pytest.mark.parametrize("method", ["gp", "brvfl4", "random", "tpe"])
def test_the_kept_proposal_and_its_facts_are_those_of_the_line(tmp_path, method):
    trials, files = kept(tmp_path, method)
    for file in files:
        step = load_step(file)
        line = trials[step["number"]]
        assert step["params"] == line["params"]
        facts = {k: v for k, v in step["facts"].items() if not k.endswith("_seconds")}
        assert facts == line.get("facts", {})


@pytest.mark.parametrize("method", ["random", "tpe"])
def test_what_has_no_model_keeps_its_proposals_only(tmp_path, method):
    _, files = kept(tmp_path, method)
    assert [load_step(file)["model"] for file in files] == [None] * 3


@pytest.mark.parametrize("method", ["gp", "brvfl4"])
def test_keeping_models_changes_no_line(tmp_path, method):
    trials, _ = kept(tmp_path, method)
    (tmp_path / "bare").mkdir()
    cell = Cell("branin", method, 0)
    runner.run_cell(STUDY, cell, tmp_path / "bare")
    bare = runner.read_lines(tmp_path / "bare" / cell.file)[1:]
    for line in trials + bare:
        line.pop("seconds")
    assert trials == bare
    assert not (tmp_path / "bare" / "models").exists()


def test_a_run_whose_initial_points_all_failed_keeps_proposals_without_a_model(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(run_trials, "find", lambda name: Failing())
    trials, files = kept(tmp_path, "gp")
    assert len(trials) == 7 and "failed" not in trials[-1]
    assert [load_step(file)["model"] for file in files] == [None] * 3


class Failing:
    """A problem that gives no value."""

    minimum = 0.0

    def space(self):
        return find("branin").space()

    def evaluate(self, params, number=0, seed=0):
        return math.nan
