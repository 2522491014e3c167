# Reads the segments of `llvm-cov export` (one object a line) and what may stay uncovered, and
# prints for each room how many regions ran. Fails where that is less than a share of the room,
# and names each line where code begins that never ran in a strict room or file.
#
#   awk -v root=… -v listing=Tests/uncovered.txt -v strict="Journaling ObjectStore/Run*" -v percent=95 -f …
#
# rooms: what there must be something of.
# strict: rooms, and files of rooms without their ending, of which * stands for any letters.
#
# What an assertion says when it fails is no region of ours: text after a comma, never evaluated.

function trimmed(text) {
  sub(/^[ \t]+/, "", text)
  sub(/[ \t]+$/, "", text)
  return text
}

function readSource(path,   text) {
  delete source
  sourceCount = 0
  while ((getline text < path) > 0) source[++sourceCount] = text
  close(path)
}

# Whether the region at a place is the message of an assertion.
function isMessage(line, column,   before) {
  if (substr(source[line], column, 1) != "\"" && substr(source[line], column, 2) != "#\"") return 0
  before = trimmed(substr(source[line], 1, column - 1))
  if (before == "" && line > 1) before = trimmed(source[line - 1])
  return before ~ /,$/
}

# The first line of the code that begins at a place: what follows a brace or an end stands below.
function firstLine(line, column,   text) {
  text = trimmed(substr(source[line], column))
  if (text == "" || text == "{" || text ~ /^\{ *(\[[^]]*\] *)?([^{}]* in)?$/) {
    do line++
    while (line < sourceCount && trimmed(source[line]) == "")
  }
  return line
}

function readSegments(text,   count, i, field, wasZero) {
  sub(/^.*"segments":\[\[/, "", text)
  sub(/\]\].*$/, "", text)
  count = split(text, segment, /\],\[/)
  wasZero = 0
  for (i = 1; i <= count; i++) {
    split(segment[i], field, ",")
    if (field[5] == "true" && field[6] == "false" && field[4] == "true") {
      if (field[3] + 0 > 0) {
        total[room]++
        ran[room]++
      } else if (!isMessage(field[1] + 0, field[2] + 0)) {
        total[room]++
        if (!wasZero) noteUncovered(firstLine(field[1] + 0, field[2] + 0))
      } else {
        continue
      }
    }
    wasZero = (field[4] == "true" && field[3] + 0 == 0)
  }
}

# Whether all of a file must run, or be listed; notes which names of strict rooms and files it has.
function findStrict(name, room,   i, isFound) {
  sub(/\.swift$/, "", name)
  for (i = 1; i <= strictCount; i++) {
    if (room == strictName[i] || name ~ strictPattern[i]) isFound = wasFound[i] = 1
  }
  return isFound
}

function noteUncovered(line,   key) {
  if (!isStrict) return
  key = path ": " trimmed(source[line])
  if (key in lastLine && lastLine[key] == line) return
  lastLine[key] = line
  places[key] = places[key] " " line
  if (!uncovered[key]++) order[++orderCount] = key
}

BEGIN {
  strictCount = split(strict, strictName, " ")
  for (i = 1; i <= strictCount; i++) {
    text = strictName[i]
    gsub(/[+.]/, "[&]", text)
    gsub(/\*/, "[^/]*", text)
    strictPattern[i] = "^" text "$"
  }
  while ((getline text < listing) > 0) {
    listingLine++
    if (text ~ /^[ \t]*$/ || text ~ /^#/) continue
    if (match(text, /.* # /) == 0 || trimmed(substr(text, RLENGTH + 1)) == "") {
      print "error: " listing ":" listingLine ": no reason (path: text # reason): " text
      failed = 1
      continue
    }
    key = trimmed(substr(text, 1, RLENGTH - 3))
    if (!listed[key]++) listOrder[++listCount] = key
  }
}

/"filename":".*\/Sources\// && /"segments":\[\[/ {
  path = $0
  sub(/^.*"filename":"/, "", path)
  sub(/".*$/, "", path)
  readSource(path)
  if (substr(path, 1, length(root) + 1) != root "/Sources/") path = path
  path = substr(path, length(root) + 2)
  split(path, part, "/")
  room = part[2]
  if (!(room in total)) roomOrder[++roomCount] = room
  total[room] += 0
  isStrict = findStrict(substr(path, length("Sources/") + 1), room)
  readSegments($0)
}

END {
  for (i = 1; i <= roomCount; i++) {
    room = roomOrder[i]
    share = total[room] ? 100 * ran[room] / total[room] : 100
    printf "coverage: %-20s %5d of %5d regions  %6.2f %%\n", room, ran[room], total[room], share
    if (share < percent) {
      printf "error: %s is below %s %%\n", room, percent
      failed = 1
    }
  }
  wantedCount = split(rooms, wanted, " ")
  for (i = 1; i <= wantedCount; i++) {
    if (!(wanted[i] in total)) {
      print "error: the tests ran nothing of " wanted[i]
      failed = 1
    }
  }
  for (i = 1; i <= strictCount; i++) {
    if (!wasFound[i]) {
      print "error: there is no room or file " strictName[i] ", all of which should run"
      failed = 1
    }
  }
  for (i = 1; i <= orderCount; i++) {
    key = order[i]
    if (uncovered[key] > listed[key]) {
      print "error: never ran, not listed in " listing " (line" places[key] "): " key
      failed = 1
    }
  }
  for (i = 1; i <= listCount; i++) {
    key = listOrder[i]
    if (listed[key] > uncovered[key]) {
      print "error: listed in " listing ", but it ran or is gone: " key
      failed = 1
    }
  }
  exit failed
}
