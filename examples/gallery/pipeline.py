"""A pipeline whose parameters depend on its steps.

Which classifier, and then its own parameters: some exist for one choice only. All trials are
modelled together, so what is learnt of the scaling with one classifier counts for the others.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

import neuralbo as nb

X, y = load_wine(return_X_y=True)
SPACE = {
    "scaler": nb.Categorical(["none", "standard", "minmax"]),
    "components": nb.Integer(1, 13),
    "model": nb.Categorical(["svm", "neighbours", "logistic"]),
    "svm C": nb.Real(1e-2, 1e3, log=True, when={"model": ["svm"]}),
    "svm gamma": nb.Real(1e-4, 1.0, log=True, when={"model": ["svm"]}),
    "k": nb.Integer(1, 30, when={"model": ["neighbours"]}),
    "logistic C": nb.Real(1e-3, 1e2, log=True, when={"model": ["logistic"]}),
}


def error(params: dict[str, object]) -> float:
    get = {name: float(str(params[name])) for name in params if name not in ("scaler", "model")}
    scaler = {"none": "passthrough", "standard": StandardScaler(), "minmax": MinMaxScaler()}
    match params["model"]:
        case "svm":
            model = SVC(C=get["svm C"]).set_params(gamma=get["svm gamma"])
        case "neighbours":
            model = KNeighborsClassifier(int(get["k"]))
        case _:
            model = LogisticRegression(C=get["logistic C"], max_iter=2000)
    steps = make_pipeline(scaler[str(params["scaler"])], PCA(int(get["components"])), model)
    return 1.0 - float(np.mean(cross_val_score(steps, X, y, cv=3)))


def main(n_trials: int = 35) -> nb.Result:
    result = nb.minimize(error, SPACE, n_trials=n_trials, study_name="pipeline", seed=0)
    print(f"error {result.best_value:.3f} with {result.best_params}")
    return result


if __name__ == "__main__":
    main()
