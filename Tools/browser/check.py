"""Opens a page of `xjournal report` in Chromium and compares what it shows with what its commits add up to."""

import base64
import json
import os
import random
import re
import subprocess
import sys
import tempfile

LONGEST_STEP = 100  # milliseconds
SAMPLE = 500  # of the objects of a state, so many are compared, and their number

# Runs within the page, behind its own script: travels to places, and tells what is shown there and how long it took.
PROBE = """
<script>
"use strict";
const probe = { states: {}, steps: [], problems: [] };
// How long a step takes: the second longest of three times, as other programs run too. What the probe leaves behind is not
// collected within it.
const timed = (what, act, takeBack = () => {}) => {
  const times = [];
  for (let round = 0; round < 3; round++) {
    if (round > 0) takeBack();
    gc();
    const begun = performance.now();
    act();
    // What is shown is laid out too.
    document.body.getBoundingClientRect();
    times.push(performance.now() - begun);
  }
  probe.steps.push([what, times.sort((one, other) => one - other)[1]]);
};
const slider = document.getElementById("slider");
for (const place of PLACES) {
  const before = view.place;
  timed(`jump to ${place}`, () => {
    slider.value = place;
    slider.dispatchEvent(new Event("input"));
  }, () => go(before));
  if (view.place !== place) probe.problems.push(`the slider is at ${view.place}, not ${place}`);
  const uris = [...view.state.keys()].sort(), stride = Math.ceil(uris.length / SAMPLE) || 1;
  probe.states[place] = { count: uris.length, objects: Object.fromEntries(
    uris.filter((_, index) => index % stride === 0).map(uri => {
      const { name, entity, values } = view.state.get(uri);
      return [uri, [name, entity, values]];
    })) };
}
const last = report.commits.length - 1;
timed("to the end", () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "End" })));
if (view.place !== last) probe.problems.push("the key End does not lead to the end");
for (let step = 0; step < 100 && view.place > 0; step++) {
  const before = view.place;
  timed("back", () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft" })), () => go(before));
  if (view.place !== before - 1) probe.problems.push("the key to the left does not step back");
}
const button = document.querySelector("#changes button.link");
if (button) {
  timed("history", () => button.click());
  if (document.querySelectorAll("#history tbody tr").length === 0) probe.problems.push("no history is shown");
}
const filter = document.getElementById("filter");
for (const text of ["note 1", "note 12", "NOTE 1", "nowhere", ""]) {
  const show = text => { filter.value = text; filter.dispatchEvent(new Event("input")); };
  const before = filter.value;
  timed("filter", () => show(text), () => show(before));
  while (view.search.rest) timed("filter on", search);
  const wanted = [...view.state].filter(([, { name, values }]) => [name, ...Object.values(values)].some(
    value => words(value).toLowerCase().includes(text.toLowerCase()))).map(([uri]) => uri);
  if (JSON.stringify(view.search.found) !== JSON.stringify(wanted)) {
    probe.problems.push(`the filter "${text}" finds ${view.search.found.length} objects, not ${wanted.length}`);
  }
  const rows = document.querySelectorAll("#objects tbody tr").length;
  if (rows !== Math.min(100, wanted.length)) probe.problems.push(`the filter "${text}" shows ${rows} rows`);
}
const told = document.createElement("pre");
told.id = "probe";
told.textContent = "PROBE" + btoa(unescape(encodeURIComponent(JSON.stringify(probe)))) + "END";
document.body.append(told);
</script>
"""


def chromium(*arguments):
    """Runs the browser; returns what it wrote, and what pages said on the console."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--enable-logging=stderr", f"--user-data-dir={profile}", *arguments],
            capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"error: Chromium ended with {done.returncode}:\n{done.stderr[-2000:]}")
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, said


def lines_of(page):
    data = re.search(r'id="data">\n(.*?)</script>', page, re.S)
    if data is None:
        sys.exit("error: the page has no data.")
    return [json.loads(line) for line in data.group(1).splitlines() if line]


def states(lines, places):
    """What the commits add up to at some places."""
    objects = {line["uri"]: [line["object"], line["entity"], dict(line["values"])]
               for line in lines if line["kind"] == "object"}
    wanted, found, place, changes = set(places), {}, -1, []
    for line in lines:
        if line["kind"] == "modelChange":
            changes += line["objects"]
        if line["kind"] != "commit":
            continue
        place += 1
        changes += line["changes"] if place > 0 else []
        for change in changes:
            if change["change"] == "deleted":
                del objects[change["uri"]]
                continue
            values = dict(objects.get(change["uri"], ["", "", {}])[2])
            for key, value in change["values"].items():
                if value["new"] is None:
                    values.pop(key, None)
                else:
                    values[key] = value["new"]
            objects[change["uri"]] = [change["object"], change["entity"], values]
        changes = []
        if place in wanted:
            uris = sorted(objects)
            stride = -(-len(uris) // SAMPLE) or 1
            found[place] = {"count": len(uris), "objects": {uri: objects[uri] for uri in uris[::stride]}}
    return found


def main(path, folder):
    path, folder = os.path.abspath(path), os.path.abspath(folder)
    with open(path, encoding="utf-8") as file:
        page = file.read()
    lines = lines_of(page)
    count = sum(line["kind"] == "commit" for line in lines)
    dice = random.Random(20240229)
    places = [0, count - 1, count // 2] + [dice.randrange(count) for _ in range(60)]
    probed = os.path.join(folder, "probed.html")
    with open(probed, "w", encoding="utf-8") as file:
        file.write(page.replace("</body>", PROBE.replace("PLACES", json.dumps(places)).replace("SAMPLE", str(SAMPLE)) + "</body>"))
    shown, said = chromium("--js-flags=--expose-gc", "--dump-dom", f"file://{probed}")
    os.remove(probed)
    problems = [f"the console says: {line}" for line in said]
    told = re.search(r"PROBE([A-Za-z0-9+/=]+)END", shown)
    if told is None:
        sys.exit("\n".join(["error: the page did not run to its end."] + problems))
    probe = json.loads(base64.b64decode(told.group(1)))
    problems += probe["problems"]
    expected = states(lines, places)
    for place in places:
        if probe["states"][str(place)] != expected[place]:
            problems.append(f"the state at place {place} is not what the commits add up to")
    slowest = max(probe["steps"], key=lambda step: step[1])
    if slowest[1] > LONGEST_STEP:
        problems.append(f"{slowest[0]} takes {slowest[1]:.0f} ms")
    for name, options in {
        "light": ["--window-size=1280,1600"],
        "dark": ["--window-size=1280,1600", "--blink-settings=preferredColorScheme=0"],
        "narrow": ["--window-size=500,1800"],
    }.items():
        picture = os.path.join(folder, f"{name}.png")
        _, said = chromium(f"--screenshot={picture}", "--hide-scrollbars", *options, f"file://{path}#at={count // 2}")
        problems += [f"the console says ({name}): {line}" for line in said]
        if not os.path.exists(picture):
            problems.append(f"there is no picture of the page ({name})")
    print(f"{count} commits, {len(page) / 1e6:.1f} MB: {len(places)} states, {len(probe['steps'])} steps, the slowest "
          f"({slowest[0]}) {slowest[1]:.1f} ms, {len(problems)} problems")
    for problem in problems[:20]:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
