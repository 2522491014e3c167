"""Values and property lists of docs/format.md, and the fields that events and commits are made of."""

import plistlib
import struct
import unicodedata

from checks import Damage, demand

LARGEST = 1 << 62
NONE = ("none",)
NULL = ("null",)


def canonical(value):
    """The same value with members of a set in one order, to be compared."""
    kind = value[0]
    if kind == "set":
        return (kind, tuple(sorted((canonical(v) for v in value[1]), key=repr)))
    if kind == "array":
        return (kind, tuple(canonical(v) for v in value[1]))
    if kind == "dictionary":
        return (kind, tuple(sorted((k, canonical(v)) for k, v in value[1])))
    return value


def plist(data, own):
    """The value of a property list, with references to the store `own` as the store's own."""
    demand(len(data) >= 41 and data[:8] == b"bplist00" and data[-32:-26] == bytes(6), "not a property list")
    width, reference = data[-26], data[-25]
    count, root, table = struct.unpack(">QQQ", data[-24:])
    demand(1 <= width <= 8 and 1 <= reference <= 8 and 0 < count < (1 << 32) - 1 and root < count
           and 8 <= table and table + width * count == len(data) - 32, "the trailer of a property list contradicts it")
    places = [int.from_bytes(data[table + width * i:table + width * (i + 1)], "big") for i in range(count)]

    def take(at, length):
        demand(8 <= at and at + length <= table, "an object of a property list reaches past the table")
        return data[at:at + length]

    def counted(at):
        n = take(at, 1)[0] & 15
        if n != 15:
            return n, at + 1
        marker = take(at + 1, 1)[0]
        demand(0x10 <= marker <= 0x13, "the count of a property list's object is no integer")
        size = 1 << (marker & 15)
        n = int.from_bytes(take(at + 2, size), "big")
        demand(n < 1 << 63, "a count of a property list is negative")
        return n, at + 2 + size

    def references(at, n):
        raw = take(at, n * reference)
        found = [int.from_bytes(raw[reference * i:reference * (i + 1)], "big") for i in range(n)]
        demand(all(i < count for i in found), "a reference of a property list leads nowhere")
        return found

    def uid(index):
        marker = take(places[index], 1)[0]
        return int.from_bytes(take(places[index] + 1, (marker & 15) + 1), "big") if marker >> 4 == 8 else None

    def decode(index, depth, within):
        at = places[index]
        marker = take(at, 1)[0]
        kind, n = marker >> 4, marker & 15
        if marker in (8, 9):
            return ("boolean", marker == 9)
        if kind == 1 and n <= 4:
            value = int.from_bytes(take(at + 1, 1 << n), "big", signed=n > 2)
            demand(-(1 << 63) <= value < 1 << 63, "an integer of a property list is too large")
            return ("integer", value)
        if marker in (0x22, 0x23):
            raw = take(at + 1, 4 if n == 2 else 8)
            return ("real", struct.unpack(">Q", raw if n == 3 else struct.pack(">d", struct.unpack(">f", raw)[0]))[0])
        if marker == 0x33:
            return ("date", struct.unpack(">Q", take(at + 1, 8))[0])
        if kind == 8:
            demand(uid(index) == 0, "a UID of a property list stands by itself")
            return NULL
        demand(kind in (4, 5, 6, 10, 13), "a property list has an unknown marker")
        n, at = counted(at)
        try:
            if kind == 4:
                return ("data", bytes(take(at, n)))
            if kind == 5:
                return ("string", take(at, n).decode("ascii"))
            if kind == 6:
                return ("string", take(at, 2 * n).decode("utf-16-be"))
        except UnicodeDecodeError:
            raise Damage("a string of a property list is malformed")
        demand(index not in within, "a container of a property list holds itself")
        within = within | {index}
        if kind == 13:
            demand(depth < 129, "a property list is too deep")
            keys = [decode(i, depth + 1, within) for i in references(at, n)]
            values = [decode(i, depth + 1, within) for i in references(at + n * reference, n)]
            demand(all(k[0] == "string" for k in keys), "a key of a property list is no string")
            demand(len({unicodedata.normalize("NFC", k[1]) for k in keys}) == n, "a key of a property list stands twice")
            return ("dictionary", tuple(sorted(zip((k[1] for k in keys), values))))
        elements = references(at, n)
        tag = uid(elements[0]) if elements else None
        if not tag:
            demand(depth < 129, "a property list is too deep")
            return ("array", tuple(decode(i, depth + 1, within) for i in elements))
        parts = [decode(i, depth + 1, within) for i in elements[1:]]
        kinds = [p[0] for p in parts]
        if tag == 13:
            demand(len({canonical(p) for p in parts}) == len(parts), "a member of a set stands twice")
            return ("set", tuple(parts))
        shapes = {4: ["string"], 8: ["data"], 9: ["string"], 12: ["integer"], 14: ["integer", "integer"]}
        demand(shapes.get(tag) == kinds, "a tagged value of a property list is none")
        if tag == 4:
            return ("decimal", parts[0][1])
        if tag == 8:
            demand(len(parts[0][1]) == 16, "a UUID has not 16 bytes")
            return ("uuid", parts[0][1])
        if tag == 14:
            which, store = parts[0][1] % (1 << 64), parts[1][1] % (1 << 64)
            return ("reference", None if store == own else store, which >> 36, which & (1 << 36) - 1)
        return ({9: "url", 12: "counter"}[tag], parts[0][1])

    return decode(root, 0, frozenset())


