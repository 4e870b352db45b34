"""Checks the HTML pages of faber in Chromium: drawing, keys, colours, paper.

Usage: run.py FABER [FOLDER]. Writes screenshots and a print to FOLDER. Skipped without Chromium and
chromedriver. Exits with 1 if something fails.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from driver import Browser, programs

WORKSPACE = Path(__file__).resolve().parent.parent.parent
REQUEST = "Add a rule that finds empty tables"
# Maximum time to draw a page, on a busy machine.
MILLISECONDS = 3000
HOSTILE = "# Hostile\n\n</script><script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\">\n"

# Contrast of all shown text with its background (WCAG 2, relative luminance).
CONTRAST = """
const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
const rgba = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data]; };
const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map((c) => { c /= 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }); return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
const behind = (element) => { for (let one = element; one; one = one.parentElement) {
  if (one.tagName === 'rect') break;
  const color = rgba(getComputedStyle(one).backgroundColor); if (color[3] === 255) return color; }
  return rgba(getComputedStyle(document.body).backgroundColor); };
const walker = document.createTreeWalker(document.getElementById('page'), NodeFilter.SHOW_TEXT);
const low = new Set();
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !element.checkVisibility() || ['title', 'OPTION'].includes(element.tagName)) continue;
  const node = element.closest('g.node');
  const front = rgba(node ? getComputedStyle(element).fill : getComputedStyle(element).color);
  const back = node ? rgba(getComputedStyle(node.querySelector('rect')).fill) : behind(element);
  const [a, b] = [light(front), light(back)];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) low.add(`${element.tagName}.${element.getAttribute('class')} ${ratio.toFixed(2)}`);
}
return [...low];
"""
NAMELESS = """
const named = (one) => one.getAttribute('aria-label') || one.textContent.trim() || (one.labels && one.labels.length > 0);
return [...document.querySelectorAll('button, a, input, select, [role=button], [role=region]')]
  .filter((one) => !named(one)).map((one) => one.outerHTML.slice(0, 120));
