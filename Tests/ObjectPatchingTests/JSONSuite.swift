/// The documents of the public suite nst/JSONTestSuite, one on each line; «» holds bytes in hexadecimal digits.
///
/// Left out are six that are too long for a line; the tests make them.
enum JSONSuite {
  /// What a reader must take, or may take and this one does: numbers of any size.
  static let taken = documents(
    #"""
    [123.456e-789]
    [-1e+9999]
    [1.5e+9999]
    [-123123e100000]
    [123123e100000]
    [123e-10000000]
    [-123123123123123123123123123123]
    [100000000000000000000]
    [-237462374673276894279832749832423479823246327846]
    [[]   ]
    [""]
    []
    ["a"]
    [false]
    [null, 1, "1", {}]
    [null]
    [1«0a»]
    «20»[1]
    [1,null,null,null,2]
    [2]«20»
    [123e65]
    [0e+1]
    [0e1]
    [ 4]
    [-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]«0a»
    [20e1]
    [-0]
    [-123]
    [-1]
    [-0]
    [1E22]
    [1E-2]
    [1E+2]
    [123e45]
    [123.456e78]
    [1e-2]
    [1e+2]
    [123]
    [123.456789]
    {"asd":"sdf", "dfg":"fgh"}
    {"asd":"sdf"}
    {}
    {"":0}
    {"foo\u0000bar": 42}
    { "min": -1.0e+28, "max": 1.0e+28 }
    {"a":[]}
    {«0a»"a": "b"«0a»}
    ["\u0060\u012a\u12AB"]
    ["\uD801\udc37"]
    ["\ud83d\ude39\ud83d\udc8d"]
    ["\"\\\/\b\f\n\r\t"]
    ["\\u0000"]
    ["\""]
    ["a/*b*/c/*d//e"]
    ["\\a"]
    ["\\n"]
    ["\u0012"]
    ["\uFFFF"]
    ["asd"]
    [ "asd"]
    ["\uDBFF\uDFFF"]
    ["new\u00A0line"]
    ["«f48fbfbf»"]
    ["«efbfbf»"]
    ["\u0000"]
    ["\u002c"]
    ["π"]
    ["«f09bbfbf»"]
    ["asd "]
    " "
    ["\uD834\uDd1e"]
    ["\u0821"]
    ["\u0123"]
    ["«e280a8»"]
    ["«e280a9»"]
    ["\u0061\u30af\u30EA\u30b9"]
    ["new\u000Aline"]
    ["«7f»"]
    ["\uA66D"]
    ["\u005C"]
    ["⍂«e388b4»⍂"]
    ["\uDBFF\uDFFE"]
    ["\uD83F\uDFFE"]
    ["\u200B"]
    ["\u2064"]
    ["\uFDD0"]
    ["\uFFFE"]
    ["\u0022"]
    ["€«f09d849e»"]
    ["a«7f»a"]
    false
    42
    -0.1
    null
    "asd"
    true
    ""
    ["a"]«0a»
    [true]
    «20»[]«20»
    """#)

  /// What a reader must refuse, or may refuse and this one does: halves of surrogate pairs, what is not UTF-8, and
  /// byte order marks.
  static let refused = documents(
    #"""
    {"\uDFAA":0}
    ["\uDADA"]
    ["\uD888\u1234"]
    «ff»«fe»[«00»"«00»«e9»«00»"«00»]«00»
    ["«e6»«97»«a5»«d1»«88»«fa»"]
    ["«ed»«a0»«80»"]
    ["\uD800\n"]
    ["\uDd1ea"]
    ["\uD800\uD800\n"]
    ["\ud800"]
    ["\ud800abc"]
    ["«ff»"]
    ["\uDd1e\uD834"]
    ["«e9»"]
    ["\uDFAA"]
    ["«81»"]
    ["«f4»«bf»«bf»«bf»"]
    ["«c0»«af»"]
    ["«fc»«83»«bf»«bf»«bf»«bf»"]
    ["«fc»«80»«80»«80»«80»«80»"]
    ["«e0»«ff»"]
    «00»[«00»"«00»«e9»«00»"«00»]
    [«00»"«00»«e9»«00»"«00»]«00»
    «efbbbf»{}
    [1 true]
    [a«e5»]
    ["": 1]
    [""],
    [,1]
    [1,,2]
    ["x",,]
    ["x"]]
    ["",]
    ["x"
    [x
    [3[4]]
    [«ff»]
    [1:2]
    [,]
    [-]
    [   , ""]
    ["a",«0a»4«0a»,1,
    [1,]
    [1,,]
    ["«0b»a"\f]
    [*]
    [""
    [1,
    [1,«0a»1«0a»,1
    [{}
    [fals]
    [nul]
    [tru]
    123«00»
    [++1234]
    [+1]
    [+Inf]
    [-01]
    [-1.0.]
    [-2.]
    [-NaN]
    [.-1]
    [.2e-3]
    [0.1.2]
    [0.3e+]
    [0.3e]
    [0.e1]
    [0E+]
    [0E]
    [0e+]
    [0e]
    [1.0e+]
    [1.0e-]
    [1.0e]
    [1 000.0]
    [1eE2]
    [2.e+3]
    [2.e-3]
    [2.e3]
    [9.e+]
    [Inf]
    [NaN]
    [«efbc91»]
    [1+2]
    [0x1]
    [0x42]
    [Infinity]
    [0e+-1]
    [-123.123foo]
    [123«e5»]
    [1e1«e5»]
    [0«e5»]«0a»
    [-Infinity]
    [-foo]
    [- 1]
    [-012]
    [-.123]
    [-1x]
    [1ea]
    [1e«e5»]
    [1.]
    [.123]
    [1.2a-3]
    [1.8011670033376514H-308]
    [012]
    ["x", truth]
    {[: "x"}«0a»
    {"x", null}
    {"x"::"b"}
    {«f09f87a8f09f87ad»}
    {"a":"a" 123}
    {key: 'value'}
    {"«b9»":"0",}
    {"a" b}
    {:"b"}
    {"a" "b"}
    {"a":
    {"a"
    {1:1}
    {9999E9999:1}
    {null:null,null:null}
    {"id":0,,,,,}
    {'a':0}
    {"id":0,}
    {"a":"b"}/**/
    {"a":"b"}/**//
    {"a":"b"}//
    {"a":"b"}/
    {"a":"b",,"c":"d"}
    {a: "b"}
    {"a":"a
    { "foo" : "bar", "a" }
    {"a":"b"}#
    «20»
    ["\uD800\"]
    ["\uD800\u"]
    ["\uD800\u1"]
    ["\uD800\u1x"]
    [é]
    ["\«00»"]
    ["\x00"]
    ["\\\"]
    ["\«09»"]
    ["\«f09f8c80»"]
    ["\"]
    ["\u00A"]
    ["\uD834\uDd"]
    ["\uD800\uD800\x"]
    ["\u«e5»"]
    ["\a"]
    ["\uqqqq"]
    ["\«e5»"]
    [\u0020"asd"]
    [\n]
    "
    ['single quote']
    abc
    ["\
    ["a«00»a"]
    ["new«0a»line"]
    ["«09»"]
    "\UA66D"
    ""x
    [«e281a0»]
    «efbbbf»
    <.>
    [<null>]
    [1]x
    [1]]
    ["asd]
    aå
    [True]
    1]
    {"x": true,
    [][]
    ]
    «ef»«bb»{}
    «e5»
    [
    «»
    [«00»]
    2@
    {}}
    {"":
    {"a":/*comment*/"b"}
    {"a": true} "x"
    ['
    [,
    [{
    ["a
    ["a"
    {
    {]
    {,
    {[
    {"a
    {'a'
    ["\{["\{["\{["\{
    «e9»
    *
    {"a":"b"}#{}
    [\u000A""]
    [1
    [ false, nul
    [ true, fals
    [ false, tru
    {"asd":"asd"
    å
    [«e281a0»]
    [«0c»]
    """#)

  /// What the suite has readers take, and this one refuses, so that two readers never differ about a document: keys
  /// that stand twice.
  static let takenByOthers = documents(
    #"""
    {"a":"b","a":"c"}
    {"a":"b","a":"b"}
    """#)

  private static func documents(_ text: String) -> [[UInt8]] {
    text.split(separator: "\n").map { line in
      line.split(separator: "«", omittingEmptySubsequences: false).enumerated().flatMap {
        place, part in
        if place == 0 { return Array(part.utf8) }
        let parts = part.split(separator: "»", omittingEmptySubsequences: false)
        let digits = Array(parts[0].utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).map { index in
          UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
        }
        return bytes + Array(parts[1].utf8)
      }
    }
  }
}
