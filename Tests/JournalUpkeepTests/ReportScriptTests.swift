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
      const state = () => [...view.state].map(([name, object]) =>
        [name, keys().map(key => [key, words(object.values[key])])]);
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
}
