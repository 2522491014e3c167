internal import ByteCoding
internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// The folder of a journal as it would be if segments had not lost their headers or their names. What stands in a header is
/// known from elsewhere: from the manifest, from the segment before, and from its own first frames; and what a segment is
/// called its header says.
final class MendedFolder: OverlaidFolder {
  let folder: any ReadableFolder
  /// The headers by the names of the files.
  private let headers: [String: [UInt8]]
  /// The names that files have, by those that they should have.
  private let names: [String: String]
  private let holdsSegments: Bool

  private init(
    _ folder: any ReadableFolder, _ headers: [String: [UInt8]], _ names: [String: String],
    holdsSegments: Bool
  ) {
    self.folder = folder
    self.headers = headers
    self.names = names
    self.holdsSegments = holdsSegments
  }

  private func found(_ name: String) -> String { holdsSegments ? names[name] ?? name : name }

  func information(of name: String) throws(DiskError) -> FileInformation? {
    try folder.information(of: found(name))
  }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    let file = try folder.fileForReading(found(name))
    guard holdsSegments, let header = headers[name] else { return file }
    return MendedFile(file, header)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    let inner = try folder.folderForReading(name)
    guard !holdsSegments, name == JournalFiles.journalFolder else { return inner }
    return MendedFolder(inner, headers, names, holdsSegments: true)
  }

  // MARK: Finding headers

  /// The folder of a journal, and what has been mended in it.
  static func mending(
    _ manifest: Manifest, in folder: any ReadableFolder
  ) throws(ToolError) -> (folder: any ReadableFolder, findings: [String]) {
    do throws(DiskError) {
      guard try folder.information(of: JournalFiles.journalFolder)?.kind == .folder else {
        return (folder, [])
      }
      let files = try folder.folderForReading(JournalFiles.journalFolder)
      let names = try namesOfMisnamed(of: manifest, in: files)
      var findings = names.sorted { $0.key < $1.key }.map { name, found in
        "\(JournalFiles.journalFolder)/\(found): the segment \(name), by what it says of itself"
      }
      var sound: [SegmentHeader] = []
      var lost: [Int] = []
      for (place, segment) in manifest.segments.enumerated() {
        switch try header(in: files, names[segment.number.fileName] ?? segment.number.fileName) {
        case .header(let header): sound.append(header)
        case .damaged: lost.append(place)
        case .newer, nil: break
        }
      }
      var headers: [String: [UInt8]] = [:]
      for place in lost {
        let name = manifest.segments[place].number.fileName
        let file = try files.fileForReading(name)
        guard let header = header(at: place, of: manifest, file, like: sound.first) else {
          continue
        }
        headers[name] = header.encoded().withBytes { Array($0) }
        findings.append(
          "\(JournalFiles.journalFolder)/\(name): a header whose check does not fit, and which is known from elsewhere"
        )
      }
      if findings.isEmpty { return (folder, []) }
      return (MendedFolder(folder, headers, names, holdsSegments: false), findings)
    } catch {
      throw ToolError(error)
    }
  }

  /// What a file has as its header; nil where it is no file, or too short for one.
  private static func header(
    in files: any ReadableFolder, _ name: String
  ) throws(DiskError) -> SegmentHeader.Reading? {
    guard try files.information(of: name)?.kind == .file else { return nil }
    let bytes = try files.fileForReading(name).wholeContent(SegmentHeader.byteCount)
    guard bytes.count == SegmentHeader.byteCount else { return nil }
    return bytes.withUnsafeBytes { SegmentHeader.read($0) }
  }

  /// The names under which segments stand that are not where they should be, by those that they should have.
  private static func namesOfMisnamed(
    of manifest: Manifest, in files: any ReadableFolder
  ) throws(DiskError) -> [String: String] {
    var names: [String: String] = [:]
    var standing: Set<String> = []
    for name in try files.names().sorted() where SegmentNumber(fileName: name) != nil {
      guard case .header(let header) = try header(in: files, name),
        header.store == manifest.store,
        manifest.segments.contains(where: {
          $0.number == header.number && $0.salt == header.salt
        })
      else { continue }
      if header.number.fileName == name {
        standing.insert(name)
      } else {
        names[header.number.fileName] = name
      }
    }
    return names.filter { !standing.contains($0.key) }
  }

  /// What must have stood at the beginning of a segment; nil where that cannot be told.
  private static func header(
    at place: Int, of manifest: Manifest, _ file: any ReadableFile, like other: SegmentHeader?
  ) -> SegmentHeader? {
    let segment = manifest.segments[place]
    guard var header = other ?? header(of: segment, manifest.store) else { return nil }
    header.salt = segment.salt
    header.number = segment.number
    header.firstFrame = segment.firstFrame
    header.firstEdit = EditNumber(1)
    header.previousBodyCheck = 0
    if place > 0 {
      guard let sealing = manifest.segments[place - 1].sealing else { return nil }
      header.previousBodyCheck = sealing.lastBodyCheck
    } else if segment.firstFrame != FrameNumber(1) {
      guard let check = firstSeal(in: file, salt: segment.salt)?.previousBodyCheck else {
        return nil
      }
      header.previousBodyCheck = UInt64(check)
    }
    if let edit = firstEdit(in: file, header) {
      header.firstEdit = edit
    } else if segment.firstFrame != FrameNumber(1) {
      return nil
    }
    return header
  }

  /// A header that says nothing but what the manifest does. It is read and not made, so that nobody but the journal's own
  /// room knows what may stand in one.
  static func header(
    of segment: Manifest.Segment, _ store: StoreIdentity
  ) -> SegmentHeader? {
    var writer = ByteWriter(capacity: SegmentHeader.byteCount)
    writer.write(LZ4Frame.empty)
    writer.write(SegmentHeader.magicNumber)
    writer.write(UInt32(SegmentHeader.byteCount - LZ4Frame.empty.count - 8))
    writer.write(SegmentHeader.name)
    writer.write(SegmentHeader.currentFormat)
    writer.write(UInt16(0))
    writer.write(UInt32(0))
    writer.write(UInt32(0))
    writer.write(store.high)
    writer.write(store.low)
    writer.write(segment.salt)
    writer.write(segment.number.rawValue)
    writer.write(segment.firstFrame.rawValue)
    writer.write(UInt64(1))
    writer.write(UInt64(0))
    writer.write(Int64(0))
    writer.write(UInt32(JournalOptions().windowByteCount))
    writer.writeZeros(SegmentHeader.byteCount - 8 - writer.byteCount)
    writer.writeCheck(salt: 0)
    guard case .header(let header) = writer.withBytes({ SegmentHeader.read($0) }) else {
      return nil
    }
    return header
  }

  private static func firstSeal(in file: any ReadableFile, salt: UInt64) -> Seal? {
    let first = SegmentHeader.byteCount
    guard let bytes = try? file.wholeContent(first + Seal.byteCount),
      bytes.count == first + Seal.byteCount,
      case .seal(let seal) = bytes.withUnsafeBytes({
        Seal.read(UnsafeRawBufferPointer(rebasing: $0[first...]), salt: salt)
      })
    else { return nil }
    return seal
  }

  /// The number of the first edit of a segment's first batch; nil where no batch can be read.
  private static func firstEdit(in file: any ReadableFile, _ header: SegmentHeader) -> EditNumber? {
    do throws(JournalError) {
      var scanner = try FrameScanner(file, header)
      var memory = ByteWriter(capacity: 64 << 10)
      defer { extendLifetime(memory) }
      while case .frame(let frame) = try scanner.next() {
        guard frame.seal.kind == .batch else { continue }
        return frame.payload(in: &memory).flatMap { Batch($0)?.firstEdit }
      }
      return nil
    } catch {
      // Whoever reads the segment to its end tells what is wrong with it.
      return nil
    }
  }
}

/// A segment's file with another header than it has.
private final class MendedFile: OverlaidFile {
  let file: any ReadableFile
  private let header: [UInt8]

  init(_ file: any ReadableFile, _ header: [UInt8]) {
    self.file = file
    self.header = header
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
  {
    let count = try file.read(into: buffer, at: offset)
    if offset < UInt64(header.count) {
      let mended = header[Int(offset)...].prefix(count)
      buffer.copyBytes(from: mended)
    }
    return count
  }
}
