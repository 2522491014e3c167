package import ByteCoding
internal import EventCoding
internal import FoundationEssentials
package import Journaling
internal import ObjectModel
internal import PropertyListCoding

// A checkpoint's file: a head, one binary property list, and a check over all of it.
extension Checkpoint {
  static let name: UInt64 = 0x4B43_4548_432D_4A58  // "XJ-CHECK"
  static let format: UInt16 = 1
  static let headByteCount = 8 + 2 + 2 + 4 + 4 + 16
  static let largestByteCount = 1 << 30
  /// Of another format, about which nothing can be told but that it is newer.
  static let largestByteCountOfNewer = 64 << 20

  /// The bytes of the file.
  package func encoded(_ store: StoreIdentity) throws(StoreError) -> ByteWriter {
    var writer = ByteWriter(capacity: 4096)
    writer.write(Self.name)
    writer.write(Self.format)
    writer.write(UInt16(0))
    writer.write(UInt32(0))
    writer.write(UInt32(0))
    writer.write(store.high)
    writer.write(store.low)
    let value = try value(EventEncoder(store: store.tag))
    do throws(PropertyListError) {
      try PropertyListWriter.write(value, to: &writer)
    } catch {
      throw StoreError(.valueRefused, "the checkpoint cannot be written: \(error).")
    }
    writer.writeCheck(salt: 0)
    return writer
  }

  private func value(_ encoder: EventEncoder) throws(StoreError) -> Value {
    var eras: [Value] = []
    for era in catalogue.eras {
      var bytes = ByteWriter()
      do throws(EventCodingError) {
        try encoder.append(.modelAdopted(era.entities), to: &bytes)
      } catch {
        throw StoreError(refusing: error)
      }
      eras.append(["since": era.since.value, "model": .data(bytes.withBytes { Data($0) })])
    }
    var fields: [String: Value] = [
      "number": number.value, "since": catalogue.firstKept.value,
      "time": .integer(Int(time.rawValue)),
      "frame": .integer(Int(frame.rawValue)),
      "layers": .array(
        layers.map { ["era": .integer($0.era), "runs": .array($0.runs.map(\.value))] }),
      "indexes": .array(
        indexes.kept.map {
          [
            .integer(Int($0.key.rawValue)), .integer(Int($0.entity.rawValue)),
            .integer(Int($0.number.rawValue)),
          ]
        }),
      "nextIndex": .integer(Int(indexes.next.rawValue)),
      "indexRuns": .array(indexes.runs.map(\.value)),
      "keys": .array(catalogue.keys.names.map { .string($0) }),
      "eras": .array(eras),
      "tags": .dictionary(catalogue.tags.mapValues(\.value)),
      "numbers": .array(
        catalogue.reserved.sorted { $0.key < $1.key }.map {
          [.integer(Int($0.key)), .integer(Int($0.value))]
        }),
      "nextContext": .integer(Int(catalogue.nextContext.rawValue)),
      "contexts": .array(
        catalogue.contexts.values.sorted { $0.number < $1.number }.map(\.value)),
    ]
    if catalogue.time > time { fields["eventTime"] = .integer(Int(catalogue.time.rawValue)) }
    return .dictionary(fields)
  }

  /// Reads the bytes of a file.
  ///
  /// - Throws: where they are not those of a sound checkpoint of the store.
  package init(
    _ bytes: UnsafeRawBufferPointer, _ file: String, of store: StoreIdentity
  ) throws(StoreError) {
    let damaged = StoreError.checkpointDamaged(file)
    guard bytes.count >= Self.headByteCount + 8, Checksum.endsWithCheck(bytes, salt: 0) else {
      throw damaged
    }
    let head = try? Head(bytes)
    guard let head, head.name == Self.name else { throw damaged }
    guard head.format == Self.format, head.requiredFeatures == 0 else {
      throw .checkpointNewer(file)
    }
    guard head.store == store else { throw damaged }
    let list = UnsafeRawBufferPointer(
      rebasing: bytes[Self.headByteCount..<(bytes.count - 8)])
    guard let value = try? PropertyListReader(list).root().value(),
      let checkpoint = try? Checkpoint(value, EventDecoder(store: store.tag))
    else { throw damaged }
    self = checkpoint
  }

