"""The frame of the page, and the small pieces of HTML that its sections are made of.

Whatever comes from a study (names, choices, errors) goes through `escape` here or in the drawings;
sections hand over text, never HTML of their own making from it.
"""

from collections.abc import Iterable, Sequence
from html import escape

from neuralbo.reporting.page.svg import short

LONG = 60  # letters of a cell that a column beside others has no room for
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src data:{scripts}">{refresh}
<title>{title}</title>
<style>
:root {{ --ink:#1c2430; --soft:#667085; --line:#e4e7ec; --card:#fff; --page:#f4f6fa;
  --main:#2b62d9; --warm:#e2711d; --bad:#d1344b; --good:#12845a; --dot:#98a2b3; --tint:#eaf1ff; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink:#e6e9ef; --soft:#98a2b3; --line:#2c3442;
  --card:#171c26; --page:#0e121a; --main:#6ea0ff; --warm:#ffa25c; --bad:#ff6b81; --good:#4fd1a1;
  --dot:#667085; --tint:#1b2740; }} }}
* {{ box-sizing:border-box; }}
body {{ font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif; color:var(--ink);
  background:var(--page); margin:0; }}
main {{ max-width:70rem; margin:0 auto; padding:1.5rem 1rem 3rem; }}
h1 {{ font-size:1.7rem; line-height:1.2; margin:.2rem 0; overflow-wrap:anywhere; }}
h2 {{ font-size:1.15rem; margin:0 0 .3rem; }}
h3 {{ font-size:.95rem; margin:.8rem 0 .2rem; }}
p {{ margin:.3rem 0 .7rem; }} .soft {{ color:var(--soft); }} small {{ color:var(--soft); }}
section {{ background:var(--card); border:1px solid var(--line); border-radius:12px;
  padding:1rem 1.15rem; margin:1rem 0; overflow-wrap:anywhere; }}
.tiles {{ display:grid; grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr)); gap:.8rem;
  margin:1rem 0; }}
.tile {{ background:var(--card); border:1px solid var(--line); border-radius:12px;
  padding:.7rem .9rem; }}
.tile b {{ display:block; font-size:1.45rem; line-height:1.25; font-variant-numeric:tabular-nums;
  overflow-wrap:anywhere; }}
.tile span {{ color:var(--soft); font-size:.85rem; }}
.figures {{ display:grid; grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));
  gap:.6rem 1.2rem; }}
.figures.two {{ grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr)); }}
figure {{ margin:0; min-width:0; }} .figures figure {{ max-width:34rem; }}
figcaption {{ color:var(--soft); font-size:.85rem; }}
svg {{ width:100%; height:auto; display:block; }}
svg text {{ fill:var(--soft); font-size:11.5px; }} svg text.name {{ fill:var(--ink); }}
.end {{ text-anchor:end; }} .mid {{ text-anchor:middle; }}
.grid {{ stroke:var(--line); fill:none; }}
.line {{ fill:none; stroke:var(--main); stroke-width:2; stroke-linejoin:round; }}
.line.spread {{ stroke:var(--main); stroke-width:1.4; opacity:.45; }}
.line.warm {{ stroke:var(--warm); }} .line.thin {{ stroke-width:1.2; opacity:.7; }}
.line.plain {{ stroke:var(--dot); stroke-dasharray:5 4; }}
.band {{ fill:var(--main); opacity:.16; }}
.dots {{ fill:none; stroke-linecap:round; stroke-width:4; stroke:var(--dot); opacity:.55; }}
circle.trial {{ fill:var(--dot); opacity:.8; }} circle.start {{ fill:none; stroke:var(--dot); }}
circle.main, circle.scored {{ fill:var(--main); }} circle.failed {{ fill:var(--bad); }}
.dots.main, .dots.scored {{ stroke:var(--main); }}
.dots.failed {{ stroke:var(--bad); opacity:.9; }}
.dots.white {{ stroke:#fff; opacity:.75; stroke-width:3.5; }}
circle.white {{ fill:#fff; opacity:.8; }}
circle.warm {{ fill:var(--warm); }} .dots.warm {{ stroke:var(--warm); }}
circle.best {{ fill:none; stroke:var(--warm); stroke-width:3; }}
.scroll {{ overflow-x:auto; }}
.scroll.tall {{ max-height:34rem; overflow-y:auto; }} .tools {{ margin:.4rem 0; }}
.tools input {{ font:inherit; color:inherit; background:var(--page); padding:.2rem .5rem;
  border:1px solid var(--line); border-radius:6px; }} a {{ color:var(--main); }}
#trials-table th {{ cursor:pointer; position:sticky; top:0; background:var(--card);
  white-space:nowrap; }} #trials-table td {{ white-space:nowrap; overflow:hidden;
  text-overflow:ellipsis; }}
