# SPDX-License-Identifier: MIT
#
# Both lives of ff-svg's pictures in a real browser. check.py CHROMIUM FOLDER [PICTURES]: FOLDER holds what run.sh
# made; PICTURES takes pictures of the pages, for people to look at. Ends with "N passed, N failed, N skipped".
import http.server
import os
import sys
import threading

from devtools import Browser

PASSED, FAILED = [], []
HELPERS = """
window.q = (s) => document.querySelector(s);
window.all = (s) => Array.from(document.querySelectorAll(s));
window.line = () => q('output.line').textContent;
window.names = () => all('.stage text').map((t) => t.textContent);
window.rowOf = (name) => { const t = all('.stage text').find((t) => t.textContent === name); return t ? Number(t.getAttribute('y')) : -1; };
window.xOf = (name) => Number(all('.stage text').find((t) => t.textContent === name).getAttribute('x'));
window.middle = (e) => { e.scrollIntoView({ block: 'center' }); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
window.find = (name) => middle(all('.stage text').filter((t) => t.textContent === name).sort((a, b) => b.getAttribute('y') - a.getAttribute('y'))[0]);
window.active = () => document.activeElement || document.documentElement;
window.button = (label) => all('button').find((b) => b.getAttribute('aria-label').startsWith(label));
window.ring = () => all('.stage rect[role=treeitem]').find((r) => r.getAttribute('display') !== 'none');
window.pick = (label, text) => { const s = all('select').find((s) => s.getAttribute('aria-label') === label);
  s.value = Array.from(s.options).find((o) => o.textContent.startsWith(text)).value; s.dispatchEvent(new Event('change')); };
window.share = () => all('output')[0].textContent;
window.pause = (ms) => new Promise((done) => setTimeout(done, ms));
true
"""


def check(what, got, expected=True):
    if got == expected:
        PASSED.append(what)
    else:
        FAILED.append(what)
        print("%s: found %r, expected %r" % (what, got, expected), file=sys.stderr)


def contains(what, text, part):
    check(what if part in str(text) else "%s: in %r" % (what, str(text)[:300]), part in str(text))


class Page:
    def __init__(self, browser, folder):
        self.browser, self.folder = browser, folder

    def live(self, name, fragment=""):
        self.browser.open("file://" + os.path.join(self.folder, name) + fragment)
        if not self.browser.until("document.documentElement.getAttribute('data-live') === '1'"):
            check(name + " comes to life", False)
        self.browser.ask(HELPERS)

    def click(self, name):
        self.browser.click(*self.browser.ask("find(%r)" % name))

    def button(self, label):
        self.browser.click(*self.browser.ask("middle(button(%r))" % label))

    def search(self, text):
        self.browser.ask("q('input').focus(); q('input').select()")
        self.browser.type(text)
        return self.browser.ask("share()")

    def quiet(self, what):
        check(what + ": no complaint", self.browser.complaints(), [])
        check(what + ": nothing from outside", [url for url in self.browser.requests() if not url.startswith("file:")], [])


# small.svg: main;a;b 50, main;a;c 30, main;a;b;a 10, other;b 10 (100 samples).
def check_zoom(page):
    browser = page.browser
    page.live("small.svg")
    check("names of the first view", sorted(set(browser.ask("names()"))), ["a", "all", "b", "c", "main", "other"])
    check("static boxes are gone", browser.ask("getComputedStyle(q('.boxes')).display"), "none")
    page.click("c")
    contains("click zooms", browser.ask("line()"), "c \u00b7 total 30 samples (30.00 %)")
    check("breadcrumbs", browser.ask("all('[aria-label^=Where] button').map((b) => b.textContent)"), ["all", "main", "a", "c"])
    check("the zoomed box is as wide as the view", browser.ask("Number(ring().getAttribute('width'))") > 1100)
    contains("zoom in the fragment", browser.ask("pause(300).then(() => location.hash)"), "z=")
    browser.ask("all('[aria-label^=Where] button')[1].click()")
    contains("a crumb unzooms", browser.ask("line()"), "main \u00b7 total 90 samples (90.00 %)")
    browser.key("Escape")
    contains("Escape unzooms", browser.ask("line()"), "all \u00b7 total 100 samples")
    check("no crumbs at the top", browser.ask("q('[aria-label^=Where]').style.visibility"), "hidden")
    page.quiet("zoom")


