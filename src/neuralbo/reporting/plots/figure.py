"""An empty figure, and the axes that parameters have."""

from typing import TYPE_CHECKING, Any

from neuralbo.space import Categorical

if TYPE_CHECKING:
    from neuralbo.reporting.analysis import Landscape

DOT, LINE, MARK, BAD = "0.6", "tab:blue", "tab:orange", "tab:red"


def new_figure(width: float = 8, height: float = 4.5) -> Any:
    """Return an empty figure of that many inches, of no window and no global state.

    Raises:
        ImportError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib; install it with: pip install 'neuralbo[plots]'"
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def panels(count: int, *, width: float = 3.6, height: float = 3.0) -> tuple[Any, list[Any]]:
    """Return a figure with so many panels, three in a row at most."""
    columns = min(max(count, 1), 3)
    rows = -(-max(count, 1) // columns)
    figure = new_figure(width * columns, height * rows)
    return figure, [figure.add_subplot(rows, columns, k + 1) for k in range(count)]


def set_axis(axis: Any, axes: Any, found: "Landscape", i: int) -> None:
    """Let an axis of a panel be that of a parameter: its scale, its choices, its name.

    Args:
        axis: "x" or "y".
        axes: the panel.
        found: the model whose space has the parameter.
        i: which one.
    """
    name = found.space.names[i]
    parameter = found.space.parameters[name]
    getattr(axes, f"set_{axis}label")(text(name))
    if isinstance(parameter, Categorical):
        choices = [text(str(choice)) for choice in parameter.choices]
        getattr(axes, f"set_{axis}ticks")(range(len(choices)), choices)
    elif parameter.log:
        getattr(axes, f"set_{axis}scale")("log")


def text(words: str) -> str:
    """Return words such that matplotlib takes no dollar in them for mathematics."""
    return words.replace("$", r"\$")
