"""Figures of studies; they need the extra `lab` (matplotlib)."""

from typing import TYPE_CHECKING, Any

from neuralbo.study import best_so_far, finished

MANY_TIMES = 10  # from this ratio of the largest to the least value on, the axis is logarithmic

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from optuna.study import Study


def new_figure(width: float = 8, height: float = 4.5) -> Any:
    """Return an empty figure of that many inches, of no window and no global state.

    Raises:
        ImportError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib; install it with: pip install 'neuralbo[lab]'"
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def convergence(study: "Study") -> "Figure":
    """Draw the value of each trial and the best so far; failed trials are marked below."""
    figure = new_figure()
    axes = figure.add_subplot()
    trials = finished(study)
    done = [(i, t.value) for i, t in enumerate(trials, 1) if t.state.name == "COMPLETE"]
    values = [(i, value) for i, value in done if value is not None]
    failed = [i for i, t in enumerate(trials, 1) if t.state.name == "FAIL"]
    if values:
        axes.plot(*zip(*values, strict=True), "o", color="0.6", markersize=4, label="trial")
        path = best_so_far(study)
        axes.step(
            range(1, len(path) + 1), path, where="post", color="tab:blue", linewidth=2,
            label=f"best so far: {study.best_value:.6g}",
        )  # fmt: skip
    numbers = [value for _, value in values]
    if values and min(numbers) > 0 and max(numbers) > MANY_TIMES * min(numbers):
        axes.set_yscale("log")
    if failed:
        low = axes.get_ylim()[0]
        axes.plot(failed, [low] * len(failed), "x", color="tab:red", label="failed", clip_on=False)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set(xlabel="trial", ylabel="value", title=study.study_name)
    if values or failed:
        axes.legend()
    axes.grid(alpha=0.3)
    return figure  # type: ignore[no-any-return]
