/// What the page does when it is opened, and when somebody acts.
extension ReportPage {
  static let acting = #"""
    // The place is kept in the address, so that a link leads back to it.
    function keepPlace() {
      const parts = [`at=${report.commits[view.place].number}`];
      if (view.object !== null) parts.push(`object=${encodeURIComponent(names.get(view.object) ?? view.object)}`);
      try { history.replaceState(null, "", "#" + parts.join("&")); } catch { /* a page may not be let to */ }
    }

    function followAddress() {
      const parts = new URLSearchParams(location.hash.slice(1));
      view.object = parts.has("object") ? uris.get(parts.get("object")) ?? parts.get("object") : null;
      const number = Number(parts.get("at"));
      const place = parts.has("at") ? number - report.commits[0].number : report.commits.length - 1;
      go(Number.isFinite(place) ? place : report.commits.length - 1);
      if (view.object !== null) {
        const place = (histories.get(view.object) ?? [])[0];
        const entity = view.state.get(view.object)?.entity ?? (place === undefined ? report.base.get(view.object)?.entity
          : report.commits[place].changes.find(change => change.uri === view.object).entity);
        if (entity && entities.has(entity)) {
          byID("entity").value = view.entity = entity;
          showObjects();
        }
      }
      showHistory(false);
    }

    function stop() {
      clearInterval(view.timer);
      view.timer = null;
      byID("play").textContent = "▶︎ play";
      byID("play").setAttribute("aria-pressed", "false");
    }

    function play() {
      if (view.timer) { stop(); return; }
      if (view.place === report.commits.length - 1) go(0);
      const stride = Math.max(1, Math.floor(report.commits.length / 400));
      byID("play").textContent = "⏸ stop";
      byID("play").setAttribute("aria-pressed", "true");
      view.timer = setInterval(() => {
        go(view.place + stride);
        if (view.place === report.commits.length - 1) stop();
      }, 120);
    }

    function listen() {
      const on = (id, event, act) => byID(id).addEventListener(event, act);
      on("slider", "input", event => go(Number(event.target.value)));
      on("first", "click", () => go(0));
      on("back", "click", () => go(view.place - 1));
      on("forward", "click", () => go(view.place + 1));
      on("last", "click", () => go(report.commits.length - 1));
      on("play", "click", play);
      on("tags", "change", event => { if (event.target.value) go(Number(event.target.value)); });
      on("entity", "change", event => { view.entity = event.target.value; view.page = 0; showObjects(); });
      on("filter", "input", event => { view.filter = event.target.value; view.page = 0; showObjects(); });
      on("previous-page", "click", () => { view.page--; showObjects(); });
      on("next-page", "click", () => { view.page++; showObjects(); });
      let isDown = false;
      const point = event => {
        const box = byID("timeline").getBoundingClientRect();
        go(Math.floor((event.clientX - box.left) / box.width * report.commits.length));
      };
      on("timeline", "pointerdown", event => { isDown = true; byID("timeline").setPointerCapture(event.pointerId); point(event); });
      on("timeline", "pointermove", event => { if (isDown) point(event); });
      on("timeline", "pointerup", () => { isDown = false; });
      document.addEventListener("keydown", event => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (["INPUT", "SELECT", "BUTTON"].includes(event.target.tagName)) {
          if (event.key === "Escape") event.target.blur();
          return;
        }
        const moves = { ArrowLeft: -1, ArrowRight: 1, PageUp: -100, PageDown: 100 };
        if (Object.hasOwn(moves, event.key)) go(view.place + moves[event.key]);
        else if (event.key === "Home") go(0);
        else if (event.key === "End") go(report.commits.length - 1);
        else if (event.key === " ") play();
        else if (event.key === "/") byID("filter").focus();
        else if (event.key === "Escape") { view.object = null; showHistory(false); keepPlace(); }
        else return;
        event.preventDefault();
      });
      window.addEventListener("hashchange", followAddress);
      window.addEventListener("resize", () => { drawTimeline(); drawGrowth(); });
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { drawTimeline(); drawGrowth(); });
    }

    function begin() {
      read(byID("data").textContent);
      showDrafts();
      byID("app").classList.remove("hidden");
      if (!report.commits.length) {
        for (const section of document.querySelectorAll("#app section")) {
          section.classList.toggle("hidden", !section.contains(byID("drafts")));
        }
        return;
      }
      prepare();
      view.state = new Map(report.base);
      byID("slider").max = report.commits.length - 1;
      const select = byID("entity");
      for (const entity of [...entities.keys()].sort()) {
        const option = element("option", entity);
        option.value = entity;
        select.append(option);
      }
      view.entity = select.value;
      const tags = byID("tags");
      tags.append(element("option", "tags"));
      tags.firstChild.value = "";
      report.commits.forEach((commit, place) => {
        for (const tag of commit.tags ?? []) {
          const option = element("option", `${tag} (${commit.number})`);
          option.value = place;
          tags.append(option);
        }
      });
      tags.classList.toggle("hidden", tags.options.length < 2);
      listen();
      drawGrowth();
      followAddress();
      const known = entitiesAt(view.place);
      if (known && !known.includes(view.entity)) {
        view.entity = [...entities.keys()].sort().find(entity => known.includes(entity)) ?? view.entity;
        show();
      }
    }

    begin();
    </script>
    </body>
    </html>

    """#
}