def check_pan(page):
    browser = page.browser
    page.live("small.svg")
    page.click("c")
    x, y = browser.ask("find('c')")
    browser.mouse("mousePressed", x, y, "left", buttons=1)
    browser.mouse("mouseMoved", x + 300, y, "left", buttons=1)
    browser.mouse("mouseReleased", x + 300, y, "left")
    check("dragging pans", "b" in browser.ask("names()"))
    contains("window in the fragment", browser.ask("pause(300).then(() => location.hash)"), "w=")
    fragment = browser.ask("location.hash")
    browser.key("Escape")
    check("Escape ends panning", browser.ask("names()").count("b"), 0)
    browser.key("ArrowRight", 8)
    check("Shift and arrow pan", "other" in browser.ask("names()"))
    browser.key("-")
    browser.key("-")
    check("- widens", "b" in browser.ask("names()"))
    page.live("small.svg", fragment)
    check("a link leads to the panned view", "b" in browser.ask("names()") and "c" in browser.ask("names()"))
    page.quiet("pan")


def check_search(page):
    browser = page.browser
    page.live("small.svg")
    check("substring; each sample once", page.search("b"), "2 hits, 70.00 %")
    check("hits are marked", browser.ask("all('.stage path.hits').length"), 1)
    check("expression", page.search("/^[bc]$/"), "3 hits, 100.00 %")
    check("not", page.search("!b"), "1 hit, 30.00 %")
    check("NOT in words", page.search("NOT /^(b|main)$/"), "0 hits, 0.00 %")
    check("case is not respected", page.search("MAIN"), "1 hit, 90.00 %")
    page.button("Respect case")
    check("case is respected", browser.ask("share()"), "0 hits, 0.00 %")
    page.button("Respect case")
    check("a wrong expression says so", page.search("/(/"), "no regular expression")
    check("nothing matches", page.search("nowhere"), "0 hits, 0.00 %")
    page.search("b")
    seen = []
    for _ in range(4):
        browser.key("Enter")
        seen.append(browser.ask("ring().getAttribute('aria-label')").split(" (")[0])
    check("next hits, round and round", seen, ["b \u00b7 total 60 samples", "b \u00b7 total 10 samples"] * 2)
    page.button("Previous hit")
    page.button("Next hit")
    page.click("main")
    check("share of the zoomed", browser.ask("share()"), "2 hits, 66.67 % of the zoomed")
    browser.key("Escape")
    check("Escape ends the search", browser.ask("q('input').value + share()"), "")
    browser.key("f", 2)
    check("Ctrl-F opens the search", browser.ask("active() === q('input')"))
    page.quiet("search")


def check_orders(page):
    browser = page.browser
    page.live("small.svg")
    check("callers below", browser.ask("rowOf('main') > rowOf('a')"))
    page.button("Callers on top")
    check("icicle: callers on top", browser.ask("rowOf('main') < rowOf('a')"))
    contains("icicle in the fragment", browser.ask("pause(300).then(() => location.hash)"), "icicle=1")
    page.button("Callers on top")
    check("by name b is left of c", browser.ask("xOf('b') < xOf('c')"))
    page.live("order.svg")
    check("by name", browser.ask("xOf('x') < xOf('y')"))
    page.button("Largest first")
    check("by weight", browser.ask("xOf('y') < xOf('x')"))
    page.live("small.svg")
    page.button("Callers of the leaf")
    page.click("b")
    contains("inverted: what ends in b", browser.ask("line()"), "b \u00b7 total 60 samples (60.00 %) \u00b7 self 0")
    check("inverted: its callers", sorted(set(browser.ask("names()"))), ["a", "all", "b", "main", "other"])
    page.quiet("orders")


