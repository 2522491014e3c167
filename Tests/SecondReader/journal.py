"""The manifest, the segments, the batches and the edit buffer of docs/format.md."""

import os

from checks import Damage, Newer, check, demand, lz4_frame, number, xxh3
from values import LARGEST, Reader

SEAL = b"\x5a\x2a\x4d\x18\x28\0\0\0"
FOOTER = b"\x5f\x2a\x4d\x18\x28\0\0\0"
PRELUDE = b"\x04\x22\x4d\x18\x60\x40\x82\0\0\0\0\x58\x2a\x4d\x18"
TORN = ("not a frame", "seal damaged", "body damaged", "frame cut short", "footer damaged")
LOW = (1 << 32) - 1


class Finding(Exception):
    """An end of a walk that is not as it should be."""


def contents(folder, name):
    path = os.path.join(folder, name)
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read()


def same_format(data, at, name):
    """Refuses a format or required features that this reader does not know."""
    if number(data, at, 2) != 1 or number(data, at + 4, 4):
        raise Newer(name + " is of newer code")


def manifest(folder):
    data = contents(folder, "MANIFEST")
    demand(data is not None, "there is no MANIFEST")
    demand(68 <= len(data) <= 1 << 24 and number(data, len(data) - 8, 8) == check(data[:-8])
           and data[:8] == b"XJ-MANIF", "MANIFEST is damaged")
    same_format(data, 8, "MANIFEST")
    made = {"store": data[20:36], "generation": number(data, 36, 8), "durable": number(data, 44, 8),
            "segments": [], "attachments": []}
    count, attached = number(data, 52, 4), number(data, 56, 4)
    demand(0 < count and 60 + 48 * count + 6 * attached <= len(data) - 8 and attached <= 65536, "MANIFEST has wrong counts")
    r = Reader(data[:-8], 60)
    for _ in range(count):
        made["segments"].append(dict(zip(("number", "salt", "first", "last", "check", "length"),
                                         (r.fixed(8) for _ in range(6)))))
    for _ in range(attached):
        kind, name = r.u8(), r.bytes(r.u8())
        allowed = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
        demand(0 < len(name) <= 128 and name[:1] != b"." and not name.strip(allowed), "MANIFEST names a wrong file")
        made["attachments"].append((kind, name.decode(), r.bytes(r.fixed(4))))
    demand(not r.left(), "MANIFEST has bytes behind it")
    demand(made["generation"] <= LARGEST and made["durable"] <= LARGEST, "MANIFEST has too large a number")
    for i, s in enumerate(made["segments"]):
        demand(0 < s["number"] <= LARGEST and 0 < s["first"] <= LARGEST and (s["length"] == 0) == (i == count - 1)
               and (not s["length"] or s["last"] >= s["first"] - 1), "MANIFEST contradicts itself")
        if i:
            before = made["segments"][i - 1]
            demand(s["number"] == before["number"] + 1 and s["first"] == before["last"] + 1, "MANIFEST leaves a segment out")
    return made


def seal(data, at, salt):
    """The fields of a seal whose head check fits, or None."""
    if data[at:at + 8] != SEAL or at + 48 > len(data):
        return None
    if number(data, at + 44, 4) != check(data[at:at + 44], salt) & LOW:
        return None
    return {"number": number(data, at + 8, 8), "check": number(data, at + 16, 8), "link": number(data, at + 24, 4),
            "unsynced": number(data, at + 28, 4), "stored": number(data, at + 32, 4), "payload": number(data, at + 36, 4),
            "kind": data[at + 40], "flags": data[at + 41], "format": data[at + 42]}


def within_limits(stored, payload):
    return payload <= 1 << 26 and stored <= 68157504 and payload <= 255 * stored + 64


