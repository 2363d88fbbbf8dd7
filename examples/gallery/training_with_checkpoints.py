"""A PyTorch training that goes on from its checkpoints.

A trial that was stopped keeps its weights. When its expected improvement, for the cost of what is
left of it, is above that of a new trial, `resume=True` lets it go on from there.
"""

import tempfile
from pathlib import Path

import optuna
import torch
from torch import nn

import neuralbo as nb

EPOCHS = 10
FOLDER = Path(tempfile.mkdtemp())


def spirals(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return points of two spirals, and which one each belongs to."""
    rng = torch.Generator().manual_seed(seed)
    label = torch.arange(n) % 2
    turn = torch.rand(n, generator=rng).sqrt() * 6
    angle = turn + torch.pi * label
    X = torch.stack([turn * angle.cos(), turn * angle.sin()], -1)
    return X / 3 + 0.05 * torch.randn(n, 2, generator=rng), label


X, y = spirals(400, 0)
X_valid, y_valid = spirals(400, 1)


def objective(trial: optuna.Trial) -> float:
    rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
    width = trial.suggest_int("width", 4, 64, log=True)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(),
                        nn.Linear(width, 2))  # fmt: skip
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    old, first, error = nb.resumed(trial), 0, 1.0
    if old is not None:
        first = old.step + 1
        saved = torch.load(old.checkpoint, weights_only=True)
        net.load_state_dict(saved["net"])
        optimizer.load_state_dict(saved["optimizer"])
    for epoch in range(first, EPOCHS):
        for batch in torch.randperm(len(X)).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(X[batch]), y[batch]).backward()
            optimizer.step()
        error = float((net(X_valid).argmax(-1) != y_valid).double().mean())
        trial.report(error, epoch)
        if trial.should_prune():
            path = FOLDER / f"{trial.number}.pt"
            torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, path)
            trial.set_user_attr("checkpoint", str(path))
            raise optuna.TrialPruned
    return error


def main(n_trials: int = 24) -> optuna.Study:
    study = optuna.create_study(
        sampler=nb.NeuralSampler("gp", seed=0, resume=True), pruner=nb.NeuralPruner(),
        study_name="training",
    )  # fmt: skip
    study.optimize(objective, n_trials=n_trials)
    gone_on = sum("neuralbo:resumes" in trial.user_attrs for trial in study.trials)
    stopped = sum(trial.state == optuna.trial.TrialState.PRUNED for trial in study.trials)
    print(f"best error {study.best_value:.4f} with {study.best_params}")
    print(f"{stopped} trials were stopped, {gone_on} went on from a checkpoint")
    return study


if __name__ == "__main__":
    main()
