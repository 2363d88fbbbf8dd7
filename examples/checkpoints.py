"""Stop bad trainings early, and go on with those that turn out to be good.

    python examples/checkpoints.py

A network of scikit-learn learns handwritten digits epoch by epoch (`partial_fit`). After each
epoch it reports its error; a trial that will hardly end better than the best is stopped, and its
network is kept. When its result has become interesting again the trial goes on from there.
"""

import pickle
import tempfile
import time
import warnings
from pathlib import Path

import optuna
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

import neuralbo as nb

EPOCHS, TRAIN = 30, 900
X, y = load_digits(return_X_y=True)
X = X / 16


class Training:
    """The objective; `folder` is where networks are kept that were stopped."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.epochs = 0

    def __call__(self, trial: optuna.Trial) -> float:
        """Train a network, from the beginning or from where another trial was stopped."""
        model = MLPClassifier(
            hidden_layer_sizes=(trial.suggest_int("units", 8, 128, log=True),),
            learning_rate_init=trial.suggest_float("rate", 1e-5, 1e-1, log=True),
            alpha=trial.suggest_float("penalty", 1e-7, 1.0, log=True),
            batch_size=trial.suggest_int("batch", 16, 256, log=True),
            random_state=0,
        )
        first, old = 0, nb.resumed(trial)
        if old is not None:
            first, model = old.step + 1, pickle.loads(Path(old.checkpoint).read_bytes())
        for epoch in range(first, EPOCHS):
            error = self.train(model)
            trial.report(error, epoch)
            if trial.should_prune():
                path = self.folder / f"{trial.number}.pickle"
                path.write_bytes(pickle.dumps(model))
                trial.set_user_attr("checkpoint", str(path))
                raise optuna.TrialPruned
        return error

    def train(self, model: MLPClassifier) -> float:
        """Train for an epoch, and return the error on the images left."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.partial_fit(X[:TRAIN], y[:TRAIN], classes=range(10))
        self.epochs += 1
        return 1.0 - model.score(X[TRAIN:], y[TRAIN:])


def main(n_trials: int = 30) -> optuna.Study:
    """Tune, and say what it took."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = nb.NeuralSampler("gp", seed=0, resume=True)
    study = optuna.create_study(sampler=sampler, pruner=nb.NeuralPruner())
    with tempfile.TemporaryDirectory() as folder:
        training, began = Training(Path(folder)), time.monotonic()
        study.optimize(training, n_trials=n_trials)
    resumed = sum("neuralbo:resumes" in trial.user_attrs for trial in study.trials)
    print(f"error {study.best_value:.4f} with {study.best_params}")
    print(f"{training.epochs} epochs instead of {n_trials * EPOCHS}, {resumed} trials went on")
    print(f"{time.monotonic() - began:.1f} seconds")
    return study


if __name__ == "__main__":
    main()