th[aria-sort]::after {{ content:" \\2191"; }}
th[aria-sort=descending]::after {{ content:" \\2193"; }}
table {{ border-collapse:collapse; font-variant-numeric:tabular-nums; width:100%; }}
th, td {{ text-align:left; padding:.28rem .9rem .28rem 0; border-bottom:1px solid var(--line);
  vertical-align:top; overflow-wrap:normal; }}
td {{ max-width:26rem; overflow-wrap:break-word; }}
th {{ color:var(--soft); font-weight:500; font-size:.85rem; }}
td.wide {{ min-width:7rem; width:34%; }}
.bar {{ display:block; height:.7rem; border-radius:4px; background:var(--tint); overflow:hidden;
  position:relative; margin-top:.35rem; }}
.bar i {{ position:absolute; inset:0 auto 0 0; background:var(--main); border-radius:4px; }}
.bar i.light {{ opacity:.4; }} .bar i.bad {{ background:var(--bad); }}
.bar i.worse {{ background:var(--warm); }}
.axis {{ display:block; height:.5rem; margin-top:.5rem; border-radius:4px; background:var(--tint);
  position:relative; }}
.axis i {{ position:absolute; top:-.2rem; width:.3rem; height:.9rem; margin-left:-.15rem;
  border-radius:2px; background:var(--main); }}
.axis i.warm {{ background:var(--warm); }}
ul.hints {{ list-style:none; padding:0; margin:.4rem 0; }}
ul.hints li {{ padding:.5rem .8rem; border-left:4px solid var(--main); background:var(--tint);
  border-radius:0 8px 8px 0; margin:.5rem 0; }}
ul.hints li.stop {{ border-color:var(--good); }} ul.hints li.space {{ border-color:var(--warm); }}
ul.hints li.failures {{ border-color:var(--bad); }}
ul.hints li.model {{ border-color:var(--warm); }}
ul.hints span {{ color:var(--soft); display:block; font-size:.9rem; }}
.key {{ display:inline-block; width:.75rem; height:.75rem; border-radius:3px;
  margin:0 .35rem 0 .9rem; vertical-align:-1px; }}
.strip {{ display:flex; height:1.3rem; border-radius:6px; overflow:hidden; margin:.5rem 0; }}
.strip i {{ display:block; }}
summary {{ cursor:pointer; color:var(--main); }}
pre {{ white-space:pre-wrap; font-size:12px; overflow-wrap:anywhere; }}
code {{ font-size:.92em; }}
footer {{ color:var(--soft); font-size:.85rem; }}
@media (max-width:600px) {{ section {{ padding:.8rem; }} svg.wide {{ overflow:visible; }}
  svg.wide text {{ font-size:18px; }} svg.wide text[transform] {{ display:none; }} }}
@media (max-width:600px) {{ @supports (grid-template-columns:subgrid) {{
  table.under {{ display:block; }}
  table.under tbody {{ display:grid;
    grid-template-columns:minmax(min(12ch,25vw),auto) repeat(calc(var(--columns) - 1),auto); }}
  table.under td:first-child {{ overflow-wrap:anywhere; }}
  table.under tr {{ display:grid; grid-column:1/-1; grid-template-columns:subgrid;
    border-bottom:1px solid var(--line); }}
  table.under th, table.under td {{ border-bottom:0; padding-right:.4rem; }}
  table.under tr > :last-child {{ grid-column:1/-1; }}
  table.under td.wide {{ width:auto; padding:0 .3rem .7rem; }}
  table.under tr > :last-child:empty {{ display:none; }} }} }}
