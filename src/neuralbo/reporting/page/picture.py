"""A picture of the page, taken by a browser without a window."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge",
)  # fmt: skip
WIDTH = 1100  # pixels
SECONDS = 120  # a browser that takes longer hangs
NONCE = "measured"
MEASURE = (
    f"<script nonce='{NONCE}'>document.body.dataset.height = "
    "document.documentElement.scrollHeight</script></body>"
)


def browser() -> str | None:
    """Return the path of a browser that can take pictures, or None."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def picture(page: Path, where: Path, width: int = WIDTH) -> Path:
    """Write a PNG of a whole page, as long as it is.

    Raises:
        RuntimeError: there is no browser, or it failed.
    """
    program = browser()
    if program is None:
        raise RuntimeError(
            "a picture needs Chromium or Chrome on the PATH, and there is none; install it (as in "
            f"'apt install chromium'), or open {page} in any browser."
        )
    with tempfile.TemporaryDirectory(prefix="neuralbo-") as folder:
        height = _height(program, page, Path(folder), width)
        where.parent.mkdir(parents=True, exist_ok=True)
        options = [f"--window-size={width},{height}", f"--screenshot={where.resolve()}"]
        where.unlink(missing_ok=True)
        _run(program, [*options, page.resolve().as_uri()], folder)
    if not where.is_file():
        raise RuntimeError(f"{program} took no picture of {page}.")
    return where


def _height(program: str, page: Path, folder: Path, width: int) -> int:
    """Return how long the page is: a copy with a script of ours tells it."""
    text = page.read_text(encoding="utf-8")
    allowed = text.replace("default-src 'none'", f"default-src 'none'; script-src 'nonce-{NONCE}'")
    copy = folder / "page.html"
    copy.write_text(MEASURE.join(allowed.rsplit("</body>", 1)), encoding="utf-8")
    options = [f"--window-size={width},800", "--dump-dom", copy.as_uri()]
    found = re.search(r'<body data-height="(\d+)"', _run(program, options, str(folder)))
    if found is None:
        raise RuntimeError(f"{program} did not tell how long {page} is.")
    return int(found[1])


def _run(program: str, options: list[str], folder: str) -> str:
    always = ["--headless", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/data"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        always.append("--no-sandbox")  # a browser of root refuses to start with it
    try:
        done = subprocess.run(
            [program, *always, *options], capture_output=True, text=True, timeout=SECONDS,
            check=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise RuntimeError(f"{program} could not take the picture: {error}") from error
    return done.stdout
