"""Our surrogates inside Ax; skipped without the extra `ax`."""

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("ax", exc_type=ImportError)
    from ax.api.client import Client
    from ax.api.configs import RangeParameterConfig

    from neuralbo.criteria.hypervolume import without_compiling
    from neuralbo.interfaces.ax import generation_strategy, surrogate_spec
    from neuralbo.interfaces.botorch import FittedOnDemand

pytestmark = pytest.mark.filterwarnings("ignore")


def client_with(surrogate, objective):
    client = Client(random_seed=0)
    client.configure_experiment(
        parameters=[
            RangeParameterConfig(name="x", parameter_type="float", bounds=(-5, 10)),
            RangeParameterConfig(name="k", parameter_type="int", bounds=(1, 9)),
        ],
    )
    client.configure_optimization(objective=objective)
    client.set_generation_strategy(generation_strategy(surrogate, start=3))
    return client


def run(client, f, n):
    for _ in range(n):
        for index, params in client.get_next_trials(max_trials=1).items():
            client.complete_trial(trial_index=index, raw_data=f(params))


@pytest.mark.slow
@pytest.mark.parametrize("surrogate", ["kde"])  # gp is below, brvfl4 in docs/ax.md
def test_ax_optimizes_with_our_surrogates(surrogate):
    client = client_with(surrogate, "-loss")
    run(client, lambda p: {"loss": (p["x"] - 3) ** 2 + p["k"]}, 4)
    trials = client._experiment.trials
    names = [trials[i].generator_runs[0]._generation_node_name for i in trials]
    assert names[:3] == ["Sobol"] * 3
    assert names[3:] == [f"neuralbo-{surrogate}"]


@pytest.mark.slow
def test_several_objectives():
    client = client_with("gp", "-a, -b")
    with without_compiling():
        run(client, lambda p: {"a": p["x"] ** 2, "b": (p["x"] - 3) ** 2 + p["k"]}, 4)
    assert client.get_pareto_frontier()


def test_the_specification_can_be_stored():
    from ax.storage.json_store.decoder import object_from_json
    from ax.storage.json_store.encoder import object_to_json
    from ax.storage.json_store.registry import (
        CORE_CLASS_DECODER_REGISTRY,
        CORE_CLASS_ENCODER_REGISTRY,
        CORE_DECODER_REGISTRY,
        CORE_ENCODER_REGISTRY,
    )

    spec = surrogate_spec("brvfl4", seed=3)
    stored = object_to_json(spec, CORE_ENCODER_REGISTRY, CORE_CLASS_ENCODER_REGISTRY)
    loaded = object_from_json(stored, CORE_DECODER_REGISTRY, CORE_CLASS_DECODER_REGISTRY)
    (config,) = loaded.model_configs
    assert config.botorch_model_class is FittedOnDemand
    assert config.model_options == {"recipe": "brvfl4", "seed": 3}