def step(data, at, salt, expected, link, first):
    """One step of the walk: a frame, or the name of a good end."""
    size = len(data)
    if at >= size:
        return "end of file"
    if not any(data[at:]) and size - at <= 1 << 26:
        return "zeros"
    if size - at < 48:
        raise Finding("frame cut short")
    if data[at:at + 8] == FOOTER:
        last = number(data, at + 16, 8)
        if (number(data, at + 40, 8) != check(data[at:at + 40], salt) or last != expected - 1
                or number(data, at + 32, 8) != link or number(data, at + 8, 8) != expected - first):
            raise Finding("footer damaged")
        if any(data[at + 48:]):
            raise Finding("bytes after footer")
        return "footer"
    if data[at:at + 8] != SEAL:
        raise Finding("not a frame")
    found = seal(data, at, salt)
    stored, payload = number(data, at + 32, 4), number(data, at + 36, 4)
    end = at + 48 + stored
    if not found:
        if within_limits(stored, payload) and end <= size:
            other = xxh3(data[at + 48:end]) ^ number(data, at + 16, 8)
            if other & LOW == (xxh3(data[at:at + 44]) & LOW) ^ number(data, at + 44, 4) and other != salt:
                raise Finding("foreign frame")
        raise Finding("seal damaged")
    if found["number"] != expected:
        behind = seal(data, end, salt)
        raise Finding("frame repeated" if found["number"] < expected else
                      "frames swapped" if behind and behind["number"] == expected else "frames missing")
    if found["link"] != link & LOW:
        raise Finding("link broken")
    if found["format"] != 1 or found["flags"] >> 4:
        raise Finding("frame newer")
    if not within_limits(stored, payload):
        raise Finding("frame malformed")
    if end > size:
        raise Finding("frame cut short")
    if check(data[at + 48:end], salt) != found["check"]:
        raise Finding("body damaged")
    found["end"] = end
    found["bytes"] = data[at + 48:end]
    return found


def header(data, entry, store, link, name):
    demand(data is not None, name + " is not there")
    demand(len(data) >= 128 and data[:15] == PRELUDE and number(data, 15, 4) == 109 and data[19:27] == b"XJournal"
           and number(data, 120, 8) == check(data[:120]), "the header of %s is damaged" % name)
    same_format(data, 27, name)
    made = {"salt": number(data, 55, 8), "number": number(data, 63, 8), "first": number(data, 71, 8),
            "firstEdit": number(data, 79, 8), "link": number(data, 87, 8), "window": number(data, 103, 4)}
    demand(all(0 < made[k] <= LARGEST for k in ("number", "first", "firstEdit")) and 0 < made["window"] <= 1 << 30,
           "the header of %s is damaged" % name)
    demand(data[39:55] == store and all(made[k] == entry[k] for k in ("salt", "number", "first"))
           and link in (None, made["link"]), name + " is of another store or place")
    return made


