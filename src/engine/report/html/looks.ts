/** How the report looks: on a screen, light or dark, and on paper. */
export const looks = `
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
h2 { margin: 40px 0 12px; font-size: 20px; }
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
.share { display: flex; height: 12px; border-radius: 6px; overflow: hidden; gap: 1px; }
.share span { background: var(--tone); min-width: 3px; }
.bar { position: sticky; top: 0; z-index: 1; padding-top: 12px; padding-bottom: 12px; background: var(--paper); border-bottom: 1px solid var(--line); }
.bar div { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
.bar div + div { margin-top: 8px; }
input, select { padding: 6px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: inherit; font: inherit; }
input { flex: 1 1 200px; min-width: 0; }
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
.says { margin: 0; }
.id { font-weight: 600; }
.tag { color: var(--dim); font-size: 12px; margin-left: 6px; }
.reason { margin: 2px 0 0; color: var(--tone); font-size: 14px; }
.evidence { font-size: 13px; color: var(--dim); }
.evidence ul { margin: 4px 0 0; padding-left: 16px; }
summary { cursor: pointer; }
.finding { margin: 0 0 16px; padding: 16px 18px; border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: 8px; background: var(--card); }
.finding h3 { margin: 0 0 4px; }
.finding .says { color: var(--dim); margin-bottom: 10px; }
.against { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; }
.label { margin: 10px 0 3px; color: var(--dim); font-size: 12px; }
.actual pre { border-color: var(--tone); }
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
  .bar { position: static; }
  .against { grid-template-columns: 1fr; }
  .clauses tr { display: block; padding: 8px 0; border-bottom: 1px solid var(--line); }
  .clauses td { display: block; width: auto !important; border: 0; padding: 2px 0; }
}
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --dim: #444; --line: #ccc; --accent: #000; --good: #0b6b3a; --bad: #a11; --unsure: #7a4800; --quiet: #555; --lived: #5a2d91; }
  .bar { display: none; }
  body { zoom: .75; }
  .evidence ul { padding: 0; }
  .evidence li { display: inline; margin-right: 10px; }
  main, .top { max-width: none; padding: 0; }
  .finding, tr, .scenario { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .share, .badge { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
