/** The styles of the page around the explorer. */
export const styles = `
:root { color-scheme: light dark; --paper: #fff; --card: #f6f7f9; --ink: #1c2330; --dim: #5d6778; --line: #e1e5ec; --accent: #2f5fd0; --wash: #eef3ff; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #12161d; --card: #1a2029; --ink: #e4e8ee; --dim: #98a3b3; --line: #2c3441; --accent: #7fa5ff; --wash: #22304d; }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
a { color: var(--accent); }
summary { padding: 3px 0; }
pre { margin: 12px 0; padding: 12px 14px; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
code { font: 13px/1.4 ui-monospace, monospace; }
header { display: flex; align-items: center; gap: 12px; min-height: 52px; flex-wrap: wrap; padding: 8px 24px; border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; font-size: 18px; color: inherit; text-decoration: none; }
.badge { white-space: nowrap; padding: 1px 10px; border-radius: 10px; background: var(--accent); color: var(--paper); font-size: 12px; font-weight: 600; }
.address { color: var(--dim); }
header nav { display: flex; flex-wrap: wrap; gap: 4px 16px; }
header nav a { color: var(--dim); text-decoration: none; }
header nav a[aria-current] { color: var(--ink); font-weight: 600; }
header label { margin-left: auto; color: var(--dim); }
select { margin-left: 6px; padding: 4px 8px; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); font: inherit; color: var(--ink); }
main { padding: 24px; }
rapi-doc { display: block; height: calc(100vh - 52px); }
rapi-doc::part(section-navbar-search) { padding-top: 16px !important; }
.server { overflow-x: auto; }
.server p { font-size: 14px; }
.server h2 { margin: 28px 0 8px; font-size: 17px; }
dl { font-size: 14px; display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 12px 0; }
dt { color: var(--dim); }
dd { margin: 0; color: var(--dim); }
dd code { color: var(--ink); margin-right: 8px; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th { text-align: left; font-weight: 500; color: var(--dim); }
th, td { padding: 5px 12px 5px 8px; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr { cursor: pointer; }
tbody tr:hover, tr.chosen { background: var(--wash); }
tr.chosen code { color: var(--accent); font-weight: 600; }
tr.dead { color: var(--dim); }
@media (max-width: 760px) { .address { display: none; } header { padding: 0 12px; } .server { padding: 0 8px; } }
.text { max-width: 860px; margin: 0 auto; overflow-wrap: anywhere; }
.text h1 { margin: 8px 0 16px; font-size: 30px; line-height: 1.2; }
.text h2 { margin: 32px 0 8px; font-size: 20px; }
.text h3 { margin: 20px 0 4px; font-size: 16px; }
.text table { display: block; overflow-x: auto; }
.text tbody tr { cursor: auto; }
.text article { padding-bottom: 10px; border-bottom: 1px solid var(--line); scroll-margin-top: 12px; }
.text article:target { background: var(--wash); }
.text article p, .text details p { margin: 4px 0; }
.facts, .text details { color: var(--dim); font-size: 13px; }
#search { width: 100%; padding: 9px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: inherit; font: inherit; }
#found { min-height: 20px; margin: 4px 0; color: var(--dim); font-size: 13px; }
.guide { display: grid; grid-template-columns: 250px minmax(0, 1fr); }
.guide nav { padding: 12px 20px; border-right: 1px solid var(--line); font-size: 14px; }
.guide nav h2 { margin: 16px 0 4px; font-size: 12px; color: var(--dim); }
.guide nav ul { margin: 0; padding: 0; list-style: none; }
.guide nav a { display: block; padding: 3px 0; color: var(--ink); text-decoration: none; }
.guide nav a[aria-current] { color: var(--accent); font-weight: 600; }
@media (max-width: 760px) { .guide { display: block; } .guide nav { display: none; } main { padding: 16px 12px; } rapi-doc { height: calc(100vh - 120px); } }
small { color: var(--dim); font-size: 12px; }
`;
