"""Linear controllers of simulated bodies: MuJoCo through gymnasium.

An action is W o of the observation o, cut to what is allowed; the entries of W are the parameters.
The value is minus the mean return of episodes from fixed initial states, so that it is a function
of W. Mania et al. (2018) show that such controllers walk.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from neuralbo.space.parameters import Parameter, Real

from neuralbo_lab.problems.base import optional_module

STEPS = 500  # of an episode
EPISODES = 2
MOST_REWARD = 10.0  # of a step, in each of these


@final
@dataclass(frozen=True, slots=True)
class Controller:
    """A body by gymnasium's name; the minimum is a lower bound that nothing reaches.

    Attributes:
        shape: numbers of actions and of observations.
    """

    name: str
    body: str
    shape: tuple[int, int]
    minimum: float = -MOST_REWARD * STEPS

    def space(self) -> Mapping[str, Parameter]:
        """Return the entries of W, row by row."""
        actions, observations = self.shape
        return {f"w{i}": Real(-1, 1) for i in range(actions * observations)}

    def evaluate(self, params: Mapping[str, Any], number: int = 0, seed: int = 0) -> float:
        """Return the value; there is no noise, so the number and the seed do not matter."""
        return self.truth(params)

    def truth(self, params: Mapping[str, Any]) -> float:
        """Return minus the mean return."""
        W = np.array([params[f"w{i}"] for i in range(len(params))]).reshape(self.shape)
        gymnasium = optional_module("gymnasium", "gymnasium[mujoco]")
        body = gymnasium.make(self.body)
        found = -float(np.mean([_return(body, W, seed) for seed in range(EPISODES)]))
        body.close()
        return found


BODIES = {
    "control-swimmer": ("Swimmer-v5", (2, 8)),
    "control-double-pendulum": ("InvertedDoublePendulum-v5", (1, 9)),
    "control-hopper": ("Hopper-v5", (3, 11)),
}


def controller(name: str) -> Controller:
    """Return a problem by its name."""
    return Controller(name, *BODIES[name])


def _return(body: Any, W: Any, seed: int) -> float:
    """Return the sum of rewards of one episode."""
    observation, _ = body.reset(seed=seed)
    total = 0.0
    for _ in range(STEPS):
        action = np.clip(W @ observation, body.action_space.low, body.action_space.high)
        observation, reward, is_over, is_cut, _ = body.step(action)
        total += float(reward)
        if is_over or is_cut:
            break
    return total
