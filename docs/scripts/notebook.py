"""Run a notebook without Jupyter: its cells in order, and what the last line of each shows."""

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any


def run(path: Path) -> dict[str, Any]:
    """Return the notebook of a file with the outputs of its cells."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            cell["outputs"] = _outputs("".join(cell["source"]), names, count)
    return notebook


def _outputs(code: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run a cell; returns what it prints, and the value of its last line as Jupyter keeps it."""
    tree, said, value = ast.parse(code), io.StringIO(), None
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    found: list[dict[str, Any]] = []
    if said.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": said.getvalue()})
    if value is not None:
        data = {"text/plain": repr(value)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_()
        found.append(
            {
                "data": data, "execution_count": count, "metadata": {},
                "output_type": "execute_result",
            }
        )  # fmt: skip
    return found


def write(path: Path) -> None:
    """Run a notebook and keep its outputs in it."""
    text = json.dumps(run(path), indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def markdown(path: Path) -> str:
    """Return a notebook, as it is kept, as a page."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "text/html" in data:
                parts.append(data["text/html"])
            else:
                parts.append(
                    f"```text\n{output.get('text', data.get('text/plain', '')).strip()}\n```"
                )
    return "\n\n".join(parts) + "\n"
