/// How the page shows objects, commits and histories as tables.
extension ReportPage {
  static let showing = #"""
    // What is shown of a value.
    function words(value) {
      if (value === null || value === undefined) return "";
      if (typeof value === "string") return view.state.get(value)?.name ?? names.get(value) ?? value;
      if (Array.isArray(value)) return value.map(words).join(", ");
      if (typeof value === "object") {
        const keys = Object.keys(value);
        if (keys.length === 1 && keys[0].startsWith("$")) return words(value[keys[0]]);
        return keys.map(key => `${key}: ${words(value[key])}`).join(", ");
      }
      return String(value);
    }

    function element(name, text, style) {
      const made = document.createElement(name);
      if (text !== undefined) made.textContent = text;
      if (style) made.className = style;
      return made;
    }

    function row(cells, style) {
      const made = element("tr", undefined, style);
      for (const cell of cells) {
        if (cell instanceof Node) { const box = element("td"); box.append(cell); made.append(box); }
        else made.append(element("td", cell));
      }
      return made;
    }

    function objectButton(uri, name) {
      const button = element("button", name, "link");
      button.type = "button";
      button.addEventListener("click", () => { view.object = uri; showHistory(true); keepPlace(); });
      return button;
    }

    const count = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
    const time = date => date.slice(0, 19).replace("T", " ");

    function bytes(number) {
      const units = ["B", "kB", "MB", "GB", "TB"];
      let unit = 0;
      while (number >= 1000 && unit < units.length - 1) { number /= 1000; unit++; }
      return `${number >= 100 || unit === 0 ? Math.round(number) : number.toFixed(1)} ${units[unit]}`;
    }

    function show() {
      const commit = report.commits[view.place];
      byID("slider").value = view.place;
      byID("slider").setAttribute("aria-valuetext", `commit ${commit.number}, ${time(commit.date)}`);
      const tags = commit.tags ? ` (${commit.tags.join(", ")})` : "";
      byID("place").textContent = `commit ${commit.number}${tags} · ${time(commit.date)} UTC`
        + (commit.author ? ` · ${commit.author}` : "") + (commit.context ? ` · ${commit.context}` : "")
        + ` · ${count(view.state.size, "object")}`;
      byID("back").disabled = byID("first").disabled = view.place === 0;
      byID("forward").disabled = byID("last").disabled = view.place === report.commits.length - 1;
      byID("message").textContent = commit.message ?? "";
      const title = `Commit ${commit.number}: ${count(commit.changes.length, "change")}`;
      byID("commit-title").textContent = title;
      const rows = [], ofModel = modelChangesAt(view.place);
      if (changesOfModel.has(view.place)) {
        rows.push(row([`the model has changed before it: ${count(ofModel.length, "object")} became otherwise by that`]));
      }
      for (const change of commit.changes.slice(0, changesShown)) {
        const sign = { inserted: "+", updated: "~", deleted: "−" }[change.change];
        const head = element("tr"), box = element("th");
        box.colSpan = 3;
        box.append(`${sign} `, objectButton(change.uri, change.object));
        head.append(box);
        rows.push(head);
        for (const key of Object.keys(change.values)) {
          const value = change.values[key];
          rows.push(row([key, element("span", words(value.old), "old"), element("span", words(value.new), "new")]));
        }
      }
      if (commit.changes.length > changesShown) {
        rows.push(row([`and ${commit.changes.length - changesShown} more`]));
      }
      byID("changes").tBodies[0].replaceChildren(...rows);
      offerEntities();
      showObjects();
      drawTimeline();
      keepPlace();
    }

    // Entities that the model does not have at this commit cannot be chosen.
    function offerEntities() {
      const known = entitiesAt(view.place), select = byID("entity");
      if (!known) return;
      for (const option of select.options) option.hidden = option.disabled = !known.includes(option.value);
      select.value = view.entity;
    }

