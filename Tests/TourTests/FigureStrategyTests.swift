import Foundation
import Testing
import XJournal

/// A colour and a rectangle by all four strategies, by hand and built in.
@Suite struct FigureStrategyTests {
  /// How a figure is made, and where its colour and its bounds are.
  private struct Way: CustomStringConvertible {
    let description: String
    let type: ManagedObject.Type
    let color: (ManagedObject) -> Color?
    let setColor: (ManagedObject, Color?) -> Void
    let bounds: (ManagedObject) -> CGRect?
    let setBounds: (ManagedObject, CGRect?) -> Void

    init(byHand type: FigureByHand.Type) {
      description = "\(type)"
      self.type = type
      color = { ($0 as? FigureByHand)?.color }
      setColor = { ($0 as? FigureByHand)?.color = $1 }
      bounds = { ($0 as? FigureByHand)?.bounds }
      setBounds = { ($0 as? FigureByHand)?.bounds = $1 }
    }

    init(
      _ color: ReferenceWritableKeyPath<Figure, Color?>,
      _ bounds: ReferenceWritableKeyPath<Figure, CGRect?>, _ description: String
    ) {
      self.description = description
      type = Figure.self
      self.color = { ($0 as? Figure)?[keyPath: color] }
      setColor = { ($0 as? Figure)?[keyPath: color] = $1 }
      self.bounds = { ($0 as? Figure)?[keyPath: bounds] }
      setBounds = { ($0 as? Figure)?[keyPath: bounds] = $1 }
    }
  }

  private var ways: [Way] {
    let byHand: [FigureByHand.Type] = [
      NeededDirect.self, FetchedDirect.self, NeededLate.self, FetchedLate.self,
    ]
    return byHand.map { Way(byHand: $0) } + [
      Way(\.c1, \.b1, "needed, direct"), Way(\.c2, \.b2, "fetched, direct"),
      Way(\.c3, \.b3, "needed, late"), Way(\.c4, \.b4, "fetched, late"),
    ]
  }

  private let red = Color(red: 1, green: 0, blue: 0)
  private let blue = Color(red: 0, green: 0, blue: 1)
  private let small = CGRect(x: 0, y: 1, width: 2, height: 3)
  private let large = CGRect(x: 10, y: 10, width: 200, height: 300)

  private func withStore(_ body: (JournaledStore) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "figures-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let names = ["NeededDirect", "FetchedDirect", "NeededLate", "FetchedLate"]
    let model = try ManagedObjectModel(
      entities: names.map { FigureByHand.description($0) },
      classes: [
        NeededDirect.self, FetchedDirect.self, NeededLate.self, FetchedLate.self, Figure.self,
      ])
    try body(try JournaledStore(at: folder, model: model))
  }

  @Test func `S27: a colour and a rectangle are set, undone and saved alike by every strategy`()
    throws
  {
    try withStore { store in
      for way in ways {
        let (context, other) = (ManagedObjectContext(store), ManagedObjectContext(store))
        let figure = context.insert(way.type.entityName)
        #expect(way.color(figure) == nil && way.bounds(figure) == nil, "\(way)")
        way.setColor(figure, red)
        way.setBounds(figure, small)
        context.processPendingChanges()
        way.setColor(figure, blue)
        way.setBounds(figure, large)
        #expect(way.color(figure) == blue && way.bounds(figure) == large, "\(way)")
        context.undo()
        #expect(way.color(figure) == red && way.bounds(figure) == small, "\(way)")
        context.redo()
        try context.save()
        let same = try other.existingObject(with: figure.objectID)
        #expect(way.color(same) == blue && way.bounds(same) == large, "\(way)")
        way.setColor(same, red)
        #expect(way.color(same) == red && way.bounds(same) == large, "\(way)")
        try other.save()
        context.refresh(figure, mergeChanges: false)
        #expect(way.color(figure) == red && way.bounds(figure) == large, "\(way)")
      }
    }
  }

  @Test func `S31: built in, a refresh shows what others did; by hand, it keeps what was read`()
    throws
  {
    try withStore { store in
      for way in ways {
        let (context, other) = (ManagedObjectContext(store), ManagedObjectContext(store))
        let figure = context.insert(way.type.entityName)
        way.setColor(figure, red)
        try context.save()
        let same = try other.existingObject(with: figure.objectID)
        way.setColor(same, blue)
        try other.save()
        context.refresh(figure, mergeChanges: true)
        // A transient value that is there counts as changed, though it only repeats what was stored.
        let isByHand = way.type is FigureByHand.Type
        #expect(way.color(figure) == (isByHand ? red : blue), "\(way)")
      }
    }
  }

  @Test func `S28: what is written at once is made a text by each set, and else once for a save`()
    throws
  {
    try withStore { store in
      let context = ManagedObjectContext(store)
      let (direct, late) = (context.insert(NeededDirect.self), context.insert(NeededLate.self))
      for color in [red, blue, red] {
        direct.color = color
        late.color = color
      }
      #expect(direct.archiveCount == 3 && late.archiveCount == 0)
      try context.save()
      #expect(direct.archiveCount == 3 && late.archiveCount == 1)
    }
  }
}
