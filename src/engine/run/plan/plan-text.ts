import type { Plan } from "./plan.js";

const MAX_NAMES = 5;

/** Returns a plan as text: a line for each scenario, skipped scenarios by reason, then cost, duration and side effects. */
export function formatPlan({ target, profile, notes = [], planned, properties, summary }: Plan): string {
  const lines = [
    ...notes.map((note) => `! ${note}`),
    ...planned.flatMap(({ scenario, requests, paid, paid_if_taken: taken, skip_reason }) =>
      skip_reason === undefined
        ? [`${scenario}  ${requests} requests, ${paid} may cost${taken ? `, ${taken} more if wrongly accepted` : ""}`]
        : [],
    ),
    ...properties.flatMap(({ property, runs, paid, skip_reason }) =>
      skip_reason === undefined ? [`property:${property}  ${runs} cases${paid ? ", each may cost" : ""}`] : [],
    ),
    ...formatSkipped(planned, properties),
    "",
    `${target}, profile ${profile}: sent only the request for the target's description`,
    `${summary.scenarios} of ${planned.length} scenarios, at least ${summary.requests} requests (polls, further pages and retries add more)`,
    formatCost(summary),
    ...formatProperties(properties, summary.properties),
    ...formatRates(summary),
    ...formatTimes(summary),
    ...formatSideEffects(summary),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns the skipped scenarios and properties by reason, the most frequent reason first. */
function formatSkipped(plannedScenarios: Plan["planned"], properties: Plan["properties"]): string[] {
  const named = [
    ...plannedScenarios.map(({ scenario, skip_reason }) => ({ name: scenario, skip_reason })),
    ...properties.map(({ property, skip_reason }) => ({ name: `property:${property}`, skip_reason })),
  ];
  const byReason = new Map<string, string[]>();
  for (const { name, skip_reason } of named)
    if (skip_reason !== undefined) byReason.set(skip_reason, [...(byReason.get(skip_reason) ?? []), name]);
  const groups = [...byReason].toSorted(([, a], [, b]) => b.length - a.length);
  const lines = groups.map(([reason, names]) => {
    const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
    return `  ${names.length}: ${reason}: ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
  });
  return lines.length > 0 ? ["", "skipped:", ...lines] : [];
}

function formatCost({ paid, paid_if_taken: taken, budget_paid: budget }: Plan["summary"]): string {
  const limit =
    budget === undefined
      ? "no limit; set one with --budget-paid N"
      : budget === 0
        ? "none of them is sent"
        : `at most ${budget} that are not refused are sent`;
  const more = taken > 0 ? `, and ${taken} more on a server that accepts what it must refuse` : "";
  return `paid: ${paid} requests may start paid work${more}${paid + taken > 0 ? ` (${limit})` : ""}`;
}

function formatProperties(properties: Plan["properties"], cost: Plan["summary"]["properties"]): string[] {
  const checkedPlannedProperties = properties.filter(({ skip_reason }) => skip_reason === undefined);
  if (checkedPlannedProperties.length === 0) return [];
  const cases = checkedPlannedProperties.reduce((total, { runs }) => total + runs, 0);
  const costly = checkedPlannedProperties.filter(({ paid }) => paid).length;
  const advice = "--runs N runs fewer cases, --runs 0 none";
  if (!cost)
    return [
      `properties: ${checkedPlannedProperties.length}, ${cases} cases, not included in these numbers; ${costly} of the properties may start paid work (${advice})`,
    ];
  const { requests, paid, minutes, rates } = cost;
  const [first] = rates;
  const longest = minutes > 0 && first ? `, mostly for ${first.bucket}: ${first.rpm}/min` : "";
  return [
    `properties: ${checkedPlannedProperties.length}, ${cases} cases: about ${requests} requests, of which ${paid} may start paid work, and ${formatMinutes(minutes)} more${longest} (estimated from a few cases of each in a sandbox; ${advice})`,
  ];
}

function formatRates({ rates }: Plan["summary"]): string[] {
  const rateUses = rates.filter(({ requests }) => requests > 0);
  const rows = rateUses.map(({ bucket, rpm, requests, max, minutes }) => {
    const time = minutes > 0 ? `, ${formatMinutes(minutes)} for the ${max} with one key` : "";
    return `  ${requests} × ${bucket}: ${rpm}/min${time}`;
  });
  return rows.length > 0 ? ["requests by rate limit, at most 80 % of each limit:", ...rows] : [];
}

function formatTimes({ minutes: { min, expected, rates, bursts, clock, dispatches } }: Plan["summary"]): string[] {
  const parts = [
    `rate limits ${formatMinutes(rates)}`,
    `empty rate limits before bursts ${formatMinutes(bursts)}`,
    `steps that wait ${formatMinutes(clock)}`,
    `the server's scheduler ${formatMinutes(dispatches)}`,
  ];
  const atLeast = `at least ${formatMinutes(min)}`;
  return [
    `time: about ${formatMinutes(expected)} plus the server's response times; ${atLeast}. Overlapping waits: ${parts.join(", ")}`,
  ];
}

function formatSideEffects({ worlds, makes }: Plan["summary"]): string[] {
  const worldLines = worlds > 0 ? [`${worlds} worlds are created, and deleted with their content`] : [];
  if (makes.length === 0) return worlds > 0 ? worldLines : ["the run creates and changes nothing on the server"];
  return [
    ...worldLines,
    "the run creates or changes, if the server accepts the requests:",
    ...makes.map(({ what, count, after }) => `  ${count} × ${what}: ${after}`),
  ];
}

function formatMinutes(minutes: number): string {
  return minutes === 0 ? "0 min" : minutes < 1 ? "under 1 min" : `${Math.round(minutes)} min`;
}
