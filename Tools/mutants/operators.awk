# Swaps the operators of Swift sources, one at a time: a mutant for each swap, in the form of protocol.txt. The same
# sources give the same mutants, whichever awk makes them.
#
#   LC_ALL=C awk -f Tools/mutants/operators.awk Sources/EventFold/*.swift
#
# A mutant is named by its place, and by what becomes what. Where its line stands in the file more than once, the
# lines around it tell which is meant. Behind each stands its file with the line that it makes.

BEGIN {
  # What stands between spaces.
  swap(" < ", " <= ")
  swap(" <= ", " < ")
  swap(" > ", " >= ")
  swap(" >= ", " > ")
  swap(" == ", " != ")
  swap(" != ", " == ")
  swap(" && ", " || ")
  swap(" || ", " && ")
  # What stands between operands.
  swap("..<", "...")
  swap("...", "..<")
  swap(" += 1", " -= 1")
  swap(" -= 1", " += 1")
  swap(" + 1", "")
  swap(" + 1", " - 1")
  swap(" - 1", "")
  swap(" - 1", " + 1")
  swap(".next", "")
  swap(".next", ".previous")
  swap(".previous", "")
  swap(".previous", ".next")
  swap("true", "false")
  swap("false", "true")
  swap("min", "max")
  swap("max", "min")
  swap(".first", ".last")
  swap(".last", ".first")
  swap(".dropFirst", ".dropLast")
  swap(".dropLast", ".dropFirst")
  swap(".removeFirst", ".removeLast")
  swap(".removeLast", ".removeFirst")
}

FNR == 1 { finish() }
{ line[FNR] = $0; count = FNR; path = FILENAME; text = text $0 "\n" }
END { finish() }

function swap(old, new) {
  olds[++swapCount] = old
  news[swapCount] = new
}

function finish(   i) {
  for (i = 1; i <= count; i++) mutateLine(i, blanked(line[i]))
  count = 0
  text = ""
}

function spaces(count) { return sprintf("%" count "s", "") }

# A line with its texts and comments blanked out: what is found in it is code.
function blanked(text,   before) {
  while (match(text, /"([^"\\]|\\.)*"/))
    text = substr(text, 1, RSTART - 1) spaces(RLENGTH) substr(text, RSTART + RLENGTH)
  if (match(text, /\/\//)) text = substr(text, 1, RSTART - 1)
  return text
}

function mutateLine(i, code,   column, k) {
  if (code ~ /^ *$/ || code ~ / func [^a-zA-Z`]/) return
  negate(i, code)
  for (column = 1; column <= length(code); column++)
    for (k = 1; k <= swapCount; k++)
      if (substr(code, column, length(olds[k])) == olds[k] &&
        stands(substr(code, 1, column - 1), olds[k], substr(code, column + length(olds[k]))))
        write(i, column, olds[k], news[k])
}

# Whether an operator is one, by what is before and behind it.
function stands(before, old, after) {
  if (old ~ /^ .* $/) return 1
  if (old ~ /^\.\./) return before ~ /[A-Za-z0-9_)\]]$/ && after ~ /^[A-Za-z0-9_(]/
  if (old ~ /1$/) return after !~ /^([A-Za-z0-9_.]| <<)/
  if (old ~ /^\.(next|previous)$/) return before ~ /[A-Za-z0-9_)\]]$/ && after !~ /^[A-Za-z0-9_(]/
  if (old ~ /^(true|false)$/)
    return before ~ /(return|[=:?{]) $/ && after !~ /^[A-Za-z0-9_]/ && before !~ /^ *case \(/
  if (old ~ /^m/) return before !~ /[A-Za-z0-9_]$/ && (after ~ /^\(/ || before ~ /\.$/ && after !~ /^[A-Za-z0-9_]/)
  return after !~ /^[A-Za-z0-9_]/
}

# Negates what an `if` or a `guard` asks, one clause at a time, as far as its first line has them whole.
function negate(i, code,   column, begin, depth, sign) {
  if (!match(code, /^ *(\} else )?(if|guard) /)) return
  begin = RSTART + RLENGTH
  for (column = begin; column <= length(code); column++) {
    sign = substr(code, column, 1)
    if (depth == 0 && (sign == "," || substr(code, column) ~ /^ (else )?\{/)) {
      negateClause(i, begin, substr(code, begin, column - begin))
      if (sign != ",") return
      begin = column + 2
    }
    if (sign ~ /[(\[{]/) depth++
    if (sign ~ /[)\]}]/) depth--
  }
}

function negateClause(i, column, clause,   bare) {
  bare = outermost(clause)
  if (clause ~ /^(let|var|case) / || clause ~ /^#/) return
  # That is the other comparison, which is a swap.
  if (bare ~ / [=!]= / && bare !~ / (&&|\|\||\?) /) return
  # As it is written: its texts are blanked out of the clause.
  clause = substr(line[i], column, length(clause))
  if (clause ~ /^try /) {
    column += 4
    clause = substr(clause, 5)
    bare = substr(bare, 5)
  }
  if (bare ~ /^![^ ]*$/) write(i, column, clause, substr(clause, 2))
  else write(i, column, clause, "!(" clause ")")
}

# A clause without what it has in brackets.
function outermost(clause) {
  while (sub(/\([^()]*\)|\[[^][]*\]|\{[^{}]*\}/, "", clause)) {}
  return clause
}

# How often a text stands in the file.
function occurrences(lines,   rest, place, number) {
  rest = text
  while (place = index(rest, lines)) {
    number++
    rest = substr(rest, place + length(lines))
  }
  return number
}

function trimmed(text) {
  gsub(/^ +| +$/, "", text)
  return text == "" ? "nothing" : text
}

function write(i, column, old, new,   before, after, first, last, made) {
  first = last = i
  while (occurrences(before line[i] "\n" after) != 1) {
    if (first > 1) before = line[--first] "\n" before
    if (last < count) after = after line[++last] "\n"
  }
  made = substr(line[i], 1, column - 1) new substr(line[i], column + length(old))
  printf "\n@ %s:%d:%d: %s to %s\n", path, i, column + (old ~ /^ /), trimmed(old), trimmed(new)
  printf "%s\n<\n%s%s\n%s=\n%s%s\n%s>\n", path, before, line[i], after, before, made, after
  printf "# %s: %s\n", path, trimmed(made)
}
