/// How the page reads its lines, and makes the state at any commit of them.
extension ReportPage {
  static let states = #"""
    </script>
    <script>
    "use strict";
    // The state at a commit is made of that of the nearest commit whose state is kept and the changes between. A state is
    // a map of objects to their values, which are never changed in place, so that many states share them.
    const byID = id => document.getElementById(id);
    const report = { info: {}, commits: [], events: [], drafts: [], doubts: [], growth: [],
      base: new Map() };
    const entities = new Map();      // by entity: the keys in order of their coming
    const histories = new Map();     // by URI: places of the commits that change it
    const names = new Map();         // by URI: what an object is called last
    const uris = new Map();          // by all names: the URI of the object that is called so last
    const models = [];               // { place, entities, formerEntities, objects, renamed, formerly }, in order
    const changesOfModel = new Map(); // by place: the same, where the model has changed before a commit
    const keyframes = [];            // { place, state }, in order
    const view = { place: 0, state: new Map(), entity: null, filter: "", page: 0, object: null, timer: null,
      search: null };                // { found, rest, rowsShown, timer }
    const rowsOfPage = 100, changesShown = 500, longestSearch = 20; // of objects, of changes, in milliseconds

    function read(text) {
      for (let from = 0, to; from < text.length; from = to + 1) {
        to = text.indexOf("\n", from);
        if (to < 0) to = text.length;
        if (to === from) continue;
        const line = JSON.parse(text.slice(from, to));
        switch (line.kind) {
        case "info": report.info = line; break;
        case "activity": report.events = line.events; break;
        case "growth": report.growth = line.points; break;
        case "draft": report.drafts.push(line); break;
        case "note": report.doubts.push(line.message); break;
        case "object": note(line.entity, Object.keys(line.values));
          call(line.uri, line.object);
          report.base.set(line.uri, { name: line.object, entity: line.entity, values: bare(line.values) }); break;
        case "commit": for (const change of line.changes) call(change.uri, change.object);
          report.commits.push(line); break;
        case "modelChange": readModel(line); break;
        }
      }
    }

    function call(uri, name) {
      names.set(uri, name);
      uris.set(name, uri);
    }

    // What a model makes of objects comes before the first commit under it. What is called otherwise from then on is known
    // by its former name.
    function readModel(line) {
      const model = { ...line, place: report.commits.length, renamed: new Map(), formerly: new Map() };
      for (const change of line.objects) {
        call(change.uri, change.object);
        if (!change.former) continue;
        model.renamed.set(change.former.entity, change.entity);
        model.formerly.set(change.entity, change.former.entity);
      }
      models.push(model);
      changesOfModel.set(model.place, model);
    }

    const modelChangesAt = place => changesOfModel.get(place)?.objects ?? [];

    // The entities of the model at a place; undefined where it is the same everywhere.
    const entitiesAt = place => models.findLast(model => model.place <= place)?.entities ?? models[0]?.formerEntities;

    // Values by key, without what every object of the language has by itself: a key may be called like that.
    const bare = values => Object.assign(Object.create(null), values);

    function note(entity, keys) {
      let known = entities.get(entity);
      if (!known) entities.set(entity, known = new Set());
      for (const key of keys) known.add(key);
    }

    function put(state, change, isForward) {
      const comes = isForward ? "inserted" : "deleted", goes = isForward ? "deleted" : "inserted";
      if (change.change === goes) { state.delete(change.uri); return; }
      const values = bare(change.change === comes ? null : state.get(change.uri)?.values);
      for (const key of Object.keys(change.values)) {
        const value = isForward ? change.values[key].new : change.values[key].old;
        if (value === null) delete values[key]; else values[key] = value;
      }
      const called = isForward ? change : change.former ?? change;
      state.set(change.uri, { name: called.object, entity: called.entity, values });
    }

    // Goes over a commit, and over what the model has made of objects before it.
    function pass(state, place, isForward) {
      const changes = [...modelChangesAt(place), ...report.commits[place].changes];
      if (!isForward) changes.reverse();
      for (const change of changes) put(state, change, isForward);
    }

    // The entity that is shown stays the same under whatever name.
    function followNames(from, to) {
      for (const model of from < to ? models : [...models].reverse()) {
        if (model.place > from && model.place <= to) view.entity = model.renamed.get(view.entity) ?? view.entity;
        if (model.place > to && model.place <= from) view.entity = model.formerly.get(view.entity) ?? view.entity;
      }
    }

    // Goes through all commits once. A state is kept whenever as much has changed as it holds, so that all that is kept
    // is no more than all changes, and no step costs more than that.
    function prepare() {
      const state = new Map(report.base);
      let changed = 0;
      keyframes.push({ place: 0, state: new Map(state) });
      report.commits.forEach((commit, place) => {
        for (const change of modelChangesAt(place)) {
          if (change.change === "deleted") continue;
          note(change.entity, Object.keys(change.values).filter(key => change.values[key].new !== null));
        }
        for (const change of commit.changes) {
          note(change.entity, Object.keys(change.values));
          const places = histories.get(change.uri);
          if (places) places.push(place); else histories.set(change.uri, [place]);
        }
        if (place > 0) {
          pass(state, place, true);
          changed += commit.changes.length + modelChangesAt(place).length;
        }
        commit.objectCount = state.size;
        if (changed >= Math.max(2000, state.size)) {
          changed = 0;
          keyframes.push({ place, state: new Map(state) });
        }
      });
    }

    function weight(from, to) {
      let count = 0;
      for (let place = Math.min(from, to) + 1; place <= Math.max(from, to) && count < 1e5; place++) {
        count += report.commits[place].changes.length + modelChangesAt(place).length + 1;
      }
      return count;
    }

    function go(place) {
      place = Math.max(0, Math.min(report.commits.length - 1, place));
      followNames(view.place, place);
      let low = 0, high = keyframes.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (keyframes[middle].place <= place) low = middle; else high = middle - 1;
      }
      let nearest = null, least = weight(view.place, place);
      for (const frame of keyframes.slice(low, low + 2)) {
        // To copy an object takes a fraction of what it takes to change one.
        const cost = weight(frame.place, place) + frame.state.size / 16;
        if (cost < least) [nearest, least] = [frame, cost];
      }
      if (nearest) {
        view.state = new Map(nearest.state);
        view.place = nearest.place;
      }
      while (view.place < place) pass(view.state, ++view.place, true);
      while (view.place > place) pass(view.state, view.place--, false);
      show();
    }

    """#
}
