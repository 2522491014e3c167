internal import ByteCoding
internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// Segments that have lost their headers or their names. What stands in a header is known from elsewhere: from the
/// manifest, from the segment before, and from its own first frames; and what a segment is called its header says.
enum MendedSegments {
  /// The folder of a journal as it would be if they had not, and what has been mended in it.
  static func mending(
    _ manifest: Manifest, in folder: any ReadableFolder
  ) throws(ToolError) -> (folder: any ReadableFolder, findings: [String]) {
    let inner = JournalFiles.journalFolder
    do throws(DiskError) {
      guard try folder.information(of: inner)?.kind == .folder else { return (folder, []) }
      let segments = try folder.folderForReading(inner)
      let names = try namesOfMisnamed(of: manifest, in: segments)
      var findings: [String] = []
      var files: [String: SuppliedFolder.Supply] = [:]
      for (name, found) in names.sorted(by: { $0.key < $1.key }) {
        findings.append("\(inner)/\(found): the segment \(name), by what it says of itself")
        files["\(inner)/\(name)"] = .file(found, of: segments)
      }
      var sound: [SegmentHeader] = []
      var lost: [Int] = []
      for (place, segment) in manifest.segments.enumerated() {
        let name = segment.number.fileName
        switch try header(in: segments, names[name] ?? name) {
        case .header(let header): sound.append(header)
        case .damaged: lost.append(place)
        case .newer, nil: break
        }
      }
      for place in lost {
        let name = manifest.segments[place].number.fileName
        let file = try segments.fileForReading(name)
        guard let header = header(at: place, of: manifest, file, like: sound.first) else {
          continue
        }
        let bytes = header.encoded().withBytes { Array($0) }
        findings.append(
          "\(inner)/\(name): a header whose check does not fit, and which is known from elsewhere")
        files["\(inner)/\(name)"] = .file(name, of: segments, beginning: bytes)
      }
      return (files.isEmpty ? folder : SuppliedFolder(folder, supplying: files), findings)
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
    var header = header(of: segment, in: manifest, like: other)
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

  /// A header that says what the manifest does, and besides what another says.
  static func header(
    of segment: Manifest.Segment, in manifest: Manifest, like other: SegmentHeader?
  ) -> SegmentHeader {
    var header = SegmentHeader(of: segment, manifest.store)
    if let other {
      (header.creationTime, header.windowByteCount) = (other.creationTime, other.windowByteCount)
      header.optionalFeatures = other.optionalFeatures
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
