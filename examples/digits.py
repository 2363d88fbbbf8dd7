"""Tune a classifier of handwritten digits: which model, and how regularized?

    neuralbo run examples/digits.py --trials 30

Scikit-learn's digits, 3-fold cross-validation on 900 of the images, the share of errors is
minimized. The space is mixed: a real number on a logarithmic axis, an integer, a category, and
one parameter that exists for one choice of the category only.
"""

import optuna
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_digits(return_X_y=True)
X, y = X[:900], y[:900]


def objective(trial: optuna.Trial) -> float:
    kernel = trial.suggest_categorical("kernel", ["rbf", "linear", "sigmoid"])
    regularization = trial.suggest_float("C", 1e-3, 1e3, log=True)
    components = trial.suggest_int("components", 2, 60)
    gamma = trial.suggest_float("gamma", 1e-5, 1.0, log=True) if kernel == "rbf" else "scale"
    model = make_pipeline(
        StandardScaler(),
        PCA(components, random_state=0),
        SVC(C=regularization, kernel=kernel, gamma=gamma),
    )
    return 1.0 - cross_val_score(model, X, y, cv=3).mean()
