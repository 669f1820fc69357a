# SPDX-License-Identifier: MIT
#
# How long a large picture takes in a real browser. measure.py CHROMIUM NAME=SVG... prints a line for each:
# file size, open to first paint, open to live, and medians of zoom and of search until the next frame is
# painted. measure.py make NODES FILE writes folded text with so many distinct frames in the tree.
import os
import random
import statistics
import sys
import time

from devtools import Browser

TIME = """
(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); }));
  const stage = document.querySelector('.stage'), field = document.querySelector('input'), zooms = [], searches = [];
  const timed = async (list, action) => { await frame(); const start = performance.now(); action(); await frame(); list.push(performance.now() - start); };
  for (let i = 0; i < 15; i++) {
    const texts = Array.from(stage.querySelectorAll('text')), box = texts[Math.floor(texts.length * (i + 1) / 16)].getBoundingClientRect();
    const place = { clientX: box.x + 2, clientY: box.y + 5, button: 0, bubbles: true };
    await timed(zooms, () => { stage.dispatchEvent(new PointerEvent('pointerdown', place)); stage.dispatchEvent(new MouseEvent('click', place)); });
    document.dispatchEvent(new KeyboardEvent('keydown', { key: '0' }));
  }
  for (let i = 0; i < 15; i++)
    await timed(searches, () => { field.value = ['method_1', '/Class[0-4]::/', '!main', 'x', '/_.*7$/'][i % 5] + ' '.repeat(0) + (i % 5 === 0 ? i : ''); field.dispatchEvent(new Event('input')); });
  return [zooms, searches];
})()
"""


def make(nodes, path):
    rng = random.Random(7)
    names = ["mod%d::Class%d::method_%d" % (i % 40, i % 61, i) for i in range(20000)]
    tree, open_end = [("main", 0)], 0
    with open(path, "w", encoding="utf-8") as file:
        while len(tree) < nodes:
            # Near the root a few wide functions, further in many narrow ones.
            parent, depth = tree[rng.randrange(max(0, len(tree) - 2000), len(tree))] if rng.random() < 0.7 else tree[int(len(tree) * rng.random() ** 3)]
            if depth < 30:
                tree.append((parent + ";" + names[rng.randrange(20000)], depth + 1))
                file.write("%s %d\n" % (tree[-1][0], rng.randrange(1, 30)))


def measure(program, name, path):
    paints, lives = [], []
    browser = Browser(program)
    try:
        browser.size(1220, 1000)
        for _ in range(5):
            start = time.monotonic()
            browser.open("file://" + os.path.abspath(path))
            if not browser.until("document.documentElement.getAttribute('data-live') === '1'", 120):
                return "| %s | does not come to life |" % name
            lives.append(1000 * (time.monotonic() - start))
            for _ in range(50):
                paint = browser.ask("(performance.getEntriesByType('paint')[0] || {}).startTime")
                if paint:
                    paints.append(paint)
                    break
                time.sleep(0.02)
        zooms, searches = browser.ask(TIME)
    finally:
        browser.close()
    middle = lambda values: statistics.median(values) if values else float("nan")
    return "| %s | %.1f MB | %.0f ms | %.0f ms | %.0f ms | %.0f ms |" % (
        name, os.path.getsize(path) / 1e6, middle(paints), middle(lives), middle(zooms), middle(searches))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), sys.argv[3])
    else:
        for word in sys.argv[2:]:
            print(measure(sys.argv[1], *word.split("=", 1)), flush=True)
