/// The page that `xjournal report` writes, without what it shows: that stands between its parts, as lines of JSON.
///
/// It asks nobody for anything: no fonts, no scripts from elsewhere, and a policy that lets a browser load none. Text from
/// the journal is only ever set as text.
package enum ReportPage {
  /// All that is the same in every page.
  package static let parts = [beginning, style, middle, script]

  /// What the page does, in parts that are one script.
  static let script = states + showing + drawing + acting

  static let beginning = #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <link rel="icon" href="data:,">

    """#

  /// What stands behind the summary, up to the lines of JSON.
  static let middle = #"""
    <div id="app" class="hidden">
    <main>
    <section aria-label="Timeline">
      <canvas id="timeline" role="img" aria-label="Changes by commit"></canvas>
      <label for="slider" class="faint">Commit</label>
      <input id="slider" type="range" step="1" aria-describedby="place">
      <div class="controls">
        <button id="first" type="button" title="First commit (Home)">|◀</button>
        <button id="back" type="button" title="One back (←)">◀</button>
        <button id="play" type="button" title="Play (Space)" aria-pressed="false">▶︎ play</button>
        <button id="forward" type="button" title="One on (→)">▶</button>
        <button id="last" type="button" title="Last commit (End)">▶|</button>
        <select id="tags" aria-label="Tag"></select>
        <span id="place" class="grow" aria-live="polite"></span>
      </div>
    </section>
    <div class="panes">
      <section aria-labelledby="objects-title">
        <h2 id="objects-title">Objects</h2>
        <div class="controls">
          <select id="entity" aria-label="Entity"></select>
          <input id="filter" type="search" class="grow" placeholder="filter ( / )" aria-label="Filter">
          <span class="together">
            <button id="previous-page" type="button" aria-label="Previous page">‹</button>
            <span id="page" class="faint"></span>
            <button id="next-page" type="button" aria-label="Next page">›</button>
          </span>
        </div>
        <div class="scroll" tabindex="0" role="region" aria-label="Objects at this commit">
          <table id="objects"><thead></thead><tbody></tbody></table>
        </div>
      </section>
      <section aria-labelledby="commit-title">
        <h2 id="commit-title">Commit</h2>
        <pre id="message"></pre>
        <div class="scroll" tabindex="0" role="region" aria-label="Changes of this commit">
          <table id="changes"><tbody></tbody></table>
        </div>
      </section>
    </div>
    <section id="history-section" class="hidden" aria-labelledby="history-title">
      <h2 id="history-title">History</h2>
      <div class="scroll" tabindex="0" role="region" aria-label="History of the object">
        <table id="history"><thead><tr><th>Commit</th><th>When</th><th>Who</th><th>Key</th><th>Old</th><th>New</th></tr></thead>
        <tbody></tbody></table>
      </div>
    </section>
    <section aria-labelledby="growth-title">
      <h2 id="growth-title">Size and activity over time</h2>
      <canvas id="growth" role="img" aria-label="Bytes of the journal over time"></canvas>
      <div id="growth-text" class="faint"></div>
    </section>
    <section aria-labelledby="drafts-title">
      <h2 id="drafts-title">Drafts</h2>
      <div id="drafts"></div>
    </section>
    </main>
    </div>
    <script type="application/x-ndjson" id="data">

    """#
}
