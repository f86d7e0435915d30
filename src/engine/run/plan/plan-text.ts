import type { Plan } from "./plan.js";

const MOST_NAMES = 5;

/** A plan for people: a line a scenario that would be played, what is left out by its reason, then what the whole costs, how long it takes and what it leaves. */
export function planText({ target, profile, planned, properties, summary }: Plan): string {
  const lines = [
    ...planned.flatMap(({ scenario, requests, paid, paid_if_taken: taken, obstacle }) =>
      obstacle === undefined
        ? [`${scenario}  ${requests} requests, ${paid} may cost${taken ? `, ${taken} more if wrongly taken` : ""}`]
        : [],
    ),
    ...properties.flatMap(({ property, runs, paid, obstacle }) =>
      obstacle === undefined ? [`property:${property}  ${runs} cases${paid ? ", each may cost" : ""}`] : [],
    ),
    ...leftOutLines(planned, properties),
    "",
    `${target}, profile ${profile}: nothing was sent but the question for the target's description`,
    `${summary.scenarios} of ${planned.length} scenarios, at least ${summary.requests} requests (polls, pages and repeated tries come on top)`,
    costLine(summary),
    ...propertyLines(properties, summary.properties),
    ...rateLines(summary),
    ...timeLines(summary),
    ...makeLines(summary),
  ];
  return `${lines.join("\n")}\n`;
}

/** What is left out, by the reason for it; the reason that leaves out most comes first. */
function leftOutLines(planned: Plan["planned"], properties: Plan["properties"]): string[] {
  const named = [
    ...planned.map(({ scenario, obstacle }) => ({ name: scenario, obstacle })),
    ...properties.map(({ property, obstacle }) => ({ name: `property:${property}`, obstacle })),
  ];
  const byReason = new Map<string, string[]>();
  for (const { name, obstacle } of named)
    if (obstacle !== undefined) byReason.set(obstacle, [...(byReason.get(obstacle) ?? []), name]);
  const groups = [...byReason].toSorted(([, a], [, b]) => b.length - a.length);
  const lines = groups.map(([reason, names]) => {
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : "";
    return `  ${names.length}: ${reason}: ${names.slice(0, MOST_NAMES).join(", ")}${more}`;
  });
  return lines.length > 0 ? ["", "left out:", ...lines] : [];
}

function costLine({ paid, paid_if_taken: taken, budget_paid: budget }: Plan["summary"]): string {
  const bound =
    budget === undefined
      ? "no bound: --budget-paid N sets one"
      : budget === 0
        ? "none of them is sent"
        : `at most ${budget} that are not refused are sent`;
  const more = taken > 0 ? `, and ${taken} more would on a server that takes what it must refuse` : "";
  return `paid: ${paid} requests may start paid work${more}${paid + taken > 0 ? ` (${bound})` : ""}`;
}

function propertyLines(properties: Plan["properties"], cost: Plan["summary"]["properties"]): string[] {
  const checked = properties.filter(({ obstacle }) => obstacle === undefined);
  if (checked.length === 0) return [];
  const cases = checked.reduce((total, { runs }) => total + runs, 0);
  const costly = checked.filter(({ paid }) => paid).length;
  const fewer = "--runs N tries fewer cases, --runs 0 none";
  if (!cost)
    return [
      `properties: ${checked.length}, ${cases} cases, which are not reckoned here; ${costly} of them may start paid work (${fewer})`,
    ];
  const { requests, paid, minutes, rates } = cost;
  const [first] = rates;
  const most = minutes > 0 && first ? `, most of it for ${first.bucket}: ${first.rpm}/min` : "";
  return [
    `properties: ${checked.length}, ${cases} cases: about ${requests} requests, of which ${paid} may start paid work, and ${inMinutes(minutes)} on top${most} (by a few cases of each on a mock; ${fewer})`,
  ];
}

function rateLines({ rates }: Plan["summary"]): string[] {
  const used = rates.filter(({ requests }) => requests > 0);
  const rows = used.map(({ bucket, rpm, requests, most, minutes }) => {
    const time = minutes > 0 ? `, ${inMinutes(minutes)} for the ${most} of one key` : "";
    return `  ${requests} × ${bucket}: ${rpm}/min${time}`;
  });
  return rows.length > 0 ? ["requests by rate, at four fifths of each:", ...rows] : [];
}

function timeLines({ minutes: { least, expected, rates, bursts, clock, dispatches } }: Plan["summary"]): string[] {
  const parts = [
    `rates ${inMinutes(rates)}`,
    `empty buckets before bursts ${inMinutes(bursts)}`,
    `steps that wait ${inMinutes(clock)}`,
    `the scheduler ${inMinutes(dispatches)}`,
  ];
  const bound = `at least ${inMinutes(least)}`;
  return [`time: about ${inMinutes(expected)} and the server's own, as far as these overlap: ${parts.join(", ")}; ${bound}`];
}

function makeLines({ worlds, makes }: Plan["summary"]): string[] {
  const thrown = worlds > 0 ? [`${worlds} worlds are made, and thrown away with what is in them`] : [];
  if (makes.length === 0) return worlds > 0 ? thrown : ["it makes and changes nothing on the server"];
  return [
    ...thrown,
    "it makes or changes, if the server takes it:",
    ...makes.map(({ what, count, after }) => `  ${count} × ${what}: ${after}`),
  ];
}

function inMinutes(minutes: number): string {
  return minutes === 0 ? "0 min" : minutes < 1 ? "under 1 min" : `${Math.round(minutes)} min`;
}
