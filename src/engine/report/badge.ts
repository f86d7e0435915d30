import { printXml, type XmlElement } from "../../common/escape/xml.js";
import { cutText } from "../../common/phrases.js";
import { listTestableClauses } from "../verdict/clauses.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";
import { formatServer } from "./summary.js";

/** Colours of the right half. White text on each has a contrast of at least 4.5. */
const COLOURS = { passed: "#14804a", failed: "#c62f2f", inconclusive: "#a86400", "harness-error": "#6b7484" } as const;

/** Most characters of the claim on the badge. Its tooltip has the whole claim. */
const MAX_CLAIM_CHARACTERS = 40;

/** Width of a character in pixels, at a font size of 11 pixels. `textLength` fits any font into the result. */
const CHARACTER_WIDTH = 6.5;
const BADGE_PADDING = 6;

/** Renders a report as a badge: an SVG image with the claim and the share of the contract that passed. */
export function formatBadge(report: Report, outline: Outline): string {
  const { verdict, started_at, outcome } = report;
  const claim = readClaim(report);
  const [left, right] = [`Counterpart · ${cutText(claim, MAX_CLAIM_CHARACTERS)}`, shareText(report, outline)];
  const [leftWidth, rightWidth] = [left, right].map(measureWidth) as [number, number];
  const width = leftWidth + rightWidth;
  return printXml({
    name: "svg",
    attributes: {
      ...{ xmlns: "http://www.w3.org/2000/svg", width, height: 20, viewBox: `0 0 ${width} 20` },
      ...{ role: "img", "aria-label": `${left}: ${right}` },
    },
    elements: [
      { name: "title", text: `${formatServer(report)}, ${started_at.slice(0, 10)}. Claim: ${claim}. ${outcome.sentence}` },
      { name: "rect", attributes: { width, height: 20, rx: 3, fill: COLOURS[verdict] } },
      {
        name: "path",
        attributes: { d: `M3 0h${leftWidth - 3}v20h${3 - leftWidth}a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z`, fill: "#444" },
      },
      label(left, 0, leftWidth),
      label(right, leftWidth, rightWidth),
    ],
  });
}

/** Returns the content of the claim of a run: `edition 1.0.0`, `the whole contract`. */
export function readClaim({ claim, selection: { only, surface, shard, missing_shards: missing } }: Report): string {
  const isPart = only.length > 0 || shard !== undefined || missing !== undefined;
  const part = isPart ? "a part of the contract" : "the whole contract";
  return claim ? claim.names.join(", ") : surface === undefined ? part : `${part}, surface ${surface}`;
}

/** Returns the verdict with the share of the contract: `148 of 414 clauses`, `failed: 3 of 414 clauses`. */
export function shareText({ verdict, counts, claim }: Report, outline: Outline): string {
  const all = `of ${claim?.total ?? listTestableClauses(outline.clauses).length} clauses`;
  const { passed = 0, failed = 0, "stale-waiver": stale = 0, waived = 0 } = counts;
  switch (verdict) {
    case "passed":
      return waived > 0 ? `${passed} ${all}, ${waived} waived` : `${passed} ${all}`;
    case "failed":
      return `failed: ${failed + stale} ${all}`;
    case "inconclusive":
      return `inconclusive: ${passed} ${all}`;
    case "harness-error":
      return "no verdict";
    default:
      return verdict satisfies never;
  }
}

function measureWidth(text: string): number {
  return Math.ceil([...text].length * CHARACTER_WIDTH) + 2 * BADGE_PADDING;
}

function label(text: string, start: number, width: number): XmlElement {
  const place = { x: start + BADGE_PADDING, y: 14, textLength: width - 2 * BADGE_PADDING, lengthAdjust: "spacingAndGlyphs" };
  return {
    name: "text",
    attributes: { ...place, fill: "#fff", "font-family": "Verdana,DejaVu Sans,sans-serif", "font-size": 11 },
    text,
  };
}
