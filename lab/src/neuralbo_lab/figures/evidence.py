"""How much the data weigh in a mixture surrogate, and how much its background."""

from typing import TYPE_CHECKING

from neuralbo.reporting.plots import new_figure

from neuralbo_lab.statistics.arrays import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def evidence_curve(x: Array, alpha: Array, data_x: Array, title: str) -> "Figure":
    """Draw alpha(x), the weight of the data, at rising places, with the observations below it.

    The green curve of Kruse (2022), Figs. 6.2 to 6.8; where it is 1 the background counts for
    nothing, where it is 0 for everything.

    Args:
        x: n rising places.
        alpha: n.
        data_x: where the function was observed.
        title: of the figure.
    """
    figure = new_figure(8, 2.5)
    axes = figure.add_subplot()
    axes.fill_between(x, alpha, 1, color="0.9", linewidth=0, label="background")
    axes.plot(x, alpha, color="tab:green", linewidth=1.6, label="data")
    axes.plot(data_x, 0 * data_x, "|", color="0.2", markersize=10, label="observed")
    axes.set(xlabel="x", ylabel="weight", ylim=(-0.08, 1.05), title=title)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    axes.grid(alpha=0.3)
    return figure  # type: ignore[no-any-return]
