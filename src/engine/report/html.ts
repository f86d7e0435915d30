import { createHash } from "node:crypto";
import { looks } from "../../common/html/looks.js";
import { html, type Markup, verbatim } from "../../common/html/markup.js";
import { type CauseView, causesIn } from "./causes.js";
import { behaviour } from "./html/behaviour.js";
import { clauseSections } from "./html/clauses.js";
import { causeCards } from "./html/findings.js";
import { propertySection } from "./html/properties.js";
import { leftoverTable, opinionSection, reasonTable, scenarioList, waiverTable } from "./html/scenarios.js";
import { summarySection } from "./html/summary.js";
import type { Outline } from "./outline.js";
import { qualityLine } from "./quality.js";
import type { Report } from "./report.js";
import { columnsOf, headline, sectionsOf, startedGroups } from "./summary.js";

/** A report as one HTML file that opens from disk and asks nobody for anything. */
export function htmlReport(report: Report, outline: Outline): string {
  const causes = causesIn(report, outline);
  const body = html`
<header class="top">
<p class="brand">Counterpart · conformance report</p>
${verdictHead(report)}
${noteList(report)}
${facts(report)}
${summarySection(report, outline, causes)}
</header>
${bar(report, outline, causes)}
<main>
${
  causes.length > 0 &&
  html`<section data-group><h2 id="findings">Findings by cause</h2>
<p class="keys"><kbd>j</kbd> <kbd>k</kbd> next and previous finding, <kbd>o</kbd> open or fold what is in it, <kbd>/</kbd> search</p>${causeCards(report, outline, causes)}</section>`
}
${waiverTable(report)}
${reasonTable(report)}
${leftoverTable(report)}
${opinionSection(report)}
<div class="appendix"><h2 id="clauses">Clauses</h2>
${clauseSections(report, outline)}
<section data-group><h2 id="scenarios">Scenarios</h2>${scenarioList(report, outline)}</section>
${propertySection(report)}</div>
<p class="paper">Every clause, scenario, property and further finding, and what is cut here, stands in the file that this was printed from.</p>
<footer>${identity(report)}</footer>
</main>`;
  return page(headline(report), body).markup;
}

/** The page may run its one script and load nothing. */
function page(title: string, body: Markup): Markup {
  const digest = createHash("sha256").update(behaviour).digest("base64");
  const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-${digest}'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${verbatim(looks)}</style>
</head>
<body>${body}
<script>${verbatim(behaviour)}</script>
</body>
</html>
`;
}

function verdictHead(report: Report): Markup {
  const { verdict, outcome } = report;
  const titles = {
    passed: "Conforms",
    failed: "Does not conform",
    inconclusive: "Inconclusive",
    "harness-error": "No verdict",
  } as const;
  const [title, sentence] = [titles[verdict], outcome.sentence];
  return html`<h1 class="${verdict}">${title}</h1><p class="lead">${report.target}. ${sentence}</p>`;
}

/** What was found out before anything was executed. */
function noteList({ notes: found = [], shortened_answers: shortened = 0 }: Report): Markup | undefined {
  const notes = [...found, ...(shortened > 0 ? [`${shortened} bodies shortened in the trace.`] : [])];
  if (notes.length === 0) return undefined;
  return html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>`;
}

function facts({
  url,
  profile,
  started_at,
  selection,
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
    ["Begun", started_at.replace("T", " ").replace(/\.\d+Z$/, " UTC")],
    ["Played", `${scenarios.length - properties.length} scenarios, ${properties.length} properties, ${checks.length} checks`],
    ["Requests", `${requests}, of which ${paid} may cost`],
    ...startedGroups({ started }).map(({ what, ids }): [string, string] => [
      "Started",
      `${ids.length} × ${what}: ${ids.join(", ")}`,
    ]),
    ["Waited", `${Math.round(waited_s)} s`],
    ["Seed", String(seed)],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function bar(report: Report, outline: Outline, causes: readonly CauseView[]): Markup {
  const choices = columnsOf(report)
    .filter((verdict) => report.counts[verdict])
    .map(
      (verdict) =>
        html`<button type="button" class="${verdict}" data-choice="${verdict}" aria-pressed="false">${report.counts[verdict]} ${verdict}</button>`,
    );
  const surfaces = outline.surfaces.map((surface): [string, string] => [surface, surface]);
  const sections = sectionsOf(report, outline).map(({ number, title }): [string, string] => [
    String(number),
    `§${number} ${title}`,
  ]);
  const titles = causes.map(({ id, title }, index): [string, string] => [id, `${index + 1}. ${title}`]);
  return html`<nav class="bar" aria-label="Narrow this report"><div><input id="search" type="search" placeholder="Search clauses, scenarios, requests ( / )" aria-label="Search">
${titles.length > 0 && choice("cause", "every cause", titles)}${choice("section", "every section", sections)}${choice("surface", "every surface", surfaces)}
<span class="found" aria-live="polite"></span></div><div>${choices}</div></nav>`;
}

function choice(name: string, all: string, options: readonly [value: string, text: string][]): Markup {
  return html`<select id="${name}" aria-label="${name}"><option value="">${all}</option>${options.map(
    ([value, text]) => html`<option value="${value}">${text}</option>`,
  )}</select>`;
}

function identity(report: Report): Markup {
  const { suite } = report;
  return html`${qualityLine(report)} Suite ${suite.version}. Digest of its clauses <code>${suite.clauses_digest}</code>, of its scenarios <code>${suite.scenarios_digest}</code>.`;
}
