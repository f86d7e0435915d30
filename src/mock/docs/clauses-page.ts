import { html, type Markup } from "../../common/html/markup.js";
import { contract } from "../../contract/load.js";
import type { Clause, ClauseId } from "../../contract/types.js";
import { buildDocument, buildHeader } from "./layout.js";
import { readDocsTexts } from "./texts.js";

/** Returns the page with every clause: its sentence, its readings and what checks it. `/clauses#ID` leads to one. */
export function buildClausesPage(): string {
  const rows = Object.entries(contract.clauses) as [ClauseId, Clause][];
  const sections = [...new Set(rows.map(([, { section }]) => section))];
  const parts = sections.map((section) => {
    const entries = rows.filter(([, row]) => row.section === section).map(([id, row]) => buildEntry(id, row));
    return html`<section data-part><h2>§${section}</h2>${entries}</section>`;
  });
  return buildDocument(
    "Clauses",
    html`${buildHeader("/clauses")}<main class="text"><h1>Clauses</h1>
<p>Each clause is one statement of the contract. <code>stated</code> and <code>derived</code> clauses bind; <code>assumed</code> ones are choices of this mock.</p>
<input type="search" id="search" aria-label="Search the clauses" placeholder="Search by name or word">
<p id="found" role="status"></p>${parts}</main>
<script type="module" src="/page.js"></script>`,
  );
}

function buildEntry(id: ClauseId, { at, description, level, surface, excluded }: Clause): Markup {
  const { checks } = readDocsTexts();
  const names = Object.hasOwn(checks, id) ? checks[id]! : [];
  return html`<article id="${id}"><h3><a href="#${id}">${id}</a></h3><p>${markCode(description)}</p>
<p class="facts">${level} · ${surface.join(", ")} · ${at}</p>
${listReadings(id)}${listChecks(names)}${excluded && html`<p class="facts">Not checked: ${excluded}</p>`}</article>`;
}

/** What this project assumes where the contract is silent about a clause. */
function listReadings(id: ClauseId): Markup[] {
  return Object.values(contract.assumptions)
    .filter(({ clauses }) => clauses.includes(id))
    .map(({ reading, passage, mock, runner }) => {
      const row = reading === undefined ? "" : ` ${reading}`;
      return html`<details><summary>Reading${row}</summary><p>${markCode(passage)}</p><p>The mock: ${markCode(mock)}</p><p>The runner: ${markCode(runner)}</p></details>`;
    });
}

function listChecks(names: readonly string[]): Markup | false {
  if (names.length === 0) return false;
  const count = names.length === 1 ? "1 scenario" : `${names.length} scenarios`;
  return html`<details><summary>Checked by ${count}</summary><p>${names.join(", ")}</p></details>`;
}

/** Returns a sentence with what stands between backticks as code. */
function markCode(sentence: string): Markup[] {
  return sentence.split("`").map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
}
