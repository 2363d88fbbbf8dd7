"""The default scores candidate models, and uses the one that predicts the values best."""

import math
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from neuralbo.catalog import CRITERIA, SURROGATES, make_policy
from neuralbo.criteria import UpperBound
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Auto, Candidate, SeveralObjectives, Standard, TrustRegion
from neuralbo.policies.auto import candidate_name, score
from neuralbo.policies.output_warp import OutputWarp
from neuralbo.policies.policy_presets import AUTO
from neuralbo.policies.several_objectives import for_objectives
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates import BySize, GaussianProcess
from neuralbo.surrogates.baselines.empirical import Empirical
from neuralbo.testing import PolicyChecks

TINY = Mixed(Multistart(candidates=64, local=32, restarts=2, rounds=10))
CHOOSES = Standard(GaussianProcess(clip=None), None, TINY)
POLICY = Auto(
    (Candidate("gp", CHOOSES), Candidate("gp_log_warp_30", CHOOSES, warp=30.0, margin=6.0)),
    high_dimension=TrustRegion(CHOOSES), many=TrustRegion(CHOOSES, many=1),
    whole=Standard(BySize(), None, TINY),
)  # fmt: skip
SQUARE = Domain((Variable(), Variable()))


def trials(n, f, seed=0, d=2):
    X = torch.rand(n, d, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return Data(X, f(X)[:, None], torch.arange(n))


def smooth(X):
    return torch.sin(4 * X).sum(-1)


def steep(X):
    """A narrow peak on values over six orders of magnitude."""
    return -torch.exp(12 * (X - 0.4).abs().sum(-1))


def step_of(data, domain=SQUARE, seed=0):
    return Step.of(data, domain, seed=seed, number=data.n)


class TestAuto(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def policy(self):
        return POLICY


def test_smooth_values_are_left_and_steep_ones_are_warped():
    assert POLICY.select(step_of(trials(18, smooth))).name == "gp"
    assert POLICY.select(step_of(trials(18, steep))).name == "gp_log_warp_30"


def test_the_score_is_that_of_a_naive_loop():
    """Value i is predicted by a fit without the fold of i modulo 5."""
    data, total = trials(9, steep), 0.0
    warp = OutputWarp.of(data.Y, 3.0)
    h = warp(data.Y)[:, 0]
    for i in range(9):
        others = torch.arange(9) % 5 != i % 5
        model = Empirical().fit(Data(data.X[others], h[others, None]), torch.Generator())
        posterior = model.posterior(data.X[i : i + 1], observation_noise=True)
        m, v = float(posterior.mean), float(posterior.variance)
        total += -0.5 * ((float(h[i]) - m) ** 2 / v + math.log(2 * math.pi * v))
        total += float(warp.log_derivative(data.Y[i, 0]))
    assert score(Empirical(), data, warp, step_of(data)) == pytest.approx(total, rel=1e-12)


def test_a_candidate_is_scored_by_the_model_that_chooses():
    """The fit that is scored is the one that chooses next: nothing is fitted twice."""
    step = step_of(trials(18, steep))
    found = POLICY.select(step)
    before = dict(step.memory.models)
    step.fit(found.policy.surrogate, found.warp.warped(step.data))
    assert step.memory.models == before


def test_a_density_through_a_warp_is_one_of_the_values():
    """Of y = b + s h/a above the best and b - s (exp(-h) - 1)/a below: its integral is 1."""
    warp = OutputWarp(3.0, 2.0, 0.5)
    h = torch.linspace(-9.0, 7.0, 400_001, dtype=torch.float64)
    y = torch.where(h > 0, 2.0 + 0.5 * h / 3.0, 2.0 - 0.5 * (torch.exp(-h) - 1) / 3.0)
    assert torch.allclose(warp(y), h, atol=1e-9)
    density = torch.exp(-0.5 * (h + 1.0).square()) / math.sqrt(2 * math.pi)
    assert float(torch.trapezoid(density * warp.log_derivative(y).exp(), y)) == pytest.approx(1.0)


def test_the_margin_must_be_exceeded():
    proud = replace(POLICY.candidates[1], margin=1e9)
    policy = replace(POLICY, candidates=(POLICY.candidates[0], proud))
    assert policy.select(step_of(trials(18, steep))).name == "gp"


def test_the_selection_stays_until_the_next_refit():
    data = trials(17, steep)
    scores = [
        POLICY.select(step_of(data.first(n))).facts.get("scored_on") for n in (7, 8, 11, 12, 17)
    ]
    assert scores == [None, 8, 8, 12, 12]
    always = replace(POLICY, on_schedule=False)
    assert always.select(step_of(data)).facts["scored_on"] == 17


def test_the_reason_names_what_was_selected_and_by_how_much_it_is_ahead():
    facts = POLICY.propose(step_of(trials(18, steep))).facts
    assert facts["weight_gp_log_warp_30"] == 1.0 and facts["log_warp"] == 30.0
    lead = 18 * (facts["score_gp_log_warp_30"] - facts["score_gp"])
    assert lead > 6
    warped = "gp with a log warp of the outputs (strength 30)"
    assert facts["why"].startswith(f"{warped}: ahead of gp by {lead:.3g} nats (margin 6); ")
    assert "leave-one-out log predictive density, nats per observation of 18: " in facts["why"]


def test_a_candidate_that_leads_by_less_than_its_margin_is_named_with_it():
    proud = replace(POLICY.candidates[1], margin=1e3)
    policy = replace(POLICY, candidates=(POLICY.candidates[0], proud))
    facts = policy.select(step_of(trials(18, steep))).facts
    assert facts["weight_gp"] == 1.0
    start = "gp: gp with a log warp of the outputs (strength 30) is ahead by "
    assert facts["why"].startswith(start) and "nats only (margin 1000); " in facts["why"]


def test_the_first_candidate_may_simply_have_the_highest_score():
    facts = POLICY.select(step_of(trials(18, smooth))).facts
    assert facts["why"].startswith("gp: highest score; ")


def test_candidates_of_older_records_have_the_same_names():
    assert candidate_name("gp_bent30") == candidate_name("gp_log_warp_30")
    assert candidate_name("gp") == "gp"


def test_what_is_expected_is_in_the_units_of_the_values():
    """A thousand times the values: a thousand times the expected improvement."""
    small = trials(18, steep)
    large = small.with_values(1e3 * small.Y, small.Y_censored)
    a, b = (POLICY.propose(step_of(data)) for data in (small, large))
    assert a.facts["log_warp"] == b.facts["log_warp"] == 30.0
    gained = float(b.facts["criterion_value"]) - float(a.facts["criterion_value"])
    assert gained == pytest.approx(math.log(1e3), abs=1e-3)


def test_many_dimensions_and_many_trials_have_policies_of_their_own():
    wide = Domain(tuple(Variable() for _ in range(16)))
    found = POLICY.select(step_of(trials(12, smooth, d=16), wide))
    assert found.policy is POLICY.high_dimension
    assert "16 continuous parameters" in found.facts["why"]
    found = POLICY.select(step_of(trials(301, smooth)))
    assert found.policy is POLICY.many and "more than 300" in found.facts["why"]


def test_a_small_lead_is_not_enough():
    assert {candidate.margin for candidate in AUTO.candidates[1:]} == {6.0}
    ahead = Candidate("ahead", CHOOSES)
    behind = Candidate("behind", replace(CHOOSES, surrogate=SURROGATES["kde"]))
    data = trials(12, smooth)
    scores = replace(POLICY, candidates=(behind, ahead)).select(step_of(data)).facts
    lead = 12 * (scores["score_ahead"] - scores["score_behind"])
    assert lead > 0
    for margin, name in ((0.9 * lead, "ahead"), (1.1 * lead, "behind")):
        held = replace(POLICY, candidates=(behind, replace(ahead, margin=margin)))
        assert held.select(step_of(data)).name == name


def test_candidates_have_names_of_their_own():
    with pytest.raises(ValueError, match="different names"):
        replace(POLICY, candidates=(POLICY.candidates[0], POLICY.candidates[0]))


def test_auto_is_that_policy_and_a_named_part_takes_the_place_of_the_usual_one():
    assert make_policy("auto") == make_policy() == make_policy(AUTO) == AUTO
    found = make_policy("auto", "lcb", "random")
    assert isinstance(found, Auto) and found.candidates[1].warp == AUTO.candidates[1].warp
    assert {c.standard.criterion for c in found.candidates} == {CRITERIA["lcb"]}
    assert found.high_dimension.inner.criterion == found.many.inner.criterion == CRITERIA["lcb"]
    assert AUTO.high_dimension.inner.criterion == UpperBound(beta=1.0)
    assert isinstance(for_objectives(make_policy("auto"), 2), SeveralObjectives)


def test_the_model_that_chooses_can_be_looked_at_where_nothing_is_warped():
    assert POLICY.plan(step_of(trials(18, smooth))).standard is CHOOSES
    assert POLICY.plan(step_of(trials(18, steep))) is None


PROGRAM = """
import neuralbo as nb
opt = nb.Optimizer({"x": nb.Real(0, 1), "y": nb.Real(0, 1)}, seed=3)
for i in range(20):
    opt.tell({"x": (0.37 * i) % 1, "y": (0.61 * i) % 1}, 10.0 ** (6 * abs((0.37 * i) % 1 - 0.4)))
asked = opt.ask()
facts = {name: value for name, value in asked.facts.items() if not name.endswith("seconds")}
print({**asked}, facts)
"""


@pytest.mark.slow
def test_in_another_process_the_choice_is_the_same_to_the_last_bit():
    first, second = (
        subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert first.stdout == second.stdout
    assert "score_gp_log_warp_3" in first.stdout