"""
ROWS = "return [...document.querySelectorAll('#contexts tbody tr')].map((row) => row.dataset.id)"
ACTIVE = "return document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"


class Check:
    """Checks, and what is wrong."""

    def __init__(self):
        self.done = 0
        self.wrong = []

    def __call__(self, what, does, seen=""):
        self.done += 1
        if not does:
            self.wrong.append(f"{what}: {seen}")

    def equal(self, what, seen, expected):
        self(what, seen == expected, f"{seen!r} instead of {expected!r}")


def faber(program, *arguments, cwd=WORKSPACE):
    run = subprocess.run([program, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120)
    if run.returncode != 0:
        raise RuntimeError(f"faber {' '.join(arguments)}: {run.stderr}")
    return run.stdout


def hostile(program, folder):
    """A page of a workspace with scripts in its texts."""
    (folder / ".faber").mkdir(parents=True)
    (folder / "roles/clerk").mkdir(parents=True)
    (folder / "roles/clerk/prompt.md").write_text("# Clerk\n")
    (folder / "contexts/standards").mkdir(parents=True)
    (folder / "contexts/standards/standards-x.md").write_text(HOSTILE)
    faber(program, "explain", "--html", "page.html", "--request", "<b>bold</b></script>", cwd=folder)
    return folder / "page.html"


def quiet(check, browser, what):
    log = [one["message"] for one in browser.log() if one["level"] in ("SEVERE", "WARNING")]
    check(f"{what}: the console", not log, log)


def rendered(check, browser, data, url):
    """All parts are complete."""
    browser.open(url)
    timing = browser.run("const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd")
    check("the time to be drawn", timing < MILLISECONDS, f"{timing} ms")
    quiet(check, browser, "the page")
    candidates, report = data["candidates"], data["report"]
    check.equal("rows", browser.run(ROWS), [one["id"] for one in candidates])
    selected = [one for one in candidates if one["state"] == "selected"]
    count = "return document.querySelectorAll(arguments[0]).length"
    labels = browser.run("return [...document.querySelectorAll('.tile')].map((one) => one.getAttribute('aria-label'))")
    for one in selected:
        check(f"a tile for {one['id']}", any(label.startswith(one["id"] + ",") for label in labels), labels)
    used = {name: tokens for name, tokens in report["context"].items() if name != "total" and tokens > 0}
    used["message"] = report["conversation"]["message"]
    strips = browser.run("return [...document.querySelectorAll('.crumbs button')].map((one) => one.textContent)")
    check.equal("sections", strips, ["all sections", *used])
    check.equal("rows of the budget", browser.run(count, "#budget tbody tr"), 7)
    areas = browser.run("""return [...document.querySelectorAll('.tile')].map((one) =>
      [one.title.match(/: ([\\d\\u202f]+)/)[1].replace(/\\D/g, ''), one.offsetWidth * one.offsetHeight])""")
    total = sum(int(tokens) for tokens, _ in areas)
    check.equal("tokens of all tiles", total, sum(used.values()))
    lines = browser.run(count, "#text .line")
    bundle = faber(sys.argv[1], "assemble", data["role"], "--request", REQUEST)
    check.equal("lines", lines, len(bundle.splitlines()))
    text = browser.run("return [...document.querySelectorAll('#text .says')].map((one) => one.textContent.replace('\\u00a0', '')).join('\\n')")
    check("the text", text.split() == bundle.split())
    nodes = browser.run("return [...document.querySelectorAll('.node')].map((one) => one.dataset.id)")
    check("nodes of what is selected", {one["id"] for one in selected} <= set(nodes), nodes)
    check.equal("controls without a name", browser.run(NAMELESS), [])


def table(check, browser, data):
    """Sorting and filtering, by mouse and keys."""
    tokens = {one["id"]: one["tokens"] for one in data["candidates"]}
    head = "return document.querySelectorAll('#contexts thead th')[3]"
    browser.run(head + ".querySelector('button').focus()")
    browser.press("Enter")
    check.equal("the first order", browser.run(head + ".getAttribute('aria-sort')"), "descending")
    rows = browser.run(ROWS)
    check.equal("rows by tokens", [tokens[row] for row in rows], sorted(tokens.values(), reverse=True))
    browser.run(head + ".querySelector('button').click()")
    check.equal("the second order", browser.run(head + ".getAttribute('aria-sort')"), "ascending")
    check.equal("rows the other way", [tokens[row] for row in browser.run(ROWS)], sorted(tokens.values()))
    browser.run("document.getElementById('contexts-search').focus()")
    browser.press(*"tests")
    found = browser.run(ROWS)
    check("rows that are found", 0 < len(found) < len(rows) and "standard/tests" in found, found)
    browser.run("""const input = document.getElementById('contexts-search'); input.value = ''; input.dispatchEvent(new Event('input'));
      const state = document.getElementById('contexts-state'); state.value = 'selected'; state.dispatchEvent(new Event('change'))""")
    selected = [one["id"] for one in data["candidates"] if one["state"] == "selected"]
    check.equal("rows of a state", sorted(browser.run(ROWS)), sorted(selected))
    status = browser.run("return document.querySelector('#contexts .status').textContent")
    check.equal("what is said of it", status, f"{len(selected)} of {len(tokens)} rows")
    browser.run("document.querySelector('#contexts .fold').focus()")
    browser.press("Enter")
    more = browser.run("return document.querySelector('#contexts .more').textContent")
    check("an unfolded row", "Reasons" in more and "Packing" in more, more)
    check.equal("its button", browser.run("return document.activeElement.getAttribute('aria-expanded')"), "true")


CHOOSE = "const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'))"


def maps(check, browser, program, page):
    """Cut contexts, and colours."""
    asked = ["explain", "--role", "rust-engineer", "--request", REQUEST, "--budget", "4000"]
    faber(program, *asked, "--html", str(page))
    data = json.loads(faber(program, *asked, "--json"))
    browser.open(page.as_uri())
    names = "return [...document.querySelectorAll('.tile')].map((one) => one.getAttribute('aria-label').split(', ')[0])"
    styles = "return [...new Set([...document.querySelectorAll('.tile')].map((one) => one.className.split(' ')[1].split('-')[0]))].sort()"
    check("colours of reasons", "reason" in browser.run(styles), browser.run(styles))
    browser.run(CHOOSE, "map-colour", "relevance")
    check("colours of relevance", "relevance" in browser.run(styles), browser.run(styles))
    browser.run(CHOOSE, "map-view", "cut")
    cut = [one["id"] for one in data["candidates"] if one["full_tokens"] and (
        one["state"] == "excluded" or (one["state"] == "catalogued" and one["reasons"])
        or (one["state"] == "selected" and one["level"] != "detailed" and one["full_tokens"] > one["tokens"]))]
    check("something is cut", len(cut) > 0)
    check.equal("tiles of what was cut", sorted(browser.run(names)), sorted(cut))
    quiet(check, browser, "maps")


def groups(check, browser, program, folder):
    """A graph of many contexts, in groups."""
    (folder / ".faber").mkdir(parents=True)
    (folder / "roles/clerk").mkdir(parents=True)
    (folder / "roles/clerk/prompt.md").write_text("# Clerk\n")
    (folder / "contexts/playbooks").mkdir(parents=True)
    for number in range(50):
        (folder / f"contexts/playbooks/playbook-p{number}.md").write_text(f"See playbook-p{number + 1}.md, maybe.\n")
    faber(program, "graph", "--format", "html", "-o", "graph.html", cwd=folder)
    browser.open((folder / "graph.html").as_uri())
    nodes = "return [...document.querySelectorAll('.node')].map((one) => one.dataset.id)"
    check.equal("a folded graph", browser.run(nodes), ["role:clerk", "group:playbook"])
    browser.run("document.querySelector('.node.kind-group').focus()")
    browser.press("Enter")
    check.equal("an unfolded group", len(browser.run(nodes)), 52)
    check.equal("what has the focus", browser.run("return document.activeElement.getAttribute('aria-expanded')"), "true")
    browser.press("Enter")
    check.equal("a group that is folded again", len(browser.run(nodes)), 2)
    browser.run(CHOOSE, "graph-groups", "nothing")
    check.equal("a graph without groups", len(browser.run(nodes)), 51)
    quiet(check, browser, "groups")


def keys(check, browser):
    """Treemap and graph by keys alone."""
    browser.run("document.querySelector('.tile[tabindex=\"0\"]').focus()")
    first = browser.run(ACTIVE)
    browser.press("Right")
    second = browser.run(ACTIVE)
    check("the next tile", first != second, second)
    detail = browser.run("return document.querySelector('#map .detail').textContent")
    check("what is told of a tile", detail.startswith(second.split(",")[0]), detail)
    check.equal("tiles to go to by Tab", browser.run("return document.querySelectorAll('.tile[tabindex=\"0\"]').length"), 1)
    browser.run("document.querySelector('.strip').focus()")
    browser.press("Enter")
    zoomed = browser.run("return new Set([...document.querySelectorAll('.tile')].map((one) => one.getAttribute('aria-label').split(', ')[1])).size")
    check.equal("sections after zooming in", zoomed, 1)
    check("the focus after zooming in", browser.run("return document.activeElement.classList.contains('tile')"))
    browser.press("Escape")
    check("sections after zooming out", browser.run("return document.querySelectorAll('.strip').length") > 1)
    browser.run("document.getElementById('graph-search').focus()")
    browser.press(*"standard/tests", "Enter")
    check.equal("the node that was found", browser.run("return document.activeElement.dataset.id"), "standard/tests")
    browser.press("Shift+Tab", "Enter")
    check("its neighbour", browser.run("return document.querySelector('.node.focus').dataset.id") != "standard/tests")
    browser.run("document.querySelector('.theme').focus()")
    browser.press("Tab")
    check.equal("the ring around what has the focus", browser.run("return getComputedStyle(document.activeElement).outlineStyle"), "solid")


def looks(check, browser, url, folder):
    """Both schemes, a narrow screen, and paper."""
    for scheme in ("light", "dark"):
        browser.media(prefers_color_scheme=scheme)
        browser.open(url)
        browser.run("for (const one of document.querySelectorAll('.fold')) if (one.closest('tr').rowIndex < 4) one.click()")
        check.equal(f"text that is hard to read, {scheme}", browser.run(CONTRAST), [])
        if folder:
            browser.picture(folder / f"{scheme}.png", whole=True)
    paper = browser.run("return getComputedStyle(document.body).backgroundColor")
    browser.run("document.querySelector('.theme').click()")
    check("a scheme that was chosen", paper != browser.run("return getComputedStyle(document.body).backgroundColor"), paper)
    browser.media(prefers_color_scheme="light")
    browser.size(390, 844)
    browser.open(url)
    check.equal("the width on a narrow screen", browser.run("return document.documentElement.scrollWidth"), 390)
    if folder:
        browser.picture(folder / "narrow.png", whole=True)
    browser.size(1280, 900)
    browser.media("print")
    browser.open(url)
    hidden = "return ['nav', '.theme', '.controls'].filter((one) => document.querySelector(one).checkVisibility())"
    check.equal("what is not for paper", browser.run(hidden), [])
    check("tables and bars on paper", browser.run("return ['.stack', '#contexts table', '.tile', '.line', '.node'].every((one) => document.querySelector(one).checkVisibility())"))
    if folder:
        browser.paper(folder / "paper.pdf")
    browser.media()
    quiet(check, browser, "screens and paper")


def graph_alone(check, browser, program, folder):
    page = folder / "graph.html"
    faber(program, "graph", "--format", "html", "-o", str(page))
    graph = json.loads(faber(program, "graph", "--format", "json"))
    browser.open(page.as_uri())
    rows = browser.run("return document.querySelectorAll('#nodes tbody tr').length")
    check.equal("rows of nodes", rows, len(graph["nodes"]))
    browser.run("document.querySelector('#nodes tbody .link').click()")
    check("a node from the table", browser.run("return document.querySelector('.node.focus') !== null"))
    quiet(check, browser, "the graph alone")


def main():
    program = str(Path(sys.argv[1]).resolve())
    shots = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    found = programs()
    if not found:
        print("skipped: there is no Chromium with chromedriver here")
        return
    check = Check()
    with tempfile.TemporaryDirectory(prefix="faber-pages-") as folder:
        folder = Path(folder)
        page = folder / "page.html"
        asked = ["explain", "--role", "rust-engineer", "--request", REQUEST]
        faber(program, *asked, "--html", str(page))
        data = json.loads(faber(program, *asked, "--json"))
        # Root cannot have a sandbox; only pages of this test are opened.
        sandboxed = os.name != "posix" or os.geteuid() != 0
        with Browser(found, sandboxed) as browser:
            browser.size(1280, 900)
            rendered(check, browser, data, page.as_uri())
            table(check, browser, data)
            keys(check, browser)
            maps(check, browser, program, folder / "small.html")
            looks(check, browser, page.as_uri(), shots)
            graph_alone(check, browser, program, folder)
            groups(check, browser, program, folder / "groups")
            browser.open(hostile(program, folder / "hostile").as_uri())
            check.equal("the title of a hostile page", browser.run("return document.title"), "clerk – faber")
            check("its text", browser.run("return document.querySelector('#text').textContent.includes('</script><script>')"))
            quiet(check, browser, "a hostile page")
    for one in check.wrong:
        print(one, file=sys.stderr)
    print(f"pages in a browser: {check.done - len(check.wrong)} of {check.done} checks pass")
    sys.exit(1 if check.wrong else 0)


if __name__ == "__main__":
    main()
