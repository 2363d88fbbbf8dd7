"""Boosted trees, bad trials stopped early.

Gradient boosting reports its validation loss as trees are added. `NeuralPruner` predicts from the
first values where each trial will end, and stops those that will hardly be better than the best
one; `NeuralSampler` learns from the curves of the stopped ones, too. LightGBM and XGBoost work in
the same way: report from their callbacks.
"""

import numpy as np
import optuna
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import neuralbo as nb

STEPS, TREES = 8, 6  # reports of a trial, and the trees between two of them
X, y = load_breast_cancer(return_X_y=True)
X_train, X_valid, y_train, y_valid = train_test_split(X, y, test_size=0.4, random_state=0)


def objective(trial: optuna.Trial) -> float:
    model = HistGradientBoostingClassifier(
        learning_rate=trial.suggest_float("learning rate", 0.01, 1.0, log=True),
        max_leaf_nodes=trial.suggest_int("leaves", 2, 32, log=True),
        l2_regularization=trial.suggest_float("l2", 1e-3, 100.0, log=True),
        warm_start=True, random_state=0,
    )  # fmt: skip
    model.set_params(early_stopping=False)
    loss = np.inf
    for step in range(1, STEPS + 1):
        model.set_params(max_iter=TREES * step).fit(X_train, y_train)
        loss = float(log_loss(y_valid, model.predict_proba(X_valid)))
        trial.report(loss, step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return loss


def main(n_trials: int = 24) -> optuna.Study:
    sampler, pruner = nb.NeuralSampler(seed=0), nb.NeuralPruner()
    study = optuna.create_study(sampler=sampler, pruner=pruner, study_name="boosting")
    study.optimize(objective, n_trials=n_trials)
    reports = sum(len(trial.intermediate_values) for trial in study.trials)
    print(f"best loss {study.best_value:.4f} with {study.best_params}")
    print(f"{reports} reports instead of {n_trials * STEPS}")
    return study


if __name__ == "__main__":
    main()