@media print {{ body {{ background:#fff; }} section {{ break-inside:avoid; }} }}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def page(
    title: str,
    parts: Iterable[str],
    *,
    scripts: Sequence[str] = (),
    refresh: float | None = None,
) -> str:
    """Return the whole page, which loads nothing and runs nothing but scripts of ours.

    Args:
        title: of the window.
        parts: HTML.
        scripts: the hashes of the scripts that may run, as in "sha256-...".
        refresh: seconds after which a browser reads the page again.
    """
    allowed = "".join(f" '{known}'" for known in scripts)
    return PAGE.format(
        title=escape(title),
        body="\n".join(parts),
        scripts=f"; script-src{allowed}" if allowed else "",
        refresh="" if refresh is None else f'\n<meta http-equiv="refresh" content="{refresh:g}">',
    )


def section(title: str, *parts: str) -> str:
    """Return a section; its title is ours, its parts are HTML."""
    name = title.lower().replace(" ", "-").replace(",", "")
    body = "\n".join(part for part in parts if part)
    return f'<section id="{escape(name)}">\n<h2>{escape(title)}</h2>\n{body}\n</section>'


def text(words: str, kind: str = "soft") -> str:
    """Return a paragraph."""
    return f'<p class="{kind}">{escape(words)}</p>'


def tiles(pairs: Iterable[tuple[str, str, str]]) -> str:
    """Return large numbers, each with a name above and a remark below."""
    found = [
        f'<div class="tile"><span>{escape(name)}</span><b>{escape(number)}</b>'
        f"<span>{escape(remark)}</span></div>"
        for name, number, remark in pairs
    ]
    return f'<div class="tiles">{"".join(found)}</div>'


def figure(svg: str, caption: str = "") -> str:
    """Return a drawing with a caption."""
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def figures(parts: Iterable[str], kind: str = "") -> str:
    """Return figures side by side where there is room; "two" at most if `kind` says so."""
    return f'<div class="figures {kind}">{"".join(parts)}</div>'


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; cells are text, except those that are `Markup`.

    What is wide, bars and long texts, is in the last column; on a narrow screen it goes under
    its row, as wide as that is.
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines, is_wide = [], False
    for row in rows:
        is_wide = is_wide or isinstance(row[-1], Markup) or len(short(row[-1])) > LONG
        cells = (
            f'<td class="wide">{cell}</td>' if isinstance(cell, Markup)
            else f"<td>{escape(short(cell))}</td>"
            for cell in row
        )  # fmt: skip
        lines.append("<tr>" + "".join(cells) + "</tr>")
    is_wide = is_wide and len(columns) > 2
    kind = f' class="under" style="--columns:{len(columns) - 1}"' if is_wide else ""
    return f'<div class="scroll"><table{kind}><tr>{head}</tr>{"".join(lines)}</table></div>'


class Markup(str):
    """HTML that this module has made."""

    __slots__ = ()


def bar(*parts: tuple[float, str]) -> Markup:
    """Return bars from 0 upwards, the later ones above the earlier; widths are from 0 to 1."""
    inner = "".join(
        f'<i class="{kind}" style="width:{100 * min(max(width, 0.0), 1.0):.1f}%"></i>'
        for width, kind in parts
    )
    return Markup(f'<span class="bar">{inner}</span>')


def axis(*marks: tuple[float, str]) -> Markup:
    """Return a line with marks at places from 0 to 1."""
    inner = "".join(
        f'<i class="{kind}" style="left:{100 * min(max(place, 0.0), 1.0):.1f}%"></i>'
        for place, kind in marks
    )
    return Markup(f'<span class="axis">{inner}</span>')


def more(title: str, inner: str) -> str:
    """Return what is shown when asked for."""
    return f"<details><summary>{escape(title)}</summary>{inner}</details>"


COLOURS = ("#2b62d9", "#e2711d", "#12845a", "#9b51c9", "#c2344f", "#0f8ca8", "#a0801c", "#667085")


def colour(k: int) -> str:
    """Return the k-th colour for things that have names; they come again."""
    return COLOURS[k % len(COLOURS)]


def key(names: Sequence[str]) -> str:
    """Return what the colours stand for."""
    items = (
        f'<span class="key" style="background:{colour(k)}"></span>{escape(name)}'
        for k, name in enumerate(names)
    )
    return f"<p>{''.join(items)}</p>"
