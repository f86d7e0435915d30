/** The styles of the page around the explorer. */
export const styles = `
:root { --ink: #1c2330; --dim: #667085; --line: #e1e5ec; --accent: #2f5fd0; --wash: #eef3ff; }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); }
code { font: 13px/1.4 ui-monospace, monospace; }
header { display: flex; align-items: center; gap: 12px; height: 52px; padding: 0 24px; border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; font-size: 18px; color: inherit; text-decoration: none; }
.badge { white-space: nowrap; padding: 1px 10px; border-radius: 10px; background: var(--accent); color: #fff; font-size: 12px; font-weight: 600; }
.address { color: var(--dim); }
header label { margin-left: auto; color: var(--dim); }
select { margin-left: 6px; padding: 4px 8px; border: 1px solid var(--line); border-radius: 6px; background: #fff; font: inherit; color: var(--ink); }
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
small { color: var(--dim); font-size: 12px; }
`;
