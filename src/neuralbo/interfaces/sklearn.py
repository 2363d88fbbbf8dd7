"""NeuralSearchCV: hyper-parameters of a scikit-learn estimator; needs the extra `lab`."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np

# scikit-learn's own searches derive from this class and override `_run_search`; it gives
# cv_results_, refit, scoring and the rest their usual meaning.
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state

from neuralbo.errors import FailedTrialWarning
from neuralbo.interfaces.costs import SECONDS
from neuralbo.interfaces.optimizer import Optimizer
from neuralbo.interfaces.sklearn_space import SearchSpace

LEAST_SECONDS = 1e-6  # of a candidate: a cost is above 0
ALL_FAILED = "fits failed"  # in the message of scikit-learn when no fold of a batch has a score


@final
class NeuralSearchCV(BaseSearchCV):  # type: ignore[misc]
    """Search the parameters of an estimator with a surrogate, scored by cross-validation.

    Used like scikit-learn's `GridSearchCV`: after `fit` there are `best_params_`, `best_score_`,
    `best_estimator_` and `cv_results_`, and `optimizer_` with the model of the scores. Candidates
    of which no fold has a score are failures: they are avoided later, and are not in
    `cv_results_`.

    Args:
        estimator: what is fitted.
        param_space: `Real`, `Integer` or `Categorical` by name, as in {"svc__C": Real(1e-3, 1e3,
            log=True)}. A list has choices, which may be tuples, estimators or None. Ranges may
            also be written as in scikit-optimize, (1e-3, 1e3, "log-uniform"), or as frozen
            distributions of `scipy.stats` or Optuna's.
        n_iter: candidates to try.
        constraints: what all candidates satisfy, as of `minimize`; names are those of param_space,
            and functions get the values that the estimator gets.
        n_points: candidates that are chosen at a time, and with `n_jobs` scored side by side.
        surrogate: the model, a name of the catalog or a recipe; so are criterion and maximizer.
        guesses: candidates that are tried first, dictionaries of parameters by name.
        fixed: parameters that keep a value, likewise.
        cost: "seconds", those of fitting and scoring, or a function of the parameters: then
            candidates are chosen by gain per cost, less so at the end.
        random_state: equal ones give equal searches.
        scoring: as everywhere in scikit-learn, and so are the others. Of several scores `refit`
            names the one that is searched.
    """

    def __init__(  # noqa: PLR0913
        self,
        estimator: Any,
        param_space: Mapping[str, Any],
        *,
        n_iter: int = 50,
        n_points: int = 1,
        surrogate: Any = "auto",
        criterion: Any = None,
        maximizer: Any = None,
        guesses: Any = (),
        fixed: Any = None,
        cost: Any = None,
        random_state: Any = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        constraints: Any = (),
    ) -> None:
        self.param_space = param_space
        self.n_iter, self.n_points = n_iter, n_points
        self.surrogate, self.criterion, self.maximizer = surrogate, criterion, maximizer
        self.guesses, self.fixed, self.cost = guesses, fixed, cost
        self.random_state, self.constraints = random_state, constraints
        super().__init__(
            estimator=estimator, scoring=scoring, n_jobs=n_jobs, refit=refit, cv=cv,
            verbose=verbose, pre_dispatch=pre_dispatch, error_score=error_score,
            return_train_score=return_train_score,
        )  # fmt: skip

    def _run_search(self, evaluate_candidates: Callable[..., Any]) -> None:
        """Ask, score and tell until there are `n_iter` candidates."""
        if self.n_iter < 1 or self.n_points < 1:
            raise ValueError(
                f"n_iter and n_points must be at least 1, got {self.n_iter} and {self.n_points}."
            )
        search_space = SearchSpace(self.param_space, self.constraints)
        optimizer = self._optimizer(search_space)
        tried, has_score, error = 0, False, None
        scores: list[float | None]
        seconds: list[float | None]
        while tried < self.n_iter:
            suggested = optimizer.ask(min(self.n_points, self.n_iter - tried))
            tried += len(suggested)
            candidates = [search_space.values(params) for params in suggested]
            try:
                results = evaluate_candidates(candidates)
            except ValueError as failure:
                if self.error_score == "raise" or ALL_FAILED not in str(failure):
                    raise
                error = failure
                scores, seconds = [None] * len(suggested), [None] * len(suggested)
                _warn(candidates)
            else:
                has_score, seconds = True, self._seconds(results, len(suggested))
                scores = [float(s) for s in results[self._score_name(results)][-len(suggested) :]]
            optimizer.tell(suggested, scores, cost=seconds)
        if error is not None and not has_score:
            raise error
        self.optimizer_ = optimizer

    def _optimizer(self, known: SearchSpace) -> Optimizer:
        cost = self.cost
        if callable(cost):

            def cost(params: dict[str, Any]) -> float:
                found: float = self.cost(known.values(params))
                return found

        guesses = self.guesses
        if isinstance(guesses, list | tuple):
            guesses = [known.searched(guess) for guess in guesses]
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        return Optimizer(
            known.space, direction="maximize", surrogate=self.surrogate,
            criterion=self.criterion, maximizer=self.maximizer, seed=seed, n_trials=self.n_iter,
            guesses=guesses, fixed=known.searched(self.fixed),
            cost="told" if cost == SECONDS else cost,
        )  # fmt: skip

    def _seconds(self, results: Mapping[str, Any], n: int) -> list[float | None]:
        """Return how long the last n candidates took, if that is their cost."""
        if self.cost != SECONDS:
            return [None] * n
        both = zip(results["mean_fit_time"], results["mean_score_time"], strict=True)
        return [max(float(fit + score), LEAST_SECONDS) for fit, score in list(both)[-n:]]

    def _score_name(self, results: Mapping[str, Any]) -> str:
        """Return the column of the score that is searched."""
        name = "mean_test_score" if "mean_test_score" in results else f"mean_test_{self.refit}"
        if name not in results:
            raise ValueError(
                "of several scores refit= must name the one that is searched, got "
                f"refit={self.refit!r}."
            )
        return name


def _warn(candidates: list[dict[str, Any]]) -> None:
    warnings.warn(
        f"no fold of {candidates} could be fitted and scored; "
        "error_score='raise' shows why. The neighbourhood is avoided.",
        FailedTrialWarning,
        stacklevel=2,
    )
