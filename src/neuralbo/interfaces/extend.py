"""Studies whose parameters have wider ranges than before."""

from optuna.distributions import check_distribution_compatibility
from optuna.study import Study

from neuralbo.space import Space

ERROR, EXTEND = "error", "extend"
REMEDY = "Use another study_name or storage, or leave the range as it was."


def check_on_change(on_change: str) -> None:
    """Raise ValueError if it is neither "error" nor "extend"."""
    if on_change not in (ERROR, EXTEND):
        raise ValueError(
            f"on_change must be {ERROR!r} or {EXTEND!r}, which allows wider ranges; got "
            f"{on_change!r}."
        )


def check_extends(study: Study, space: Space) -> None:
    """Check that all values of a study are legal in a space, whose ranges may be wider.

    Raises:
        ValueError: if a parameter is gone or of another kind, or a trial lies outside.
    """
    distributions, name = space.distributions, study.study_name
    for trial in study.get_trials(deepcopy=False):
        for key, old in trial.distributions.items():
            if key not in distributions:
                raise ValueError(
                    f"on_change='extend' allows wider ranges, but the parameter {key!r} of the "
                    f"study {name!r} is gone. {REMEDY}"
                )
            try:
                check_distribution_compatibility(old, distributions[key])
            except ValueError as error:
                raise ValueError(
                    f"on_change='extend' allows wider ranges, but {key} = {old} of the study "
                    f"{name!r} is of another kind now: {error} {REMEDY}"
                ) from None
            problem = space.parameters[key].problem(trial.params[key])
            if problem:
                raise ValueError(
                    f"on_change='extend' allows wider ranges, but trial {trial.number} of the "
                    f"study {name!r} has {key} = {trial.params[key]!r}, which must be {problem} "
                    f"now. {REMEDY}"
                )
