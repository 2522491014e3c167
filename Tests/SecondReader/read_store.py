#!/usr/bin/env python3
"""Reads a store by docs/format.md alone, and prints it: a line of JSON for each thing.

usage: read_store.py [--events] STORE

First the store and its models, then the commits in order with old and new values, then every object at the
last commit, and with --events then everything that happened, the edits that no frame holds last. The commits are folded into a state, and that is compared with the checkpoint, its runs and the
commits behind it, where the journal begins with commit 1 and has had one model. Ends with 0, with 65 and a
sentence where something is damaged, and with 69 where it is of newer code.
"""

import base64
import json
import struct
import sys

sys.dont_write_bytecode = True

from checks import Damage, Newer, demand
from events import applied, commit, event
from journal import Journal, manifest
from snapshots import Snapshots
from values import NONE, NULL, canonical


def plain(value):
    """A value as JSON, with its kind in front of what JSON cannot tell apart."""
    kind = value[0]
    if kind in ("none", "null"):
        return None if kind == "none" else {"null": True}
    if kind in ("boolean", "string"):
        return value[1]
    if kind in ("array", "set"):
        return {kind: [plain(v) for v in value[1]]}
    if kind == "dictionary":
        return {kind: {k: plain(v) for k, v in value[1]}}
    if kind in ("real", "date"):
        return {kind: "%016x" % value[1], "about": repr(struct.unpack("<d", struct.pack("<Q", value[1]))[0])}
    if kind == "data":
        return {kind: base64.b64encode(value[1]).decode()}
    if kind == "uuid":
        return {kind: value[1].hex()}
    if kind == "reference":
        return {kind: {"store": value[1] and "%016x" % value[1], "object": list(value[2:])}}
    return {kind: value[1]}


def printable(found):
    """The fields of an event, an entity or a rule as JSON."""
    if isinstance(found, dict):
        return {k: plain(v) if k == "default" else printable(v) for k, v in found.items()}
    if isinstance(found, tuple) and found and found[0] in ("none", "null", "boolean", "integer", "real", "decimal", "string",
                                                           "data", "date", "uuid", "url", "array", "dictionary", "counter",
                                                           "set", "reference"):
        return plain(found)
    return [printable(f) for f in found] if isinstance(found, (list, tuple)) else found


def changed(state, made):
    """Takes a commit into a state, and gives its changes with old and new values."""
    told = []
    for which, distance, how, changes in made["changes"]:
        had = state.get(which)
        here = "commit %d, object %d/%d: " % ((made["number"],) + which)
        demand((had is None) == (how == "inserted"), here + "it is %s, and was%s there" % (how, " not" * (had is None)))
        demand(distance == 0 or had is None or made["number"] - distance == had[0], here + "the commit before is another one")
        values = dict(had[1]) if had else {}
        lines = []
        for found in changes:
            try:
                old, new = applied(values.get(found[0], NONE), found)
            except Damage as problem:
                raise Damage(here + str(problem))
            lines.append((found[0], old, new))
            values[found[0]] = new
        values = {k: v for k, v in values.items() if v != NONE}
        if how == "deleted":
            demand(not values, here + "it is deleted with values that the commit does not tell")
            state[which] = None
            del state[which]
        else:
            state[which] = (made["number"], values)
        told.append((which, how, lines))
    return told


BOOKS = ("keyNamed", "timePassed", "numbersReserved")


def happening(found, called, key):
    """An event as JSON: who did what, and where it is of one object, to which, and with what value."""
    name, rest = found[0], found[1:]
    told = {"event": name, "context": None if name in ("tagged", "modelAdopted") or name.startswith("kind") else rest[0]}
    if name in ("set", "setPrimitive", "spliced", "membersChanged", "inserted", "deleted", "based", "reconciled"):
        told["object"] = called(rest[1])
    if name in ("set", "setPrimitive", "spliced", "membersChanged"):
        told["key"] = key(rest[2])
    if name in ("set", "setPrimitive"):
        told["value"] = plain(rest[3])
    if name == "membersChanged":
        told["inserted"], told["removed"] = ([called(o) for o in part] for part in rest[3:])
    if name in ("saved", "merged", "tagged", "based"):
        told["commit"] = rest[-1]
    if name in ("contextBegan", "refreshed"):
        told["commit"] = rest[2]
    if name in ("undoSwitched", "refreshed"):
        told["flag"] = bool(rest[1])
    if name == "reconciled":
        told["keys"] = [key(k) for k in rest[2]]
    if name in ("undone", "redone"):
        told["objects"] = [called(restored[1]) for restored in rest[1]]
    if name == "refreshed":
        told["objects"] = [called(o) for o in rest[3]]
    if name in ("renamed", "saveFailed", "stepEnded"):
        told["text"] = rest[1]
    if name == "tagged":
        told["text"] = rest[0]
    return told