def check_sandwich(page):
    browser = page.browser
    page.live("small.svg")
    page.click("b")
    page.button("Callers and callees")
    names = browser.ask("names()")
    check("sandwich: callers and callees of b", sorted(set(names)), ["a", "b", "main", "other"])
    contains("sandwich: each sample once", browser.ask("line()"), "b \u00b7 total 70 samples (100.00 %) \u00b7 self 60")
    check("sandwich: callers above", browser.ask("rowOf('main') < rowOf('b')"))
    fragment = browser.ask("pause(300).then(() => location.hash)")
    contains("sandwich in the fragment", fragment, "sandwich=b")
    page.live("small.svg", fragment)
    contains("a link leads to the sandwich", browser.ask("line()"), "total 70 samples")
    browser.key("s")
    contains("S ends it", browser.ask("line()"), "all \u00b7 total 100 samples")
    page.quiet("sandwich")


# launch.svg: examples/launch-queue with its py-spy file: threads, roles, buckets, two events.
def check_filters(page):
    browser, total = page.browser, lambda: browser.ask("line()").split("total ")[1].split(" samples")[0]
    page.live("launch.svg")
    expected = dict(line.split("\t") for line in open(os.path.join(page.folder, "expected.txt"), encoding="utf-8").read().splitlines())
    check("all samples", total(), expected["all"])
    for label, key, none in (("Thread", "thread", "all threads"), ("Role", "role", "all roles"), ("Bucket", "bucket", "all buckets")):
        name, count = expected[key].rsplit(" ", 1)
        browser.ask("pick(%r, %r)" % (label, name))
        check("filter by " + key, total(), count)
        contains(key + " in the fragment", browser.ask("pause(300).then(() => location.hash)"), key + "=")
        browser.ask("pick(%r, %r)" % (label, none))
        check("no filter by " + key, total(), expected["all"])
    browser.ask("pick('Event', 'samples')")
    check("another event", total(), expected["spy"])
    browser.ask("pick('Event', 'cpu-clock')")
    browser.ask("button('The event').click()")
    contains("weights", browser.ask("line()"), " ns (100.00 %)")
    browser.ask("button('The event').click(); q('.key').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    check("the legend picks a colour", browser.ask("all('.stage path[fill-opacity]').length"), 1)
    page.quiet("filters")
    page.live("how.svg")
    check("inferred frames are hatched", browser.ask("all('.stage path[fill^=url]').length"), 1)
    browser.ask("pick('How frames are known', 'conditional')")
    check("filter by merge class", total(), "50")
    page.click("bb")
    contains("how a frame is known is told", browser.ask("line()"), "\u00b7 conditional")
    page.quiet("merge class")


def check_difference(page):
    browser = page.browser
    page.live("two.svg")
    browser.ask("pick('Compare with', 'samples \u00b7 before')" if browser.ask("line()").startswith("all") else "0")
    page.click("c")
    contains("both shares are told", browser.ask("line()"), "compared: 10.00 % \u2192 60.00 %")
    browser.key("Escape")
    check("grown is red", browser.ask("all('.stage path').some((p) => /^rgb\\(240,1/.test(p.getAttribute('fill')))"))
    check("shrunk is blue", browser.ask("all('.stage path').some((p) => /245\\)$/.test(p.getAttribute('fill')))"))
    page.quiet("difference")


# Each sample is in one window: the two halves of the time hold all of them, and none twice.
def check_timeline(page):
    browser, total = page.browser, lambda: int(browser.ask("line()").split("total ")[1].split(" samples")[0].replace(",", ""))
    page.live("time.svg")
    whole, end = total(), browser.ask("q('[aria-label=\"To second\"]').value")
    halves = []
    for first, last in (("0", "2"), ("2", end)):
        browser.ask("[['From', %r], ['To', %r]].forEach(([label, value]) => { const f = q('[aria-label=\"' + label + ' second\"]'); f.value = value; })" % (first, last))
        browser.ask("q('[aria-label=\"To second\"]').dispatchEvent(new Event('change'))")
        halves.append(total())
    step = float(browser.ask("q('[aria-label=\"To second\"]').step"))
    check("a part of the time has a part of the samples", 0 < halves[0] < whole and 0 < halves[1] < whole)
    check("parts of the time add up", whole <= sum(halves) <= whole + whole * 3 * step)
    contains("time in the fragment", browser.ask("pause(300).then(() => location.hash)"), "t=")
    browser.key("0")
    check("reset takes all of the time", total(), whole)
    box = browser.ask("(() => { const e = q('.timeline rect[cursor]'); middle(e); const r = e.getBoundingClientRect(); return [r.x, r.y, r.width]; })()")
    browser.mouse("mousePressed", box[0] + 5, box[1] + 5, "left", buttons=1)
    browser.mouse("mouseMoved", box[0] + box[2] / 2, box[1] + 5, "left", buttons=1)
    browser.mouse("mouseReleased", box[0] + box[2] / 2, box[1] + 5, "left")
    check("dragging over the time selects", 0 < total() < whole or (total(), box, browser.complaints()), True)
    page.quiet("timeline")


def check_keys(page):
    browser = page.browser
    page.live("small.svg")
    browser.ask("ring().focus()")
    browser.key("ArrowUp")
    contains("up is inwards", browser.ask("active().getAttribute('aria-label')"), "main")
    browser.key("ArrowRight")
    contains("right is the neighbour", browser.ask("active().getAttribute('aria-label')"), "other")
    browser.key("ArrowLeft")
    browser.key("Enter")
    contains("Enter zooms", browser.ask("line()"), "main \u00b7 total 90")
    check("focus is visible", browser.ask("active() === ring() && ring().getAttribute('stroke') !== 'none'"))
    check("a tree for screen readers", browser.ask("[q('.stage').getAttribute('role'), ring().getAttribute('role'), "
          "ring().getAttribute('aria-level'), ring().getAttribute('aria-posinset'), ring().getAttribute('aria-setsize')].join()"), "tree,treeitem,2,1,2")
    browser.key("Backspace")
    contains("Backspace unzooms", browser.ask("line()"), "all")
    browser.ask("active().blur()")
    controls = []
    for _ in range(30):
        browser.key("Tab")
        controls.append(browser.ask("(active().getAttribute('aria-label') || active().getAttribute('class') || '').split(' ')[0]"))
    for control in ("Search", "Respect", "Next", "Callers", "Largest", "Reset", "Copy", "line", "all"):
        check("Tab reaches " + control, control in controls or controls, True)
    browser.ask("button('Callers on').focus()")
    check("the focus of controls is visible", browser.ask("getComputedStyle(active()).outlineStyle"), "solid")
    browser.key("Enter")
    check("Enter presses a control", browser.ask("button('Callers on').getAttribute('aria-pressed')"), "true")
    browser.ask("button('Copy').click()")
    contains("the details line can be copied", browser.ask("getSelection().toString()"), "total 100 samples")
    page.quiet("keys")


def check_hostile(page):
    browser = page.browser
    page.live("hostile.svg")
    check("a hostile profile runs nothing", browser.ask("[window.pwned === undefined, all('script').length, all('img').length].join()"), "true,1,0")
    check("no attribute of a name", browser.ask("all('*').filter((e) => e.getAttributeNames().some((n) => n.startsWith('on'))).length"), 0)
    browser.ask("ring().focus()")
    for _ in range(12):
        browser.key("ArrowUp")
        browser.key("ArrowRight")
    contains("its names are text", page.search("script>"), "hit")
    check("no name reorders the text around it", browser.ask("/[\\u202a-\\u202e\\u2066-\\u2069\\0-\\x08]/.test(document.documentElement.textContent)"), False)
    page.button("Callers of the leaf")
    page.button("Callers on top")
    page.quiet("hostile")


class Handler(http.server.SimpleHTTPRequestHandler):
    policy = ""

    def do_GET(self):
        if self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def end_headers(self):
        if Handler.policy:
            self.send_header("Content-Security-Policy", Handler.policy)
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *arguments):
        pass


