"""Our surrogates inside Ax; needs the extra `ax`.

Importing this module tells Ax how `FittedOnDemand` is fitted and stored.
"""

from typing import Any

from ax.adapter.registry import Generators
from ax.generation_strategy.generation_node import GenerationNode
from ax.generation_strategy.generation_strategy import GenerationStrategy
from ax.generation_strategy.generator_spec import GeneratorSpec
from ax.generation_strategy.transition_criterion import MinTrials
from ax.generators.torch.botorch_modular.surrogate import ModelConfig, SurrogateSpec
from ax.generators.torch.botorch_modular.utils import fit_botorch_model
from ax.storage.botorch_modular_registry import register_model

from neuralbo.interfaces.botorch import FittedOnDemand


@fit_botorch_model.register(FittedOnDemand)  # type: ignore[untyped-decorator]
def _fit(model: FittedOnDemand, mll_class: Any, mll_options: Any = None) -> None:
    """Fit; what Ax says of marginal likelihoods is for Gaussian processes."""
    model.fit()


register_model(FittedOnDemand)


def surrogate_spec(surrogate: str = "auto", *, seed: int = 0) -> SurrogateSpec:
    """Return what Ax's `Generators.BOTORCH_MODULAR` takes as `surrogate_spec`.

    Args:
        surrogate: a name of the catalog, which Ax can store.
        seed: of the fits.
    """
    options = {"recipe": surrogate, "seed": seed}
    config = ModelConfig(
        botorch_model_class=FittedOnDemand, model_options=options, name=f"neuralbo {surrogate}"
    )
    return SurrogateSpec(model_configs=[config])


def generation_strategy(
    surrogate: str = "auto", *, start: int = 5, seed: int = 0
) -> GenerationStrategy:
    """Return a strategy for `client.set_generation_strategy`: Sobol points, then the surrogate.

    Ax chooses the criterion: qLogNEI for one objective, qLogNEHVI for several.
    """
    model = GeneratorSpec(
        generator_enum=Generators.BOTORCH_MODULAR,
        generator_kwargs={"surrogate_spec": surrogate_spec(surrogate, seed=seed)},
    )
    sobol = GeneratorSpec(generator_enum=Generators.SOBOL, generator_kwargs={"seed": seed})
    name = f"neuralbo-{surrogate}"
    first = GenerationNode(
        name="Sobol",
        generator_specs=[sobol],
        transition_criteria=[
            MinTrials(threshold=start, transition_to=name, use_all_trials_in_exp=True)
        ],
    )
    nodes = [first, GenerationNode(name=name, generator_specs=[model])]
    return GenerationStrategy(name=f"Sobol+neuralbo:{surrogate}", nodes=nodes)
