"""Minimize a function of two parameters, one of which exists for one choice of a third only."""

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    """Return a value that is smallest, 0, at x = 2, kind = deep, depth = 4."""
    x = trial.suggest_float("x", -5, 5)
    if trial.suggest_categorical("kind", ["plain", "deep"]) == "deep":
        return (x - 2) ** 2 + abs(trial.suggest_int("depth", 1, 9) - 4)
    return (x + 1) ** 2 + 1


if __name__ == "__main__":
    module = optunahub.load_module("samplers/neuralbo")
    study = optuna.create_study(sampler=module.NeuralSampler(seed=0))
    study.optimize(objective, n_trials=30)
    print(study.best_params, study.best_value)