class Journal:
    """All frames of a store, and what they hold: batches and edits that no frame has."""

    def __init__(self, folder, stands_on=0):
        self.manifest = manifest(folder)
        self.store = self.manifest["store"]
        self.own = number(self.store, 8, 8)
        self.notes, self.frames, self.batches = [], [], []
        self.pieces, self.used = {}, set()
        self.buffer = self._buffer(contents(folder, "edits"))
        link, edit = None, None
        for entry in self.manifest["segments"]:
            name = "journal/%010d.xj" % entry["number"]
            data = contents(folder, name)
            head = header(data, entry, self.store, link, name)
            edit = head["firstEdit"] if edit is None else edit
            link, edit = self._walk(name, data, entry, head, edit, stands_on)
        self.tail = self._tail(edit)

    def _walk(self, name, data, entry, head, edit, stands_on):
        at, expected, link, salt = 128, head["first"], head["link"], head["salt"]
        finding, end = None, None
        while True:
            try:
                found = step(data, at, salt, expected, link, head["first"])
            except Finding as problem:
                finding = str(problem)
                break
            if isinstance(found, str):
                end = found
                break
            place = "frame %d of %s" % (expected, name)
            edit = self._frame(found, edit, place)
            at, expected, link = found["end"], expected + 1, found["check"]
        if entry["length"]:
            where = "%s at %d" % (name, at)
            if finding == "frame newer":
                raise Newer(where + ": " + finding)
            demand(finding is None, "%s: %s" % (where, finding))
            demand(end == "footer" and expected - 1 == entry["last"] and link == entry["check"]
                   and at + 48 == entry["length"], where + ": a sealed segment ends otherwise than MANIFEST says")
        else:
            self._judge(name, data, at, expected, salt, head["window"], finding, end, stands_on)
        return link, edit

    def _judge(self, name, data, at, expected, salt, window, finding, end, stands_on):
        """What the end of the active segment is: whole, torn or damaged."""
        durable = max(self.manifest["durable"], self.buffer["durable"], stands_on)
        bad = len(data[at:].rstrip(b"\0"))
        if finding and len(data) - at <= window + (1 << 26):
            place = data.find(b"\x2a\x4d\x18\x28\0\0\0", at)
            while place > 0:
                begin = place - 1
                found = seal(data, begin, salt)
                if found and found["number"] >= expected:
                    durable = max(durable, found["number"] - 1 - found["unsynced"])
                elif data[begin:begin + 8] == FOOTER and number(data, begin + 40, 8) == check(data[begin:begin + 40], salt):
                    durable = max(durable, number(data, begin + 16, 8))
                place = data.find(b"\x2a\x4d\x18\x28\0\0\0", place + 1)
        where = "%s at %d" % (name, at)
        if finding == "frame newer":
            raise Newer(where + ": " + finding)
        demand(durable < expected, "%s: %s, where frames through %d were durable" % (where, finding or end, durable))
        if finding:
            demand(finding in TORN and bad <= window, "%s: %s" % (where, finding))
            self.notes.append("%s: a torn tail of %d bytes: %s" % (where, bad, finding))

    def _frame(self, found, edit, place):
        try:
            payload = lz4_frame(found["bytes"], found["payload"])
            demand(found["kind"] != 2 or not payload, "an idle marker has a payload")
            if found["kind"] == 3:
                self.pieces[found["number"]] = payload
            elif found["kind"] == 1:
                first, edits, commits = self._batch(payload)
                demand(first == edit, "its first edit is %d and not %d" % (first, edit))
                edit += len(edits)
                self.batches.append({"frame": found["number"], "first": first, "edits": edits, "commits": commits})
        except Damage as problem:
            raise Damage("%s: %s" % (place, problem))
        self.frames.append((found["number"], found["kind"], found["payload"]))
        return edit

    def _batch(self, payload):
        r = Reader(payload)
        first = r.varint(LARGEST)
        demand(first, "a batch begins with edit 0")
        parts = []
        for _ in range(2):
            count = r.varint()
            demand(count <= min(r.left(), 2097152), "a batch has more than its bytes can hold")
            part = []
            for _ in range(count):
                field = r.varint()
                raw = r.bytes(field >> 1)
                part.append(self._span(raw) if field & 1 else raw)
            parts.append(part)
        demand(not r.left(), "a batch has bytes behind it")
        return first, parts[0], parts[1]

    def _span(self, raw):
        r = Reader(raw)
        first, count, length, wanted = r.varint(), r.varint(), r.varint(1 << 30), r.fixed(8)
        demand(first and 0 < count <= length and not r.left(), "a span is none")
        names = range(first, first + count)
        demand(all(n in self.pieces and n not in self.used for n in names), "a span names what is no piece of its own")
        whole = b"".join(self.pieces[n] for n in names)
        demand(len(whole) == length and check(whole) == wanted, "the pieces of a span are others")
        self.used.update(names)
        return whole

    def _buffer(self, data):
        """The durable count of the edit buffer and its halves."""
        nothing = {"durable": 0, "halves": []}
        if data is None:
            self.notes.append("edits is not there")
            return nothing
        half = number(data, 40, 4)
        if (len(data) < 64 or data[:8] != b"XJ-EDITS" or number(data, 56, 8) != check(data[:56])
                or half < 32 or half % 8 or len(data) < 4096 + 2 * half):
            self.notes.append("edits is damaged")
            return nothing
        same_format(data, 8, "edits")
        if data[16:32] != self.store:
            self.notes.append("edits is of another store")
            return nothing
        salt, durable, halves = number(data, 32, 8), 0, []
        for at in (1024, 2048):
            if number(data, at + 8, 8) == check(data[at:at + 8], salt):
                durable = max(durable, number(data, at, 8))
        for begin in (4096, 4096 + half):
            area = data[begin:begin + half]
            if not any(area[:8]) and not any(area[32:40]):
                continue
            if number(area, 24, 8) != check(area[:24], salt):
                self.notes.append("a half of edits is damaged")
                continue
            halves.append((number(area, 8, 8), self._entries(area, number(area, 8, 8), salt)))
        return {"durable": durable, "halves": sorted(halves, key=lambda h: h[0])}

    def _entries(self, area, first, salt):
        at, found = 32, []
        while at + 8 <= len(area) and any(area[at:at + 8]):
            field = number(area, at + 4, 4)
            length = field & 0x7FFFFFFF
            raw = area[at + 8:at + 8 + length]
            own = (salt + (first + len(found)) * 0x9E3779B97F4A7C15) % (1 << 64)
            if not length or len(raw) < length or number(area, at, 4) != (check(raw, own) & LOW) ^ field:
                self.notes.append("an entry of edits is damaged")
                break
            found.append((field >> 31, raw))
            at += (8 + length + 7) // 8 * 8
        return found

    def _tail(self, edit):
        """The edits that no frame holds, in order."""
        taken = []
        for first, entries in self.buffer["halves"]:
            for i, (spanned, raw) in enumerate(entries):
                if first + i < edit:
                    continue
                if first + i > edit:
                    self.notes.append("edits has a hole before edit %d" % (first + i))
                    return taken
                try:
                    taken.append(self._span(raw) if spanned else raw)
                except Damage as problem:
                    self.notes.append("edits has a hole: %s" % problem)
                    return taken
                edit += 1
        return taken
