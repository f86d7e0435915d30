import { createHash } from "node:crypto";
import { behaviour } from "./html/behaviour.js";
import { clauseSections, matrix } from "./html/clauses.js";
import { looks } from "./html/looks.js";
import { html, type Markup, verbatim } from "./html/markup.js";
import { propertySection } from "./html/properties.js";
import { findingCards, leftoverTable, opinionSection, reasonTable, scenarioList, waiverTable } from "./html/scenarios.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";
import { columnsOf, headline, qualityLine } from "./summary.js";

/** A report as one HTML file that opens from disk and asks nobody for anything. */
export function htmlReport(report: Report, outline: Outline): string {
  const cards = findingCards(report, outline);
  const body = html`
<header class="top">
<p class="brand">Counterpart · conformance report</p>
${verdictHead(report)}
${noteList(report)}
${facts(report)}
${share(report)}
</header>
${bar(report, outline)}
<main>
${cards.length > 0 && html`<section data-group><h2>Findings</h2>${cards}</section>`}
${waiverTable(report)}
${reasonTable(report)}
${leftoverTable(report)}
${opinionSection(report)}
<h2>Clauses</h2>
${matrix(report, outline)}
${clauseSections(report, outline)}
<section data-group><h2>Scenarios</h2>${scenarioList(report)}</section>
${propertySection(report)}
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
  const { verdict, counts } = report;
  const some = (...verdicts: string[]) => verdicts.reduce((sum, each) => sum + (counts[each] ?? 0), 0);
  const said = {
    passed: ["Conforms", "Every clause that this run claims was judged, and none is broken."],
    failed: ["Does not conform", clausesAre(some("failed", "stale-waiver"), "broken, or waived without need")],
    inconclusive: ["Inconclusive", `Nothing is broken, but ${clausesAre(some("inconclusive", "not-observed"), "not judged")}`],
    "harness-error": ["No verdict", "The examiner itself failed on the way; see what could not be told."],
  } as const;
  const [title, sentence] = said[verdict];
  return html`<h1 class="${verdict}">${title}</h1><p class="lead">${report.target}. ${sentence}</p>`;
}

/** What was found out before anything was executed. */
function noteList({ notes = [] }: Report): Markup | undefined {
  if (notes.length === 0) return undefined;
  return html`<ul class="notes">${notes.map((note) => html`<li>${note}</li>`)}</ul>`;
}

function clausesAre(count: number, what: string): string {
  return count === 1 ? `1 clause is ${what}.` : `${count} clauses are ${what}.`;
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
    ["Waited", `${Math.round(waited_s)} s`],
    ["Seed", String(seed)],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** How the clauses share out among the verdicts. */
function share(report: Report): Markup {
  const parts = columnsOf(report).filter((verdict) => report.counts[verdict]);
  return html`<div class="share">${parts.map((verdict) => {
    const count = report.counts[verdict] ?? 0;
    return html`<span class="${verdict}" style="flex:${count}" title="${count} ${verdict}"></span>`;
  })}</div>`;
}

function bar(report: Report, { surfaces }: Outline): Markup {
  const choices = columnsOf(report)
    .filter((verdict) => report.counts[verdict])
    .map(
      (verdict) =>
        html`<button type="button" class="${verdict}" data-choice="${verdict}" aria-pressed="false">${report.counts[verdict]} ${verdict}</button>`,
    );
  return html`<nav class="bar"><div><input id="search" type="search" placeholder="Search clauses, scenarios, requests ( / )" aria-label="Search">
<select id="surface" aria-label="Surface"><option value="">every surface</option>${surfaces.map((surface) => html`<option>${surface}</option>`)}</select>
<span class="found" aria-live="polite"></span></div><div>${choices}</div></nav>`;
}

function identity(report: Report): Markup {
  const { suite } = report;
  return html`${qualityLine(report)} Suite ${suite.version}. Digest of its clauses <code>${suite.clauses_digest}</code>, of its scenarios <code>${suite.scenarios_digest}</code>.`;
}