class Store:
    """A store as far as it is sound: what it was, commit by commit, and what it is."""

    def __init__(self, folder):
        self.snapshots = Snapshots(folder, manifest(folder))
        point = self.snapshots.checkpoint
        self.through = point["frame"][1] if point else 0
        self.journal = Journal(folder, self.through)
        self.since = point["since"][1] if point else 1
        self.keys, self.models, self.tags, self.commits, self.happened = {}, [], {}, [], []
        whole = self.journal.manifest["segments"][0]["first"] == 1
        if point and not whole:
            self.keys = {i: k[1] for i, k in enumerate(point["keys"][1])}
            self.tags = {k: v[1] for k, v in point["tags"][1]}
            self.models = [event(dict(era[1])["model"][1])[1] for era in point["eras"][1]]
        self.state = {which: (row[1], row[3]) for which, row in self.snapshots.rows.items() if not row[2]}
        folded = {} if whole else None
        for batch in self.journal.batches:
            for edit in batch["edits"]:
                self._event(edit, whole or batch["frame"] > self.through)
            for raw in batch["commits"]:
                made = commit(raw, batch["edits"])
                demand(not self.commits or made["number"] == self.commits[-1][0]["number"] + 1, "a commit is left out")
                told = changed(folded, made) if folded is not None else None
                if batch["frame"] > self.through:
                    behind = changed(self.state, made)
                    told = told or behind
                self.commits.append((made, told))
                self.happened.append(("saved", made["context"], made["number"]))
        for edit in self.journal.tail:
            self._event(edit, True)
        self.compared = folded is not None and len(self.models) < 2
        if self.compared:
            self._compare(folded)

    def _event(self, raw, counts):
        found = event(raw)
        self.happened.append(found)
        if not counts:
            return
        if found[0] == "keyNamed":
            self.keys[found[1]] = found[2]
        elif found[0] == "modelAdopted":
            self.models.append(found[1])
        elif found[0] == "tagged":
            self.tags.pop(found[1], None)
            if found[2] is not None:
                self.tags[found[1]] = found[2]

    def _compare(self, folded):
        demand(set(folded) == set(self.state), "the commits and the runs have other objects")
        for which, (last, values) in folded.items():
            told, kept = self.state[which]
            same = {k: canonical(v) for k, v in values.items() if v != NULL}
            demand(last == told and same == {k: canonical(v) for k, v in kept.items() if v != NULL},
                   "object %d/%d is another one in the runs" % which)

    def lines(self, tells_events):
        names = {e["number"]: e["name"] for e in self.models[-1]} if self.models else {}
        called = lambda which: "%s/%d/%d" % (names.get(which[0] & 4095, which[0] & 4095), which[0] >> 12, which[1])
        key = lambda k: self.keys.get(k, "#%d" % k)
        j = self.journal
        yield {"kind": "store", "identity": "%016x%016x" % (int.from_bytes(j.store[:8], "little"), j.own),
               "since": self.since, "segments": len(j.manifest["segments"]), "frames": len(j.frames),
               "edits": sum(len(b["edits"]) for b in j.batches), "unframed": len(j.tail), "runs": self.snapshots.runs,
               "lists": self.snapshots.lists, "sameForPlistlib": self.snapshots.agreed, "compared": self.compared,
               "tags": self.tags, "notes": j.notes + self.snapshots.notes}
        for model in self.models:
            yield {"kind": "model", "entities": printable(model)}
        for made, told in self.commits:
            if made["number"] < self.since:
                continue
            changes = None if told is None else [
                {"object": called(which), "change": how,
                 "values": {key(k): {"old": plain(old), "new": plain(new)} for k, old, new in lines}}
                for which, how, lines in told]
            yield {"kind": "commit", "number": made["number"], "time": made["time"], "author": made["author"],
                   "message": made["message"], "context": made["contextName"], "policy": made["policy"],
                   "userInfo": {k: plain(v) for k, v in made["userInfo"]}, "changes": changes}
        for which, (last, values) in sorted(self.state.items()):
            yield {"kind": "object", "object": called(which), "commit": last,
                   "values": {key(k): plain(v) for k, v in sorted(values.items())}}
        for found in self.happened:
            if tells_events and found[0] not in BOOKS:
                yield dict(kind="event", **happening(found, called, key))


def main(arguments):
    tells_events = arguments[:1] == ["--events"]
    arguments = arguments[tells_events:]
    if len(arguments) != 1:
        print("usage: read_store.py [--events] STORE", file=sys.stderr)
        return 64
    try:
        for line in Store(arguments[0]).lines(tells_events):
            print(json.dumps(line, ensure_ascii=False, sort_keys=True))
    except Damage as problem:
        print("damaged: %s" % problem, file=sys.stderr)
        return 65
    except Newer as problem:
        print("newer: %s" % problem, file=sys.stderr)
        return 69
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
