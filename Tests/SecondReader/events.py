"""Events and commits of docs/format.md."""

from checks import Newer, demand
from values import NONE, Reader, canonical

EVENTS = {
    1: "set c o k v", 2: "setPrimitive c o k v", 3: "inserted c o", 4: "deleted c o", 5: "membersChanged c o k O O",
    6: "based c o n", 7: "renamed c t", 8: "stepEnded c T", 9: "undoSwitched c f", 10: "undone c R", 11: "redone c R",
    12: "refreshed c f n O", 13: "merged c n", 14: "rolledBack c", 15: "wasReset c", 16: "saved c n", 17: "saveFailed c t",
    18: "reconciled c o K", 19: "spliced c o k S", 32: "keyNamed k t", 33: "modelAdopted E", 34: "timePassed i", 35: "numbersReserved o",
    36: "contextBegan c t n C", 37: "contextEnded c", 38: "draftDiscarded c", 39: "tagged t N",
    40: "contextResumed c t n n V"}


def event(data):
    """The name of an event and its fields."""
    r = Reader(data)
    kind = r.u8()
    demand(kind, "an event has the kind 0")
    if kind not in EVENTS:
        if kind > 127:
            raise Newer("an event is of newer code")
        return ("kind%d" % kind,)
    read = {"c": r.commit, "o": r.object, "k": r.key, "v": r.optional_value, "O": lambda: r.list(r.object), "n": r.commit,
            "t": r.text, "T": lambda: r.optional(r.text), "f": r.flag, "R": lambda: r.list(r.restoration),
            "K": lambda: r.list(r.key), "E": lambda: r.list(r.entity), "i": lambda: r.fixed(8),
            "C": lambda: r.optional(r.commit), "N": lambda: r.optional(r.commit), "V": r.varint, "S": r.splice}
    name, *fields = EVENTS[kind].split()
    found = (name,) + tuple(read[f]() for f in fields)
    demand(not r.left(), "an event has bytes behind it")
    return found


def commit(data, edits):
    """A commit, with the edits of its batch for the values that it names by their places."""
    r = Reader(data)
    if r.u8() != 1:
        raise Newer("a commit is of newer code")
    made = {"number": r.commit(), "time": int.from_bytes(r.bytes(8), "little", signed=True), "context": r.commit(),
            "contextName": r.optional(r.text), "edits": r.varint((1 << 63) - 1), "author": r.optional(r.text),
            "message": r.optional(r.text), "userInfo": r.entries(), "changes": [], "policy": None}
    place = 0

    def positioned(which, key):
        nonlocal place
        place += r.svarint()
        demand(0 <= place < len(edits), "a commit names an edit that its batch does not have")
        named = event(edits[place])
        place += 1
        demand(named[0] in ("set", "setPrimitive") and named[2:4] == (which, key) and named[4] != NONE,
               "a commit names an edit of something else")
        return named[4]

    last_group = -1
    for _ in range(r.varint()):
        group = r.varint((1 << 28) - 1)
        demand(group > last_group, "the groups of a commit are not in order")
        last_group, next_number = group, 0
        for _ in range(r.varint()):
            which = (group, next_number + r.varint())
            next_number = which[1] + 1
            distance, head = r.varint(), r.varint()
            demand(which[1] < 1 << 36 and distance < made["number"] and head & 3 < 3, "an object of a commit is none")
            changes, next_key = [], 0
            for _ in range(head >> 2):
                code = r.varint()
                key, form = next_key + (code >> 3), code & 7
                next_key = key + 1
                demand((form < 2, form == 2, True)[(0, 2, 1)[head & 3]] if head & 3 != 1 else True,
                       "a change does not befit its object")
                changes.append((key, form) + change(r, form, lambda: positioned(which, key)))
            made["changes"].append((which, distance, ("inserted", "updated", "deleted")[head & 3], changes))
    last_kind = 0
    for _ in range(r.varint()):
        kind, body = r.u8(), r.bytes(r.varint())
        demand(kind > last_kind, "the fields of a commit are not in order")
        last_kind = kind
        if kind > 127:
            raise Newer("a commit has a field of newer code")
        if kind == 1 and len(body) == 1:
            made["policy"] = body[0]
    demand(not r.left(), "a commit has bytes behind it")
    return made


def change(r, form, positioned):
    if form == 0:
        return (NONE, r.value())
    if form == 1:
        return (NONE, positioned())
    if form == 2:
        return (r.value(), NONE)
    if form == 3:
        return (r.value(), r.value())
    if form == 4:
        return (r.value(), positioned())
    if form == 5:
        return r.splice()
    if form == 6:
        return (r.svarint(),)
    return (r.members(), r.members())


def applied(old, found):
    """The old and new value of a change, with what the object had."""
    form, rest = found[1], found[2:]
    if form < 5:
        demand(canonical(old) == canonical(rest[0]), "the old value of a commit is not that of the state")
        return rest
    if form == 6:
        demand(old[0] == "counter", "what grows is no counter")
        return old, ("counter", (old[1] + rest[0] + (1 << 63)) % (1 << 64) - (1 << 63))
    if form == 7:
        demand(old[0] == "set", "what gets members is no set")
        have = [canonical(v) for v in old[1]]
        come, go = ([canonical(v) for v in part] for part in rest)
        demand(all(v in have for v in go) and not any(v in have for v in come), "the members of a set are others")
        return old, ("set", tuple([v for v in have if v not in go] + come))
    parts, suffix = rest
    demand(old[0] == parts[0][1][0], "a middle is of another kind")

    def raw(value):
        return value[1].encode() if value[0] == "string" else value[1]

    left, made = raw(old), raw((old[0], "" if old[0] == "string" else type(old[1])()))
    for kept, before, after in parts:
        before = raw(before)
        demand(left[kept:kept + len(before)] == before and len(left) >= kept + len(before),
               "a middle of a commit is not that of the state")
        made, left = made + left[:kept] + raw(after), left[kept + len(before):]
    demand(len(left) == suffix, "what a commit keeps is not that of the state")
    made += left
    return old, (old[0], made.decode() if old[0] == "string" else made)
