import DiskAccess
import Testing

@Suite("what the seam says")
struct DiskErrorTests {
  @Test(arguments: DiskError.Call.allCases)
  func `every failure is told in one sentence that names the file`(_ call: DiskError.Call) {
    let sentence = DiskError(call, "the name", .inputOutput).description
    #expect(sentence.contains(" failed: Input/output error; ") && sentence.hasSuffix("."))
    #expect(sentence.contains("“the name”") || [.random, .thread].contains(call))
  }

  @Test(arguments: [
    (SystemErrorCode.noSpace, "make room"), (.quotaExceeded, "within the quota"),
    (.accessDenied, "who may read"), (.readOnlyFileSystem, "for reading only"),
    (.tooManyOpenFiles, "raise the limit"), (.isLink, "name the file itself"),
    (.inputOutput, "a backup at hand"), (.tooManyLinks, "shares no files"),
    (.fileTooLarge, "the length of files"), (.notFolder, "where a folder should"),
    (.isFolder, "where a file should"), (.notFound, "removed it"), (.invalid, "try again"),
  ])
  func `a failure that somebody can mend says how`(_ code: SystemErrorCode, _ advice: String) {
    #expect(DiskError(.write, "a", code).description.contains(advice))
  }

  @Test func `a refusal names the failure it stems from`() {
    let error = DiskError(.write, "a", .inputOutput, isRefusal: true)
    #expect(error.description.contains("was refused, because an earlier call failed"))
    #expect(error.description.contains("Input/output error"))
  }

  @Test func `only a full disk counts as out of space`() {
    #expect(DiskError(.write, "a", .noSpace).isOutOfSpace)
    #expect(DiskError(.write, "a", .quotaExceeded).isOutOfSpace)
    #expect(!DiskError(.write, "a", .inputOutput).isOutOfSpace)
  }

  @Test func `a number that the system does not know is told as a number`() {
    #expect(SystemErrorCode(rawValue: 4711).message.contains("4711"))
    #expect(SystemErrorCode.notFound.message == "No such file or directory")
  }

  @Test(arguments: [
    (UInt64(0x6969), "NFS"), (0x517B, "SMB"), (0xFE53_4D42, "SMB2"), (0xFF53_4D42, "CIFS"),
    (0x0102_1997, "9P"), (0x00C3_6400, "Ceph"), (0x0BD0_0BD0, "Lustre"),
    (0x4750_4653, "GPFS"), (0x1983_0326, "BeeGFS"), (0x2003_0528, "OrangeFS"),
    (0x6163_6673, "ACFS"), (0xBEEF_DEAD, "SNFS"), (0x0131_11A8, "IBRIX"),
    (0x786F_4256, "vboxsf"), (0xBACB_ACBC, "vmhgfs"), (0x7C7C_6673, "prl_fs"),
  ])
  func `a file system over the network is known by its number`(_ number: UInt64, _ name: String) {
    let kind = FileSystemKind(magicNumber: number)
    #expect(kind.isNetwork)
    #expect(kind.networkName == name)
  }

  @Test(arguments: [UInt64(0xEF53), 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630])
  func `a local file system is taken for local`(_ number: UInt64) {
    #expect(!FileSystemKind(magicNumber: number).isNetwork)
    #expect(FileSystemKind(magicNumber: number).networkName == nil)
  }
}
