"""A surrogate of neuralbo inside Ax: python examples/ax_client.py; needs the extra `ax`."""

from ax.api.client import Client
from ax.api.configs import RangeParameterConfig

from neuralbo.interfaces.ax import generation_strategy


def loss(params):
    return (params["x"] - 3) ** 2 + (params["y"] + 1) ** 2


if __name__ == "__main__":
    client = Client(random_seed=0)
    client.configure_experiment(
        parameters=[
            RangeParameterConfig(name=name, parameter_type="float", bounds=(-5, 10))
            for name in ("x", "y")
        ]
    )
    client.configure_optimization(objective="-loss")
    client.set_generation_strategy(generation_strategy("brvfl4", seed=0))
    for _ in range(15):
        for index, params in client.get_next_trials(max_trials=1).items():
            client.complete_trial(trial_index=index, raw_data={"loss": loss(params)})
    print(client.get_best_parameterization())
