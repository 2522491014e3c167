import DiskAccess
import DiskSimulation
import Foundation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// The script of a report, run by Node.
@Suite struct ReportScriptTests {
  /// Goes to the first state and to the last, and tells the values that both show.
  private static let script = #"""
    const page = require("fs").readFileSync(process.argv[1], "utf8");
    const data = page.split('id="data">\n')[1].split("</script>")[0];
    const script = page.split("<script>")[1].split("</script>")[0].replace(/\n\s*begin\(\);\s*$/, "");
    function any() {
      return new Proxy(function () {}, {
        get: (target, key) => key === Symbol.toPrimitive ? () => 0
          : key === "tBodies" ? [any()] : key === "getBoundingClientRect" ? () => ({})
          : key === "clientWidth" || key === "clientHeight" ? 100 : key in target ? target[key] : any(),
        set: (target, key, value) => { target[key] = value; return true; },
        apply: () => any() });
    }
    Object.assign(global, { document: any(), window: any(), location: { hash: "" },
      history: { replaceState() {} }, getComputedStyle: any, matchMedia: any, Node: class {} });
    const shown = new Function("data", script + `
      read(data); prepare(); view.state = new Map(report.base); view.entity = "Note";
      const keys = () => [...entities.get("Note")];
      const state = () => [...view.state.values()].map(object =>
        [object.name, keys().map(key => [key, words(object.values[key])])]);
      go(0); const first = state();
      go(report.commits.length - 1); const last = state();
      go(0); return JSON.stringify([first, last, state()]);`);
    console.log(shown(data));
    """#

  @Test func `keys that are called like what every object of the language has are keys as others`()
    throws
  {
    let disk = SimulatedDisk(seed: 1)
    let store = try JournaledStore(
      on: disk, at: Journals.path,
      model: ManagedObjectModel(entities: [EntityDescription("Note", allowsAnyKey: true)]))
    let context = ManagedObjectContext(store)
    let (one, other) = (context.insert("Note"), context.insert("Note"))
    other["constructor"] = "of the other"
    try context.save()
    let keys = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]
    for key in keys { one[key] = .string("the \(key)") }
    try context.save()
    context.close()
    try store.close()
    let page = Upkeep.run("report -s Notes.xjournal", on: disk)
    try #require(page.status == .fine, "\(page.errors)")
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/page.html"
    try Data(page.output.utf8).write(to: URL(filePath: path))
    let run = try ForeignProgram.run(["node", "-e", Self.script, path])
    try #require(run.status == 0, "\(run.said)")
    let states = try #require(try JSONValue(parsing: Array(run.said.utf8)).array).map { state in
      Dictionary(
        uniqueKeysWithValues: (state.array ?? []).map { object in
          let values = (object.array?[1].array ?? []).map { value in
            (value.array?[0].string ?? "", value.array?[1].string ?? "")
          }
          return (
            object.array?[0].string ?? "",
            Dictionary(uniqueKeysWithValues: values).filter { !$0.value.isEmpty }
          )
        })
    }
    let before: [String: [String: String]] = [
      "Note/1": [:], "Note/2": ["constructor": "of the other"],
    ]
    var after = before
    after["Note/1"] = Dictionary(uniqueKeysWithValues: keys.map { ($0, "the \($0)") })
    #expect(states == [before, after, before])
  }

  /// Goes to each commit and back, and tells of each what is shown: the entities that can be chosen, the one that is, and
  /// each object with its values.
  private static let travel = #"""
    const shown = new Function("data", script + `
      read(data); prepare(); view.state = new Map(report.base);
      view.entity = [...view.state.values()][0].entity;
      const told = () => [entitiesAt(view.place) ?? [], view.entity, [...view.state.values()].map(object =>
        [object.name, object.entity, Object.entries(object.values).sort().map(([key, value]) => [key, words(value)])])];
      const there = [], back = [];
      report.commits.forEach((_, place) => { go(place); there.push(told()); });
      report.commits.forEach((_, place) => { go(report.commits.length - 1 - place); back.unshift(told()); });
      go(0); go(report.commits.length - 1); const last = told(); go(0);
      return JSON.stringify([there, back, [last, told()]]);`);
    console.log(shown(data));
    """#

  /// What the page shows at a commit is what export writes of it.
  private func compare(_ disk: SimulatedDisk, _ entities: [String], _ line: String = "") throws {
    let page = Upkeep.run("report\(line) -s Notes.xjournal", on: disk)
    try #require(page.status == .fine, "\(page.errors)")
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/page.html"
    try Data(page.output.utf8).write(to: URL(filePath: path))
    let beginning = try #require(Self.script.range(of: "const shown")).lowerBound
    let script = String(Self.script[..<beginning]) + Self.travel
    let run = try ForeignProgram.run(["node", "-e", script, path])
    try #require(run.status == 0, "\(run.said)")
    let told = try #require(try JSONValue(parsing: Array(run.said.utf8)).array)
    #expect(told[0] == told[1], "back it is as there")
    let states = try #require(told[0].array)
    #expect(told[2].array?[0] == states.last && told[2].array?[1] == states.first)
    for (place, state) in states.enumerated() {
      let number = entities.count - states.count + place + 1
      let parts = try #require(state.array)
      #expect(parts[1].string == entities[number - 1], "commit \(number)")
      let schema = Upkeep.run("schema --json --at \(number) -s Notes.xjournal", on: disk).output
      let names = (parts[0].array ?? []).compactMap(\.string)
      #expect(names.allSatisfy { schema.contains(#""name":"\#($0)""#) }, "\(names) \(schema)")
      #expect(names.contains(entities[number - 1]), "commit \(number)")
      let export = Upkeep.run("export --at \(number) -s Notes.xjournal", on: disk).output
      let lines = export.split(separator: "\n")
      let objects = try #require(parts[2].array)
      #expect(lines.count == objects.count, "commit \(number): \(objects) \(export)")
      for object in objects {
        let called = try #require(object.array)
        let name = try #require(called[0].string)
        let line = try #require(
          lines.first { $0.contains(#""object":"\#(name)""#) }, "commit \(number): \(name)")
        let expected = try #require(try JSONValue(parsing: Array(line.utf8)).object)
        #expect(expected["entity"] == called[1])
        let values = Dictionary(
          uniqueKeysWithValues: (called[2].array ?? []).map { value in
            (value.array?[0].string ?? "", value.array?[1].string ?? "")
          })
        var wanted: [String: String] = [:]
        for (key, value) in try #require(expected["values"]?.object).members {
          let text = value.string ?? value.description
          wanted[key] = text.hasPrefix("xjournal://") ? "Zed/1" : text
        }
        #expect(values == wanted, "commit \(number): \(name)")
      }
    }
  }

  @Test(arguments: ["", " --since 3", " --since 2 --until 4"])
  func `each commit shows what its model made of the objects, there and back`(line: String) throws {
    let disk = try RenamedJournal.twiceRenamed()
    var entities = ["Post", "Post", "Article", "Article", "Story", "Story"]
    if line.contains("until") { entities.removeLast(2) }
    try compare(disk, entities, line)
  }

  @Test func `objects of an entity that goes are gone from the page, and back before that`() throws
  {
    try compare(try RenamedJournal.withoutZed(comesAgain: true), ["Note", "Note", "Note"])
  }
}