  private init(_ value: Value, _ decoder: EventDecoder) throws(CheckpointProblem) {
    let fields = try value.fields()
    number = try fields.commit("number")
    time = RecordedTime(rawValue: Int64(try fields.integer("time")))
    frame = FrameNumber(try fields.count("frame"))
    var layers: [LayerRuns] = []
    for layer in try fields.array("layers") {
      let layer = try layer.fields()
      var runs: [NamedRun] = []
      for run in try layer.array("runs") { runs.append(try NamedRun(try run.fields())) }
      layers.append(LayerRuns(era: Int(try layer.count("era")), runs: runs))
    }
    self.layers = layers
    indexes = try CheckpointIndexes(fields)
    var keys = KeyNames()
    for name in try fields.array("keys") {
      guard keys.add(try name.text(), keys.next) else { throw CheckpointProblem() }
    }
    var eras: [Era] = []
    for era in try fields.array("eras") {
      let fields = try era.fields()
      eras.append(try Era(fields, keys, decoder, after: eras.last))
    }
    guard layers.allSatisfy({ eras.indices.contains($0.era) }) else { throw CheckpointProblem() }
    var tags: [String: CommitNumber] = [:]
    for (name, value) in try fields.dictionary("tags") { tags[name] = try value.commit() }
    var reserved: [UInt64: UInt64] = [:]
    for pair in try fields.array("numbers") {
      guard case .array(let pair) = pair, pair.count == 2 else { throw CheckpointProblem() }
      reserved[try pair[0].count()] = try pair[1].count()
    }
    var contexts: [ContextNumber: Catalogue.OpenContext] = [:]
    for context in try fields.array("contexts") {
      let context = try Catalogue.OpenContext(try context.fields())
      contexts[context.number] = context
    }
    let eventTime = try fields["eventTime"].map { (value) throws(CheckpointProblem) in
      RecordedTime(rawValue: Int64(try value.integer()))
    }
    catalogue = Catalogue(
      keys: keys, eras: eras, tags: tags, contexts: contexts, reserved: reserved,
      nextContext: ContextNumber(rawValue: try fields.count("nextContext")),
      time: max(time, eventTime ?? time), head: number,
      firstKept: CommitNumber(rawValue: try fields.count("since")))
  }
}

extension Checkpoint {
  /// What stands before a checkpoint's property list.
  private struct Head {
    let name: UInt64
    let format: UInt16
    let requiredFeatures: UInt32
    let store: StoreIdentity

    init(_ bytes: UnsafeRawBufferPointer) throws(ByteCodingError) {
      var reader = ByteReader(bytes)
      name = try reader.readInteger()
      format = try reader.readInteger()
      _ = try reader.readInteger(UInt16.self)
      requiredFeatures = try reader.readInteger()
      _ = try reader.readInteger(UInt32.self)
      store = StoreIdentity(high: try reader.readInteger(), low: try reader.readInteger())
    }
  }
}

extension Era {
  fileprivate init(
    _ fields: [String: Value], _ keys: KeyNames, _ decoder: EventDecoder, after previous: Era?
  ) throws(CheckpointProblem) {
    guard case .data(let bytes)? = fields["model"] else { throw CheckpointProblem() }
    let since = try fields.commit("since")
    let event = Array(bytes).withUnsafeBytes { try? decoder.event($0) }
    guard case .modelAdopted(let entities)? = event,
      let era = try? Era(since: since, entities, keys, after: previous)
    else { throw CheckpointProblem() }
    self = era
  }
}

extension Checkpoint.NamedRun {
  fileprivate var value: Value {
    [
      "name": .string(name), "length": .integer(Int(byteCount)),
      "check": .integer(Int(bitPattern: UInt(check))),
    ]
  }

  fileprivate init(_ fields: [String: Value]) throws(CheckpointProblem) {
    name = try fields.text("name")
    byteCount = try fields.count("length")
    check = UInt64(UInt(bitPattern: try fields.integer("check")))
  }
}

extension CheckpointIndexes {
  fileprivate init(_ fields: [String: Value]) throws(CheckpointProblem) {
    var kept: [Kept] = []
    for index in try fields.array("indexes") {
      guard case .array(let numbers) = index, numbers.count == 3,
        let key = UInt32(exactly: try numbers[0].count()),
        let entity = UInt16(exactly: try numbers[1].count())
      else { throw CheckpointProblem() }
      kept.append(
        Kept(
          key: KeyNumber(rawValue: key), entity: EntityNumber(rawValue: entity),
          number: try numbers[2].indexNumber()))
    }
    var runs: [Checkpoint.NamedRun] = []
    for run in try fields.array("indexRuns") {
      runs.append(try Checkpoint.NamedRun(try run.fields()))
    }
    let next = Value.integer(try fields.integer("nextIndex"))
    guard let indexes = CheckpointIndexes(kept, next: try next.indexNumber(), runs: runs) else {
      throw CheckpointProblem()
    }
    self = indexes
  }
}

extension Catalogue.OpenContext {
  fileprivate var value: Value {
    var fields: [String: Value] = [
      "number": .integer(Int(number.rawValue)), "name": .string(name),
      "firstEdit": .integer(Int(firstEdit)), "base": standing.base.value,
      "oldest": standing.oldest.value,
    ]
    if let parent { fields["parent"] = .integer(Int(parent.rawValue)) }
    if let edit = standing.firstUnsavedEdit { fields["firstUnsavedEdit"] = .integer(Int(edit)) }
    if let merged = standing.merged { fields["merged"] = merged.value }
    return .dictionary(fields)
  }

  fileprivate init(_ fields: [String: Value]) throws(CheckpointProblem) {
    self.init(
      number: ContextNumber(rawValue: try fields.count("number")),
      name: try fields["name"]?.text() ?? "",
      parent: try fields["parent"].map { (value) throws(CheckpointProblem) in
        ContextNumber(rawValue: try value.count())
      },
      firstEdit: try fields.count("firstEdit"),
      standing: ContextStanding(
        firstUnsavedEdit: try fields["firstUnsavedEdit"].map { (value) throws(CheckpointProblem) in
          try value.count()
        },
        base: try fields.commit("base"),
        merged: try fields["merged"].map { (value) throws(CheckpointProblem) in
          try value.commit()
        },
        oldest: try fields.commit("oldest")))
  }
}
