import { html, type Markup } from "../../common/html/markup.js";
import { renderPage } from "../../common/html/page.js";
import { formatCount } from "../../common/phrases.js";
import { formatClaim } from "../verdict/claim.js";
import { listCauses, type ReportedCause } from "./causes.js";
import { renderClauseSections } from "./html/clauses.js";
import { renderCauses } from "./html/findings.js";
import { pageScript } from "./html/page-script.js";
import {
  renderLeftovers,
  renderProperties,
  renderReasons,
  renderScenarios,
  renderSecondOpinion,
  renderWaivers,
} from "./html/scenarios.js";
import { renderSummary } from "./html/summary.js";
import type { Outline } from "./outline.js";
import { formatQualityLine } from "./quality.js";
import type { Report } from "./report.js";
import { formatHeadline, formatServer, groupStarted, listColumns, listSections } from "./summary.js";

/** Renders a report as one HTML file. The file loads nothing else. */
export function renderHtmlReport(report: Report, outline: Outline): string {
  const causes = listCauses(report, outline);
  const body = html`
<header class="top">
<p class="brand">Counterpart · conformance report</p>
${renderVerdictHead(report)}
${renderNotes(report)}
${renderFacts(report)}
${renderSummary(report, outline, causes)}
</header>
${renderFilterBar(report, outline, causes)}
<main>
${
  causes.length > 0 &&
  html`<section data-group><h2 id="findings">Findings by cause</h2>
<p class="keys"><kbd>j</kbd> <kbd>k</kbd> next and previous finding, <kbd>o</kbd> open or close its details, <kbd>/</kbd> search</p>${renderCauses(report, outline, causes)}</section>`
}
${renderWaivers(report)}
${renderReasons(report)}
${renderLeftovers(report)}
${renderSecondOpinion(report)}
<div class="appendix"><h2 id="clauses">Clauses</h2>
<p class="label"><code>npx counterpart-kit show DIR CLAUSE</code> prints the checks of a clause, and the answers that they judged.</p>
${renderClauseSections(report, outline)}
<section data-group><h2 id="scenarios">Scenarios</h2>${renderScenarios(report, outline)}</section>
${renderProperties(report)}</div>
<p class="paper">This is a printed summary. The HTML file contains every clause, scenario, property and finding.</p>
<footer>${renderIdentity(report)}</footer>
</main>`;
  return renderPage({ title: formatHeadline(report), body, script: pageScript });
}

function renderVerdictHead(report: Report): Markup {
  const { verdict, outcome } = report;
  const titles = {
    passed: "Conforms",
    failed: "Does not conform",
    inconclusive: "Inconclusive",
    "harness-error": "No verdict",
  } as const;
  const title = outcome.reason === "passed-in-part" ? "Conforms as far as judged" : titles[verdict];
  const { sentence } = outcome;
  return html`<h1 class="${verdict}">${title}</h1><p class="lead">${formatServer(report)}. ${sentence}</p>`;
}

/** Lists the notes of the preflight, and how many bodies the trace holds in part. */
function renderNotes({ notes: found = [], shortened_responses: shortened = 0 }: Report): Markup | undefined {
  const notes = [...found, ...(shortened > 0 ? [`The trace holds ${shortened} response bodies in shortened form.`] : [])];
  if (notes.length === 0) return undefined;
  return html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>`;
}

function renderFacts({
  url,
  profile,
  started_at,
  selection,
  claim,
  requests,
  paid,
  waited_s,
  seed,
  scenarios,
  properties,
  checks,
  started = [],
}: Report): Markup {
  const { only, surface, shard, missing_shards: missing } = selection;
  const part = [
    ...only,
    ...(surface ? [`surface ${surface}`] : []),
    ...(shard ? [`shard ${shard.index}/${shard.of}`] : []),
    ...(missing ? [`without shard ${missing.join(", ")}`] : []),
  ];
  const rows: [string, string][] = [
    ["Server", url],
    ["Profile", profile],
    ["Selection", part.join(", ") || "the whole suite"],
    ...(claim ? [["Claim", formatClaim(claim)] satisfies [string, string]] : []),
    ["Started", started_at.replace("T", " ").replace(/\.\d+Z$/, " UTC")],
    [
      "Executed",
      `${formatCount(scenarios.length - properties.length, "scenario")}, ${formatCount(properties.length, "property")}, ${formatCount(checks.length, "check")}`,
    ],
    ["Requests", `${requests}, of which ${paid} may cost money`],
    ...groupStarted({ started }).map(({ what, ids }): [string, string] => [
      "Paid work",
      `${ids.length} × ${what}: ${ids.join(", ")}`,
    ]),
    ["Waited", `${Math.round(waited_s)} s`],
    ["Seed", String(seed)],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function renderFilterBar(report: Report, outline: Outline, causes: readonly ReportedCause[]): Markup {
  const choices = listColumns(report)
    .filter((verdict) => report.counts[verdict])
    .map(
      (verdict) =>
        html`<button type="button" class="${verdict}" data-choice="${verdict}" aria-pressed="false">${report.counts[verdict]} ${verdict}</button>`,
    );
  const surfaces = outline.surfaces.map((surface): [string, string] => [surface, surface]);
  const sections = listSections(report, outline).map(({ number, title }): [string, string] => [
    String(number),
    `§${number} ${title}`,
  ]);
  const titles = causes.map(({ id, title }, index): [string, string] => [id, `${index + 1}. ${title}`]);
  return html`<nav class="bar" aria-label="Filter this report"><div><input id="search" type="search" placeholder="Search clauses, scenarios, requests ( / )" aria-label="Search">
${titles.length > 0 && renderChoice("cause", "every cause", titles)}${renderChoice("section", "every section", sections)}${renderChoice("surface", "every surface", surfaces)}
<span class="found" aria-live="polite"></span></div><div>${choices}</div></nav>`;
}

function renderChoice(name: string, all: string, options: readonly [value: string, text: string][]): Markup {
  return html`<select id="${name}" aria-label="${name}"><option value="">${all}</option>${options.map(
    ([value, text]) => html`<option value="${value}">${text}</option>`,
  )}</select>`;
}

function renderIdentity(report: Report): Markup {
  const { suite } = report;
  return html`${formatQualityLine(report)} Suite ${suite.version}. SHA-256 of its clauses: <code>${suite.clauses_digest}</code>; of its scenarios: <code>${suite.scenarios_digest}</code>.`;
}
