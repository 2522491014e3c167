"""The checkpoint and the runs of docs/format.md."""

import struct

from checks import Damage, Newer, check, demand, lz4_blocks, lz4_frame, number, DESCRIPTORS
from journal import PRELUDE, contents, same_format, seal
from values import LARGEST, NULL, Reader, agrees_with_plistlib, plist


class Snapshots:
    """A checkpoint, if the manifest names one, and the rows of its runs."""

    def __init__(self, folder, manifest):
        self.folder, self.store = folder, manifest["store"]
        self.own = number(self.store, 8, 8)
        self.lists, self.agreed, self.notes, self.within_blocks = 0, 0, [], False
        self.checkpoint, self.rows, self.runs = None, {}, 0
        names = [name for kind, name, _ in manifest["attachments"] if kind == 2]
        demand(len(names) < 2, "MANIFEST names two checkpoints")
        for name in names:
            self.checkpoint = self._checkpoint(name)
            for place, layer in enumerate(self.checkpoint["layers"][1]):
                for run in dict(layer[1])["runs"][1]:
                    self._run(dict(run[1]), dict(layer[1])["era"][1])
            for run in self.checkpoint["indexRuns"][1]:
                try:
                    self._frames(dict(run[1]), b"XJ-INDEX", 34, 35)
                except (Damage, Newer) as problem:
                    if self.within_blocks:
                        raise
                    self.notes.append("indexes have to be made anew: %s" % problem)

    def _list(self, data):
        value = plist(data, self.own)
        agreed = agrees_with_plistlib(data, value, self.own)
        demand(agreed is not False, "plistlib reads a property list otherwise")
        self.lists, self.agreed = self.lists + 1, self.agreed + (agreed is True)
        return value

    def _checkpoint(self, name):
        data = contents(self.folder, "snapshots/" + name)
        demand(data is not None, "the checkpoint %s is not there" % name)
        demand(len(data) >= 44 and data[:8] == b"XJ-CHECK" and number(data, len(data) - 8, 8) == check(data[:-8]),
               "the checkpoint %s is damaged" % name)
        same_format(data, 8, name)
        demand(data[20:36] == self.store, "the checkpoint %s is of another store" % name)
        found = dict(self._list(data[36:-8])[1])
        wanted = "number time frame since layers indexes nextIndex indexRuns keys eras tags numbers nextContext contexts"
        demand(all(k in found for k in wanted.split()), "the checkpoint %s lacks a key" % name)
        return found

    def _frames(self, run, name, kind, index_kind):
        """The header, footer, index payload and blocks of a run, all checked."""
        file = run["name"][1]
        data = contents(self.folder, "snapshots/" + file)
        demand(data is not None, "the run %s is not there" % file)
        say, self.within_blocks = "the run %s " % file, False
        demand(len(data) >= 144 and len(data) == run["length"][1] and data[:15] == PRELUDE and number(data, 15, 4) == 61
               and data[19:27] == name.ljust(8, b"\0") and number(data, 72, 8) == check(data[:72]), say + "is damaged")
        same_format(data, 27, file)
        salt, at = number(data, 55, 8), len(data) - 64
        demand(data[39:55] == self.store and number(data, at + 56, 8) == check(data[at:at + 56], salt)
               == run["check"][1] % (1 << 64), say + "is another one or its footer is damaged")
        rows, gone, blocks, place, length, wanted = (number(data, at + 8 * i, 8) for i in range(1, 7))
        demand(data[at:at + 8] == b"\x5f\x2a\x4d\x18\x38\0\0\0" and 80 <= place and place + length == at,
               say + "has a wrong footer")
        here, link, found = 80, 0, []
        for i in range(blocks + 1):
            self.within_blocks = i < blocks
            fields = seal(data, here, salt)
            demand(fields and fields["number"] == i + 1 and fields["link"] == link and not fields["unsynced"]
                   and fields["kind"] == (index_kind if i == blocks else kind), say + "has a damaged seal")
            if fields["format"] != 1 or fields["flags"] >> 4:
                raise Newer(say + "is of newer code")
            body = data[here + 48:here + 48 + fields["stored"]]
            demand(len(body) == fields["stored"] and check(body, salt) == fields["check"], say + "has a damaged block")
            found.append((fields, body, lz4_frame(body, fields["payload"])))
            here, link = here + 48 + fields["stored"], fields["check"] & 0xFFFFFFFF
        demand(here == at and fields["check"] == wanted, say + "has a wrong index")
        self.runs += 1
        return salt, rows, gone, found

    def _run(self, run, era):
        salt, rows, gone, frames = self._frames(run, b"XJ-RUN", 32, 33)
        say = "the run %s " % run["name"][1]
        index = frames.pop()[2]
        demand(len(index) == 40 * len(frames), say + "has a wrong index")
        before, seen, deleted = -1, 0, 0
        for i, (fields, body, payload) in enumerate(frames):
            first, last, length, count, stored, size, wanted = struct.unpack("<QQIIIIQ", index[40 * i:40 * i + 40])
            demand(first >> 36 == last >> 36 and before < first <= last and 0 < count <= min(4096, last - first + 1)
                   and length == 48 + fields["stored"] and check(body[7:7 + stored], salt) == wanted,
                   say + "has a wrong index")
            before, seen = last, seen + count
            deleted += self._block(say, era, salt, body, first, last, count, stored, size)
        demand(seen == rows and deleted == gone, say + "has other counts than its footer")

    def _block(self, say, era, salt, body, first, last, count, stored, size):
        limit = DESCRIPTORS[bytes(body[4:7])]
        directory = lz4_blocks(body, 7, 7 + stored, limit, size)
        demand(len(directory) == size, say + "has a short directory")
        r = Reader(directory)
        if r.u8() != 1:
            raise Newer(say + "is of newer code")
        flags = r.u8()
        demand(flags < 4 and r.fixed(8) == first and r.varint() == count, say + "has a wrong directory")
        objects = [first]
        for _ in range(count - 1):
            objects.append(objects[-1] + 1 + (r.varint() if flags & 1 else 0))
        demand(objects[-1] == last, say + "has a wrong directory")
        bits = int.from_bytes(r.bytes((count + 7) // 8), "little") if flags & 2 else 0
        demand(bits >> count == 0, say + "has a wrong directory")
        at = 7 + stored

        def column():
            nonlocal at
            length, whole, wanted = r.varint(), r.varint(), r.fixed(8)
            part = body[at:at + length]
            demand(at + length <= len(body) - 4 and check(part, salt) == wanted, say + "has a damaged column")
            data = lz4_blocks(body, at, at + length, limit, whole)
            demand(len(data) == whole, say + "has a short column")
            at += length
            values = self._list(data)
            demand(values[0] == "array" and len(values[1]) == count, say + "has a column of another length")
            return values[1]

        commits = column()
        demand(all(c[0] == "integer" and 0 <= c[1] <= LARGEST for c in commits), say + "has a wrong column of commits")
        keys, key = {}, -1
        for _ in range(r.varint()):
            key += 1 + r.varint()
            keys[key] = column()
        demand(not r.left() and at == len(body) - 4, say + "has a wrong directory")
        for i, name in enumerate(objects):
            values = {k: v[i] for k, v in keys.items() if v[i] != NULL}
            gone = bool(bits >> i & 1)
            demand(not gone or not values, say + "has values of a deleted object")
            which = (name >> 36, name & (1 << 36) - 1)
            self.rows.setdefault(which, (era, commits[i][1], gone, values))
        return bin(bits).count("1")
