"""The default judges ways to model the values, and takes the one that foretells them best."""

import math
import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from neuralbo_lab.problems import Problem, find

import neuralbo as nb
from neuralbo.catalog import AUTOMATIC, SURROGATES, make_policy
from neuralbo.data import Data
from neuralbo.engine.step import Step
from neuralbo.maximizers import Mixed, Multistart
from neuralbo.policies import Automatic, Basins, RandomSearch, SeveralObjectives, Standard, Way
from neuralbo.policies.auto import candidate_name, score
from neuralbo.policies.choice import choice_at
from neuralbo.policies.output_warp import Curve
from neuralbo.policies.several_objectives import for_objectives
from neuralbo.space.domain import Domain, Variable
from neuralbo.surrogates import Auto, GaussianProcess
from neuralbo.surrogates.baselines.empirical import Empirical
from neuralbo.testing import PolicyChecks

TINY = Mixed(Multistart(candidates=64, local=32, restarts=2, rounds=10))
GP = GaussianProcess(clip=None)
CHOOSES = Standard(GaussianProcess(), None, TINY)
POLICY = Automatic(
    (Way("gp", CHOOSES, GP), Way("bent", CHOOSES, GP, strength=30.0, handicap=6.0)),
    Auto(), RandomSearch(), CHOOSES,
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


class TestAutomatic(PolicyChecks):
    needs_data = True

    @pytest.fixture
    def policy(self):
        return POLICY


def test_smooth_values_are_left_and_steep_ones_are_bent():
    assert POLICY.verdict(step_of(trials(18, smooth))).way.name == "gp"
    assert POLICY.verdict(step_of(trials(18, steep))).way.name == "bent"


def test_the_score_is_that_of_a_naive_loop():
    """Value i is foretold by a fit without the fold of i modulo 5."""
    data, total = trials(9, steep), 0.0
    curve = Curve.through(data.Y, 3.0)
    h = curve(data.Y)[:, 0]
    for i in range(9):
        others = torch.arange(9) % 5 != i % 5
        model = Empirical().fit(Data(data.X[others], h[others, None]), torch.Generator())
        law = model.posterior(data.X[i : i + 1], observation_noise=True)
        m, v = float(law.mean), float(law.variance)
        total += -0.5 * ((float(h[i]) - m) ** 2 / v + math.log(2 * math.pi * v))
        total += float(curve.log_slope(data.Y[i, 0]))
    assert score(Empirical(), data, curve, seed=0) == pytest.approx(total, rel=1e-12)


def test_a_density_through_a_curve_is_one_of_the_values():
    """Of y = b + s h/a above the best and b - s (exp(-h) - 1)/a below: its integral is 1."""
    curve = Curve(3.0, 2.0, 0.5)
    h = torch.linspace(-9.0, 7.0, 400_001, dtype=torch.float64)
    y = torch.where(h > 0, 2.0 + 0.5 * h / 3.0, 2.0 - 0.5 * (torch.exp(-h) - 1) / 3.0)
    assert torch.allclose(curve(y), h, atol=1e-9)
    density = torch.exp(-0.5 * (h + 1.0).square()) / math.sqrt(2 * math.pi)
    assert float(torch.trapezoid(density * curve.log_slope(y).exp(), y)) == pytest.approx(1.0)


def test_a_handicap_must_be_overcome():
    proud = replace(POLICY.ways[1], handicap=1e9)
    policy = replace(POLICY, ways=(POLICY.ways[0], proud))
    assert policy.verdict(step_of(trials(18, steep))).way.name == "gp"


def test_the_verdict_stays_until_the_next_landmark():
    data = trials(17, steep)
    scores = [
        POLICY.verdict(step_of(data.first(n))).facts.get("scored_on") for n in (7, 8, 11, 12, 17)
    ]
    assert scores == [None, 8, 8, 12, 12]
    always = replace(POLICY, keeps=False)
    assert always.verdict(step_of(data)).facts["scored_on"] == 17


def test_the_reason_is_on_record():
    facts = POLICY.propose(step_of(trials(18, steep))).facts
    assert facts["weight_bent"] == 1.0 and facts["log_warp"] == 30.0
    assert facts["score_bent"] > facts["score_gp"]
    words = "leave-one-out log predictive density, nats per observation of 18: bent "
    assert facts["why"].startswith(words)


def test_the_reason_names_candidates_in_the_words_of_the_field():
    facts = AUTOMATIC.verdict(step_of(trials(18, steep))).facts
    assert "gp with a log warp of the outputs (strength 30)" in facts["why"]
    assert "bent" not in facts["why"] and "left-out" not in facts["why"]


def test_a_candidate_that_leads_by_too_little_is_named_with_its_margin():
    proud = replace(POLICY.ways[1], name="gp_log_warp_30", handicap=1e3)
    facts = replace(POLICY, ways=(POLICY.ways[0], proud)).verdict(step_of(trials(18, steep))).facts
    assert facts["why"].endswith(
        "; gp with a log warp of the outputs (strength 30) is not ahead by its margin, "
        "1000 nats in all"
    )


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


def test_many_columns_and_many_trials_have_ways_of_their_own():
    wide = Domain(tuple(Variable() for _ in range(16)))
    found = POLICY.verdict(step_of(trials(12, smooth, d=16), wide))
    assert found.way.policy is POLICY.high and "16 continuous parameters" in found.facts["why"]
    found = POLICY.verdict(step_of(trials(301, smooth)))
    assert found.way.policy is POLICY.late and "more than 300" in found.facts["why"]


def test_a_way_for_continuous_spaces_is_not_asked_in_others():
    only = replace(POLICY.ways[1], is_continuous=True)
    policy = replace(POLICY, ways=(POLICY.ways[0], only))
    mixed = Domain((Variable(), Variable("ordinal", 4)))
    X = trials(12, steep).X
    data = Data(X, steep(X)[:, None], torch.arange(12))
    assert "score_bent" not in policy.verdict(step_of(data, mixed)).facts
    assert "score_bent" in policy.verdict(step_of(data)).facts


def test_who_takes_longer_than_a_suggestion_may_is_not_asked():
    slow = Way("slow", CHOOSES, Empirical(), seconds=20.0)
    policy = replace(POLICY, ways=(*POLICY.ways, slow))
    data = trials(12, smooth)
    assert "score_slow" not in policy.verdict(step_of(data)).facts
    patient = replace(policy, limit=30.0)
    assert "score_slow" in patient.verdict(step_of(data)).facts
    hasty = replace(policy, limit=0.01)
    assert hasty.verdict(step_of(data)).way.name == "gp"


def test_several_branches_are_searched_near_the_best():
    """Test3 of 001 has two values at each point: no law of one Gaussian fits."""
    problem, rng = find("kruse-test3"), torch.Generator().manual_seed(2)
    assert isinstance(problem, Problem) and problem.noise is not None
    noise = problem.noise
    line = Domain((Variable(),))

    def branches(U):
        X = 200 * U - 100
        return -(problem.f(X) + noise(X, rng))

    found = AUTOMATIC.verdict(step_of(trials(60, branches, d=1), line))
    assert found.way.name == "branches"
    assert 60 * (found.facts["score_branches"] - found.facts["score_gp"]) > 40
    assert AUTOMATIC.verdict(step_of(trials(60, smooth, d=1), line)).way.name == "gp"


def test_a_small_lead_is_not_enough():
    assert {way.handicap for way in AUTOMATIC.ways[1:]} == {6.0}
    ahead = Way("ahead", CHOOSES, GP)
    policy = replace(POLICY, ways=(Way("behind", CHOOSES, SURROGATES["kde"]), ahead))
    data = trials(12, smooth)
    scores = policy.verdict(step_of(data)).facts
    lead = 12 * (scores["score_ahead"] - scores["score_behind"])
    assert lead > 0
    for handicap, name in ((0.9 * lead, "ahead"), (1.1 * lead, "behind")):
        held = replace(policy, ways=(policy.ways[0], replace(ahead, handicap=handicap)))
        assert held.verdict(step_of(data)).way.name == name


def test_ways_have_names_of_their_own():
    with pytest.raises(ValueError, match="different names"):
        replace(POLICY, ways=(POLICY.ways[0], POLICY.ways[0]))


def test_auto_is_that_policy_unless_something_is_named():
    assert make_policy("auto") is AUTOMATIC
    assert isinstance(make_policy("auto", "lcb"), Standard)
    assert isinstance(for_objectives(make_policy("auto"), 2), SeveralObjectives)
    assert isinstance(AUTOMATIC.ways[0].policy, Basins)


def test_the_model_that_chose_can_be_looked_at_where_nothing_is_bent():
    assert choice_at(POLICY, step_of(trials(18, smooth))).standard is CHOOSES
    assert choice_at(POLICY, step_of(trials(18, steep))) is None


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


def test_a_limit_of_seconds_says_who_is_asked():
    opt = nb.Optimizer({"x": nb.Real(0, 1)}, seed=0, max_suggest_seconds=60.0)
    assert isinstance(opt.policy, Automatic) and opt.policy.limit == 60.0
    sampler = nb.NeuralSampler(seed=0, max_suggest_seconds=60.0)
    assert isinstance(sampler._policy, Automatic) and sampler._policy.limit == 60.0