def check_policies(page):
    browser = page.browser
    os.chdir(page.folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = "http://127.0.0.1:%d/" % server.server_port
    live = "document.documentElement.getAttribute('data-live') === '1'"
    Handler.policy = "script-src 'unsafe-inline'"
    browser.open(url + "small.svg")
    check("lives under script-src 'unsafe-inline'", browser.until(live))
    check("policy: no complaint", browser.complaints(), [])
    check("policy: only itself is asked for", [one for one in browser.requests() if "favicon" not in one], [url + "small.svg"])
    Handler.policy = "default-src 'none'; script-src 'unsafe-inline'"
    browser.open(url + "small.svg")
    check("lives without style sheets", browser.until(live))
    Handler.policy = "script-src 'none'"
    browser.open(url + "small.svg")
    check("static where scripts are barred", browser.ask("String(document.querySelector('.stage')) + (document.querySelectorAll('.boxes .b').length > 5)"), "nulltrue")
    Handler.policy = ""
    for element, way in (("iframe", "src"), ("object", "data")):
        with open("inside.html", "w", encoding="utf-8") as file:
            file.write("<!DOCTYPE html><title>x</title><%s %s='small.svg' width=1250 height=700></%s>" % (element, way, element))
        browser.open(url + "inside.html")
        check("lives in " + element, browser.until("document.querySelector(%r).contentDocument && document.querySelector(%r).contentDocument."
              "documentElement.getAttribute('data-live') === '1'" % (element, element)))
        check(element + ": no complaint", [text for text in browser.complaints() if "favicon" not in text], [])
    server.shutdown()


def check_print(page):
    browser = page.browser
    page.live("small.svg")
    page.click("c")
    browser.ask("addEventListener('beforeprint', () => { window.printed = [q('.panel').getAttribute('display'), names().join(), document.documentElement.getAttribute('width')].join(' '); })")
    pdf = browser.call("Page.printToPDF", {})["data"]
    check("the zoomed view is printed, without controls", browser.ask("window.printed"), "none all,main,a,c 100%")
    check("something is on paper", len(pdf) > 4000)
    check("controls are back", browser.ask("String(q('.panel').getAttribute('display'))"), "null")
    page.quiet("print")


def check_inflate(page):
    browser = page.browser
    for name in ("small.svg", "launch.svg"):
        browser.call("Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.DecompressionStream; delete Uint8Array.fromBase64;"})
        page.live(name)
        contains("own inflate: " + name, browser.ask("String(typeof DecompressionStream) + line()"), "undefinedall")
    page.quiet("inflate")


