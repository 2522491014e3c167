/// What the system knows of a file or a folder.
public struct FileInformation: Hashable, Sendable {
  /// What a name stands for.
  public enum Kind: Hashable, Sendable {
    /// A regular file.
    case file
    /// A folder.
    case folder
    /// A link, a pipe, a device or a socket: nothing a store would hold.
    case other
  }

  /// What the name stands for.
  public let kind: Kind
  /// The number of the device the file is on.
  public let device: UInt64
  /// The file's number on its device.
  public let node: UInt64
  /// The length of the file.
  public let byteCount: UInt64
  /// The room the file takes up on the disk.
  public let allocatedByteCount: UInt64

  /// How many names the file has. One with several may stand in another folder too.
  public let linkCount: UInt64

  /// Describes a file; for implementations of a disk.
  public init(
    kind: Kind, device: UInt64, node: UInt64, byteCount: UInt64, allocatedByteCount: UInt64,
    linkCount: UInt64 = 1
  ) {
    self.kind = kind
    self.device = device
    self.node = node
    self.byteCount = byteCount
    self.allocatedByteCount = allocatedByteCount
    self.linkCount = linkCount
  }
}

/// What kind of file system a folder is on: its magic number on Linux.
public struct FileSystemKind: Hashable, Sendable {
  /// The magic number.
  public let magicNumber: UInt64

  /// Names a file system by its magic number.
  public init(magicNumber: UInt64) { self.magicNumber = magicNumber }

  /// Whether the files live on another machine, or on the host of a virtual one, where locks and syncs cannot be
  /// trusted.
  public var isNetwork: Bool { Self.networkMagicNumbers[magicNumber] != nil }

  /// The name of a network file system, for messages.
  public var networkName: String? { Self.networkMagicNumbers[magicNumber] }

  private static let networkMagicNumbers: [UInt64: String] = [
    0x6969: "NFS", 0x517B: "SMB", 0xFE53_4D42: "SMB2", 0xFF53_4D42: "CIFS", 0x5346_414F: "AFS",
    0x6B41_4653: "AFS", 0x7375_7245: "Coda", 0x564C: "NCP", 0x0102_1997: "9P", 0x00C3_6400: "Ceph",
    0x0BD0_0BD0: "Lustre", 0x0116_1970: "GFS2", 0x7461_636F: "OCFS2", 0xAAD7_AAEA: "Panasas",
    0x4750_4653: "GPFS", 0x1983_0326: "BeeGFS", 0x2003_0528: "OrangeFS", 0x6163_6673: "ACFS",
    0xBEEF_DEAD: "SNFS", 0x0131_11A8: "IBRIX", 0x786F_4256: "vboxsf", 0xBACB_ACBC: "vmhgfs",
    0x7C7C_6673: "prl_fs",
  ]
}
