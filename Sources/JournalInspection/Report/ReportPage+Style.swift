/// How the page looks, in light and dark, wide and narrow.
extension ReportPage {
  static let style = #"""
    <style>
    :root {
      --ground: #fbfbf9; --panel: #ffffff; --text: #1d1f21; --faint: #62676d; --line: #dcdcd6;
      --accent: #0b6bcb; --bar: #9db8d6; --added: #12703a; --removed: #b3261e; --touched: #fff4cf;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #15171a; --panel: #1d2024; --text: #e6e7e8; --faint: #9aa1a9; --line: #33383e;
        --accent: #6db3ff; --bar: #3f5f80; --added: #6fd08c; --removed: #ff8a80; --touched: #3a3417;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; padding: 1.25rem; background: var(--ground); color: var(--text);
      font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif;
    }
    main { max-width: 80rem; margin: 0 auto; display: grid; gap: 1rem; }
    h1 { font-size: 1.35rem; margin: 0; overflow-wrap: anywhere; }
    h2 { font-size: 1rem; margin: 0 0 .5rem; }
    section { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem;
      min-width: 0; }
    .facts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .4rem 0 0; padding: 0; list-style: none;
      color: var(--faint); }
    .facts b { color: var(--text); font-weight: 600; }
    header { margin-bottom: 1rem; }
    .panes { display: grid; gap: 1rem; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); }
    @media (max-width: 60rem) { .panes { grid-template-columns: minmax(0, 1fr); } }
    .scroll { overflow: auto; max-height: 32rem; }
    table { border-collapse: collapse; width: 100%; font-size: .9rem; }
    th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line);
      overflow-wrap: anywhere; min-width: 4.5rem; }
    thead th { position: sticky; top: 0; background: var(--panel); font-weight: 600; white-space: nowrap; }
    td:first-child { white-space: nowrap; overflow-wrap: normal; }
    tr.touched td { background: var(--touched); }
    .old { color: var(--removed); } .new { color: var(--added); } .faint { color: var(--faint); }
    .sound { color: var(--added); } .damaged { color: var(--removed); }
    canvas { display: block; width: 100%; height: 90px; cursor: pointer; }
    #growth { height: 70px; cursor: default; }
    input[type=range] { width: 100%; margin: .35rem 0; accent-color: var(--accent); }
    .controls { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
    .together { display: inline-flex; gap: .4rem; align-items: center; white-space: nowrap; }
    button, select, input[type=search] {
      font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 6px;
      padding: .2rem .6rem;
    }
    button { cursor: pointer; } button:disabled { opacity: .45; cursor: default; }
    button.link { border: 0; background: none; padding: 0; color: var(--accent); text-align: left; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
    pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
    .grow { flex: 1 1 8rem; min-width: 0; }
    .hidden { display: none; }
    </style>
    </head>
    <body>

    """#
}