# The static life: what a bug report shows. The pictures are for people; here they must not be empty or alike.
def take_pictures(page, pictures):
    browser, sizes = page.browser, []
    for name, width, scheme in (("light", 1200, "light"), ("dark", 1200, "dark"), ("narrow", 700, "light")):
        path = os.path.join(page.folder, "img.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write("<!DOCTYPE html><meta name=color-scheme content='light dark'><style>body{margin:0}img{width:%dpx}</style><img src=launch.svg>" % width)
        browser.size(width, 900)
        browser.scheme(scheme)
        browser.open("file://" + path)
        check("in img: " + name, browser.ask("document.images[0].naturalWidth"), 1200 if width > 800 else 1200)
        shot = os.path.join(pictures or page.folder, "static-%s.png" % name)
        browser.picture(shot)
        sizes.append(os.path.getsize(shot))
        check("in img: %s: no complaint" % name, browser.complaints(), [])
    check("the pictures differ and are not empty", len(set(sizes)) == 3 and min(sizes) > 20000)
    browser.size(1220, 1000)
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        page.live("launch.svg")
        browser.picture(os.path.join(pictures or page.folder, "live-%s.png" % scheme))
    check("dark: controls and text are light", browser.ask("[getComputedStyle(q('.panel div')).color, getComputedStyle(q('.title')).fill].join()"),
          "rgb(228, 232, 236),rgb(228, 232, 236)")
    browser.scheme("light")


def main(program, folder, pictures=None):
    browser = Browser(program)
    page = Page(browser, os.path.abspath(folder))
    try:
        browser.size(1220, 1000)
        for part in (check_zoom, check_pan, check_search, check_orders, check_sandwich, check_filters, check_difference, check_timeline, check_keys,
                     check_hostile, check_print, check_policies):
            try:
                part(page)
            except (RuntimeError, TypeError, ValueError) as error:
                check("%s: %s" % (part.__name__, error), False)
        take_pictures(page, pictures)
        check_inflate(page)
    finally:
        browser.close()
    print("%d passed, %d failed, 0 skipped" % (len(PASSED), len(FAILED)))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