def agrees_with_plistlib(data, value, own):
    """Whether Python's own decoder sees the same; None where it refuses what it cannot say."""
    try:
        theirs = plistlib.loads(data)
    except (OverflowError, ValueError, plistlib.InvalidFileException):
        return None

    def same(a, b):
        kind = a[0]
        if isinstance(b, plistlib.UID):
            return kind == "null" and b.data == 0
        if kind == "array":
            return isinstance(b, list) and len(b) == len(a[1]) and all(map(same, a[1], b))
        if kind == "dictionary":
            return isinstance(b, dict) and len(b) == len(a[1]) and all(same(v, b[k]) for k, v in a[1])
        if isinstance(b, list):
            return b[0].data == {"decimal": 4, "uuid": 8, "url": 9, "counter": 12, "set": 13, "reference": 14}[kind]
        if kind == "real":
            return struct.unpack(">Q", struct.pack(">d", b))[0] == a[1] or b != b
        return kind == "date" or b == a[1]

    return same(value, theirs)


class Reader:
    """Reads the fields of events, commits, batches and directories."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def left(self):
        return len(self.data) - self.at

    def bytes(self, count):
        demand(count <= self.left(), "a field reaches past its end")
        self.at += count
        return bytes(self.data[self.at - count:self.at])

    def fixed(self, count):
        return int.from_bytes(self.bytes(count), "little")

    def u8(self):
        return self.fixed(1)

    def varint(self, most=(1 << 64) - 1):
        value, shift = 0, 0
        while True:
            byte = self.u8()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                demand((byte or shift == 7) and value < 1 << 64, "a varint is not the shortest")
                demand(value <= most, "a number is too large")
                return value
            demand(shift < 70, "a varint is too long")

    def svarint(self):
        n = self.varint()
        return n >> 1 ^ -(n & 1)

    def flag(self):
        value = self.u8()
        demand(value < 2, "a flag is neither 0 nor 1")
        return value == 1

    def utf8(self, count):
        try:
            return self.bytes(count).decode("utf-8")
        except UnicodeDecodeError:
            raise Damage("a text is no UTF-8")

    def text(self):
        return self.utf8(self.varint())

    def optional(self, read):
        return read() if self.flag() else None

    def list(self, read):
        count = self.varint()
        demand(count <= self.left(), "a list has more than its bytes can hold")
        return [read() for _ in range(count)]

    def commit(self):
        return self.varint(LARGEST)

    def key(self):
        return self.varint((1 << 32) - 1)

    def object(self):
        return (self.varint((1 << 28) - 1), self.varint((1 << 36) - 1))

    def value(self, depth=0):
        value = self.optional_value(depth)
        demand(value != NONE, "there is no value where one has to be")
        return value

    def entries(self, depth=0):
        found = self.list(lambda: (self.text(), self.value(depth)))
        keys = [k.encode() for k, _ in found]
        demand(all(a < b for a, b in zip(keys, keys[1:])), "the keys of a dictionary are not in order")
        demand(len({unicodedata.normalize("NFC", k) for k, _ in found}) == len(found), "a key stands twice")
        return tuple(found)

    def members(self, depth=0):
        return tuple(self.list(lambda: self.value(depth)))

    def optional_value(self, depth=0):
        tag = self.u8()
        demand(depth <= 128, "values are too deep")
        if tag >= 128:
            return ("integer", tag - 144)
        if tag >= 64:
            return ("string", self.utf8(tag - 64))
        demand(tag <= 18, "a value has an unknown tag")
        if tag < 4:
            return (NONE, NULL, ("boolean", False), ("boolean", True))[tag]
        if tag in (4, 15):
            n = self.svarint()
            demand(tag == 15 or not -16 <= n <= 111, "a small integer is not written as one")
            return ("integer" if tag == 4 else "counter", n)
        if tag in (5, 10):
            return ("real" if tag == 5 else "date", self.fixed(8))
        if tag in (6, 7):
            return ("decimal", self.decimal(tag == 7))
        if tag in (8, 12):
            text = self.text()
            demand(tag == 12 or len(text.encode()) >= 64, "a short string is not written as one")
            return ("string" if tag == 8 else "url", text)
        if tag == 9:
            return ("data", self.bytes(self.varint()))
        if tag == 11:
            return ("uuid", self.bytes(16))
        if tag == 13:
            return ("array", self.members(depth + 1))
        if tag == 14:
            return ("dictionary", self.entries(depth + 1))
        if tag == 16:
            return ("set", self.members(depth + 1))
        return ("reference", None if tag == 17 else self.fixed(8)) + self.object()

    def decimal(self, negative):
        exponent = int.from_bytes(self.bytes(1), "little", signed=True)
        mantissa = self.varint() | self.varint() << 64
        demand((mantissa or (not negative and not exponent)) and (mantissa % 10 or exponent == 127 or not mantissa),
               "a decimal is not in its form")
        digits = str(mantissa)
        if exponent >= 0:
            digits = digits + "0" * exponent if mantissa else "0"
        else:
            digits = digits.rjust(1 - exponent, "0")
            digits = digits[:exponent] + "." + digits[exponent:]
        return ("-" if negative else "") + digits

    def attribute(self):
        made = {"name": self.text(), "type": self.u8()}
        demand(made["type"] <= 13, "an attribute has an unknown type")
        if made["type"] == 13:
            made["transformer"] = self.text()
        made["flags"] = self.u8()
        made["default"] = self.optional_value()
        made["merging"] = self.u8()
        if made["merging"] == 2:
            made["merger"] = self.text()
        demand(made["flags"] < 16 and made["merging"] <= 2, "an attribute has flags of other bits")
        made["rules"] = self.list(self.rule)
        made["renaming"] = self.optional(self.text)
        return made

    def rule(self):
        kind = self.u8()
        demand(kind <= 4, "a rule is unknown")
        return (kind, self.svarint() if kind < 2 else self.text() if kind == 4 else self.value())

    def relationship(self):
        made = {"name": self.text(), "destination": self.text(), "inverse": self.optional(self.text),
                "flags": self.u8(), "least": self.optional(self.svarint), "largest": self.optional(self.svarint),
                "deleteRule": self.u8(), "renaming": self.optional(self.text)}
        demand(made["flags"] < 16 and made["deleteRule"] < 4, "a relationship has flags of other bits")
        return made

    def entity(self):
        made = {"number": self.varint(4095), "name": self.text(), "parent": self.optional(self.text),
                "flags": self.u8(), "attributes": self.list(self.attribute),
                "relationships": self.list(self.relationship), "renaming": self.optional(self.text)}
        demand(made["flags"] < 4, "an entity has flags of other bits")
        return made

    def restoration(self):
        kind = self.u8()
        demand(kind < 3, "a restoration is unknown")
        return (kind, self.object(), self.list(lambda: (self.key(), self.restored(kind))))

    def restored(self, kind):
        if kind == 1 and self.left() and self.data[self.at] == 19:
            self.u8()
            return ("splice",) + self.splice()
        return self.optional_value()

    def splice(self):
        kept = (self.varint((1 << 63) - 1), self.varint((1 << 63) - 1))
        further = 0
        if self.left() and self.data[self.at] == 19:
            self.u8()
            further = self.varint()
            demand(0 < further <= self.left(), "several middles are one, or more than there are")
        parts = [(kept[0], self.value(), self.value())]
        for _ in range(further):
            parts.append((self.varint((1 << 63) - 1), self.value(), self.value()))
            demand(parts[-1][0] > 0, "nothing is kept between two middles")
        for _, old, new in parts:
            demand(old[0] == new[0] == parts[0][1][0] and old[0] in ("string", "data", "array"),
                   "a middle is of another kind")
        return (tuple(parts), kept[1])