    // What a filter looks at in an object is kept with it, but for values that name other objects: at another commit those
    // may be called otherwise.
    function searched(object) {
      if (object.searched) return object.searched;
      const texts = [object.name], naming = [];
      for (const value of Object.values(object.values)) {
        if (namesObjects(value)) naming.push(value); else texts.push(words(value));
      }
      return object.searched = { text: texts.join("\n").toLowerCase(), naming };
    }

    function namesObjects(value) {
      if (typeof value === "string") return names.has(value);
      return value !== null && typeof value === "object" && Object.values(value).some(namesObjects);
    }

    // Looks through the objects for as long as nobody notices, shows what is found, and goes on when the browser has done
    // all else.
    function search() {
      const { found, rest } = view.search, filter = view.filter.toLowerCase(), begun = performance.now();
      for (let looked = 1; view.search.rest; looked++) {
        const { done, value } = rest.next();
        if (done) { view.search.rest = null; break; }
        const [uri, object] = value;
        if (object.entity === view.entity && (!filter || searched(object).text.includes(filter)
          || searched(object).naming.some(value => words(value).toLowerCase().includes(filter)))) found.push(uri);
        if (looked % 256 === 0 && performance.now() - begun > longestSearch) break;
      }
      showFound();
      if (view.search.rest) view.search.timer = setTimeout(search);
    }

    function showObjects() {
      clearTimeout(view.search?.timer);
      view.search = { found: [], rest: view.state.entries(), rowsShown: null };
      const head = element("tr");
      for (const title of ["", ...entities.get(view.entity) ?? []]) head.append(element("th", title));
      byID("objects").tHead.replaceChildren(head);
      search();
    }

    function showFound() {
      const { found, rest } = view.search, pages = Math.max(1, Math.ceil(found.length / rowsOfPage));
      if (!rest) view.page = Math.min(view.page, pages - 1);
      const uris = found.slice(view.page * rowsOfPage, (view.page + 1) * rowsOfPage);
      if (uris.length !== view.search.rowsShown) {
        view.search.rowsShown = uris.length;
        const keys = [...entities.get(view.entity) ?? []];
        const touched = new Set(report.commits[view.place].changes.map(change => change.uri));
        byID("objects").tBodies[0].replaceChildren(...uris.map(uri => {
          const { name, values } = view.state.get(uri);
          return row([objectButton(uri, name), ...keys.map(key => words(values[key]))], touched.has(uri) ? "touched" : "");
        }));
      }
      byID("page").textContent = `${count(found.length, "object")}, page ${view.page + 1} of ${pages}${rest ? " …" : ""}`;
      byID("previous-page").disabled = view.page === 0;
      byID("next-page").disabled = view.page >= pages - 1;
    }

    function showHistory(isAsked) {
      const section = byID("history-section");
      section.classList.toggle("hidden", view.object === null);
      if (view.object === null) return;
      byID("history-title").textContent = `History of ${view.state.get(view.object)?.name ?? names.get(view.object) ?? view.object}`;
      const rows = [];
      for (const place of histories.get(view.object) ?? []) {
        const commit = report.commits[place];
        for (const change of commit.changes) {
          if (change.uri !== view.object) continue;
          const jump = element("button", `${commit.number}`, "link");
          jump.type = "button";
          jump.addEventListener("click", () => go(place));
          const keys = Object.keys(change.values);
          for (const key of keys.length ? keys : [""]) {
            const value = Object.hasOwn(change.values, key) ? change.values[key] : {};
            rows.push(row([
              key === (keys[0] ?? "") ? jump : "", time(commit.date), commit.author ?? "", key || change.change,
              element("span", words(value.old), "old"), element("span", words(value.new), "new"),
            ]));
          }
        }
        if (rows.length > 5000) { rows.push(row(["…"])); break; }
      }
      byID("history").tBodies[0].replaceChildren(...rows);
      if (isAsked) section.scrollIntoView({ block: "nearest" });
    }

    """#
}
