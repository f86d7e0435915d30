/** The style sheet of reports: for screens, light or dark, and for paper. */
export const styles = `
:root {
  color-scheme: light dark;
  --paper: #fff; --card: #f7f8fa; --ink: #1b2230; --dim: #5d6778; --line: #dfe3ea; --accent: #2f5fd0;
  --good: #14804a; --bad: #c62f2f; --unsure: #a86400; --quiet: #6b7484; --lived: #7a45b8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161d; --card: #1a2029; --ink: #e4e8ee; --dim: #98a3b3; --line: #2c3441; --accent: #7fa5ff;
    --good: #4cc38a; --bad: #ff7b72; --unsure: #e5a53a; --quiet: #8b95a5; --lived: #bb94f0;
  }
}
.passed { --tone: var(--good); }
.failed, .stale-waiver, .harness-error { --tone: var(--bad); }
.inconclusive, .not-observed, .warned { --tone: var(--unsure); }
.not-applicable, .informational { --tone: var(--quiet); }
.waived { --tone: var(--lived); }
* { box-sizing: border-box; }
html { scroll-padding-top: 112px; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main, .top, .bar { max-width: 1120px; margin: 0 auto; padding: 0 24px; }
h2 { margin: 40px 0 12px; font-size: 20px; overflow-wrap: anywhere; }
h3 { margin: 28px 0 8px; font-size: 16px; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font: 13px/1.45 ui-monospace, SFMono-Regular, Menlo, monospace; }
pre { margin: 0; padding: 10px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); white-space: pre-wrap; overflow-wrap: anywhere; }
.top { padding-top: 36px; }
.brand { color: var(--dim); font-size: 13px; letter-spacing: .04em; text-transform: uppercase; }
h1 { margin: 4px 0 2px; font-size: 34px; line-height: 1.2; color: var(--tone); }
.lead { margin: 0; font-size: 17px; }
.notes { margin: 10px 0 0; padding-left: 18px; color: var(--dim); font-size: 13px; overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 10px 24px; margin: 24px 0; padding: 16px 0; border: solid var(--line); border-width: 1px 0; }
.facts dt { color: var(--dim); font-size: 12px; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.share { display: block; width: 100%; height: 12px; border-radius: 6px; }
.share rect, .amount rect { fill: var(--tone); }
.bar { position: sticky; top: 0; z-index: 1; padding-top: 12px; padding-bottom: 12px; background: var(--paper); border-bottom: 1px solid var(--line); }
.bar div { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
.bar div + div { margin-top: 8px; }
input, select { padding: 6px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: inherit; font: inherit; }
input { flex: 1 1 200px; min-width: 0; }
select { max-width: 240px; min-width: 0; }
code { overflow-wrap: anywhere; }
.bar button { padding: 4px 11px; border: 1px solid var(--line); border-radius: 14px; background: none; color: var(--tone); font: 600 13px/1.4 system-ui, sans-serif; cursor: pointer; }
.bar button[aria-pressed="true"] { background: var(--tone); border-color: var(--tone); color: var(--paper); }
.found { color: var(--dim); font-size: 13px; min-width: 70px; text-align: right; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 500; font-size: 13px; color: var(--dim); }
th, td { padding: 7px 12px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
.matrix { width: auto; min-width: 60%; }
.matrix td, .matrix th { padding-right: 28px; }
.matrix b { font-weight: 600; color: var(--tone); }
.matrix small { color: var(--dim); }
.badge { display: inline-block; padding: 0 8px; border: 1px solid currentColor; border-radius: 10px; color: var(--tone); font-size: 12px; font-weight: 600; line-height: 18px; white-space: nowrap; }
.clauses td:first-child { width: 128px; }
.clauses td:last-child { width: 230px; }
.statement { margin: 0; }
.id { font-weight: 600; }
.tag { color: var(--dim); font-size: 12px; margin-left: 6px; }
.reason { margin: 2px 0 0; color: var(--tone); font-size: 14px; }
.evidence { font-size: 13px; color: var(--dim); }
.evidence ul { margin: 4px 0 0; padding-left: 16px; }
summary { cursor: pointer; }
.summary { margin-bottom: 28px; }
.shares { margin: 8px 0 0; display: flex; flex-wrap: wrap; gap: 4px 16px; color: var(--dim); font-size: 13px; }
.shares b { color: var(--tone); }
.first { margin: 0 0 10px; font-size: 16px; }
.causes { margin: 0; padding-left: 30px; }
.causes li { display: list-item; padding: 7px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.causes li::marker { color: var(--dim); }
.causes a { font-weight: 500; }
.amount { display: block; width: 100%; height: 5px; margin: 5px 0 2px; }
.counts, .not-judged { color: var(--dim); font-size: 13px; }
.wide { overflow-x: auto; }
.runs { min-width: 860px; }
.over-time th[scope="col"] { white-space: nowrap; }
.over-time th[scope="row"] { min-width: 210px; max-width: 520px; color: var(--ink); }
.cause { margin: 0 0 34px; padding-top: 6px; }
.cause > h3 { margin: 0; font-size: 18px; overflow-wrap: anywhere; }
.number { display: inline-block; min-width: 26px; padding: 0 7px; border-radius: 13px; background: var(--bad); color: var(--paper); font-size: 14px; line-height: 26px; text-align: center; }
.weight, .contrasts { margin: 6px 0; color: var(--dim); font-size: 14px; }
.contrasts { padding-left: 18px; }
.others > summary { padding: 6px 0; color: var(--accent); overflow-wrap: anywhere; }
.finding { margin: 8px 0 14px; padding: 14px 18px; border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: 8px; background: var(--card); scroll-margin-top: 130px; }
.finding > span, .cause { scroll-margin-top: 130px; }
.finding h4 { margin: 0 0 4px; font-size: 15px; overflow-wrap: anywhere; }
.finding .statement { color: var(--dim); margin-bottom: 6px; }
.finding:focus { outline: 2px solid var(--accent); outline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.against { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 12px; }
.exchange { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); }
.label { margin: 10px 0 3px; color: var(--dim); font-size: 12px; }
.actual pre { border-color: var(--tone); }
.keys { margin: -6px 0 12px; color: var(--dim); font-size: 12px; }
kbd { padding: 0 4px; border: 1px solid var(--line); border-radius: 3px; font: 11px ui-monospace, monospace; }
.paper { display: none; }
.place { color: var(--dim); font-size: 12px; }
.exchange > div { min-width: 0; }
.received mark { background: color-mix(in srgb, var(--bad) 18%, transparent); color: inherit; }
.expected { color: var(--bad); font-style: normal; }
.fold { margin-top: 10px; }
.fold > summary { color: var(--dim); font-size: 13px; }
.timeline { margin: 6px 0 0; padding-left: 26px; font-size: 13px; }
.timeline li { padding: 3px 0; }
.line { display: flex; gap: 12px; align-items: center; }
.what { flex: 1; overflow-wrap: anywhere; font-family: ui-monospace, monospace; }
.what b { font-weight: 600; color: var(--dim); }
.when { flex: none; width: 120px; height: 6px; border-radius: 3px; background: var(--line); fill: var(--accent); }
.scenario { border-bottom: 1px solid var(--line); }
.scenario > summary { padding: 8px 0; display: flex; gap: 10px; align-items: baseline; list-style: none; }
.scenario > summary > .fixed { flex: none; width: 118px; }
.scenario > summary::-webkit-details-marker { display: none; }
.scenario > summary > span:nth-child(2) { flex: 1; }
.scenario > div { padding: 0 0 12px 12px; }
:target { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { margin: 48px 0 32px; color: var(--dim); font-size: 13px; }
[hidden] { display: none !important; }
@media (max-width: 720px) {
  html { scroll-padding-top: 12px; }
  main, .top, .bar { padding-left: 14px; padding-right: 14px; }
  h1 { font-size: 27px; }
  .facts { grid-template-columns: 1fr 1fr; }
  .bar { position: static; }
  .bar select { width: 100%; max-width: none; }
  .keys { display: none; }
  .finding, .finding > span, .cause { scroll-margin-top: 12px; }
  .finding { padding: 12px; }
  .against, .exchange { grid-template-columns: minmax(0, 1fr); }
  .when { width: 56px; }
  .scenario > summary { flex-wrap: wrap; }
  .scenario > summary > span:nth-child(2) { flex: 1 1 60%; }
  .matrix td, .matrix th { padding-right: 14px; }
  .clauses tr { display: block; padding: 8px 0; border-bottom: 1px solid var(--line); }
  .clauses td { display: block; width: auto !important; border: 0; padding: 2px 0; }
}
@media print {
  @page { margin: 12mm; }
  :root { --paper: #fff; --card: #fff; --ink: #000; --dim: #444; --line: #ccc; --accent: #000; --good: #0b6b3a; --bad: #a11; --unsure: #7a4800; --quiet: #555; --lived: #5a2d91; }
  .bar, .appendix, .others, .fold, .keys, .amount, .finding .play { display: none; }
  .paper { display: block; color: var(--dim); }
  body { font-size: 9pt; line-height: 1.35; }
  code, pre { font-size: 7pt; line-height: 1.3; }
  h1 { font-size: 20pt; }
  h2 { margin: 14pt 0 6pt; font-size: 13pt; }
  .cause > h3 { font-size: 11pt; }
  .cause { margin-bottom: 14pt; }
  .finding { padding: 6pt 8pt; margin: 4pt 0; }
  .facts { grid-template-columns: repeat(4, 1fr); margin: 8pt 0; padding: 6pt 0; gap: 4pt 14pt; }
  .against, .exchange { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 8pt; }
  pre { padding: 4pt 6pt; }
  .label { margin: 4pt 0 2pt; }
  .statement, .weight, .elsewhere, .first, .notes, .finding h4 { font-size: 8.5pt; }
  .place, .label, .counts, .not-judged, .tag, .facts dt, .matrix th, footer { font-size: 7.5pt; }
  .lead { font-size: 10pt; }
  .causes li { padding: 2.5pt 0; font-size: 8.5pt; break-inside: avoid; }
  .matrix td, .matrix th, td, th { padding: 2pt 8pt 2pt 0; }
  .received, .exchange pre { max-height: 72mm; overflow: hidden; }
  .summary { break-after: page; }
  main, .top { max-width: none; padding: 0; }
  tr, .finding h4, .finding .statement { break-inside: avoid; }
  h2, h3, h4, .weight, .elsewhere { break-after: avoid; }
  .share, .badge, .number, mark { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
