import { readSpec } from "../../src/contract/load.js";
import type { ClauseId } from "../../src/contract/types.js";
import { type Mutant, type Shown, showing } from "./mutant.js";
import { asksForRoute } from "./posing.js";
import type { Answered, AroundWire, Asked } from "./wire.js";

const dimensions = readSpec("dimensions.json") as Record<string, { values: string[] & { rest?: string[] } }>;

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const retry = "POST /api/jobs/{job_id}/retry";
const observation = "GET /api/observations/{ref}";
const observations = "GET /api/observations";
const pages = ["GET /api/repos", "GET /api/jobs", observations, "GET /api/repos/{owner}/{repo}/{branch}/jobs"];
const lookup = "GET /api/forecasts/lookup";

/** Faults of one answer alone: of one route, status, state or page in what it shows, where the clause speaks of every one. */
export const everyAnswerMutants: Mutant[] = [
  ...restOf("route with a JSON body").map((route): Mutant => {
    const isAsked = asksForRoute(route);
    const name = `understands no JSON at ${route}`;
    return {
      name,
      breaks: "GEN-JSON-REQUEST",
      aroundWire: (asked, send) => send(isAsked(asked) && asked.text !== "" ? { ...asked, text: "{" } : asked),
    };
  }),
  ...[submit, retry].flatMap((route): Mutant[] => [
    { name: `answers ${route} without an id of the job`, breaks: "JOB-FIELD-TYPES", around: showing(route, without("id")) },
    { name: `answers ${route} without a status`, breaks: "JOB-FIELD-STATUS", around: showing(route, without("status")) },
    { name: `answers ${route} without a slug`, breaks: "JOB-FIELD-REPO-NAME", around: showing(route, without("repo_name")) },
  ]),
  ...["pending", "running", "completed", "failed", "cancelled"].map((status) =>
    onWire(`has another word for ${status} jobs`, "JOB-FIELD-STATUS", isJobs, replacing("status", status, `${status}!`)),
  ),
  ...["fixed", "dismissed", "completed", "expired"]
    .flatMap((reason) => [
      onWire(
        `lists another word for ${reason}`,
        "OBS-FIELD-CLOSE-ENUM",
        asksForRoute(observations),
        replacing("close_reason", reason, `${reason}!`),
      ),
      onWire(
        `shows another word for ${reason}`,
        "OBS-FIELD-CLOSE-ENUM",
        asksForRoute(observation),
        replacing("close_reason", reason, `${reason}!`),
      ),
      renaming(`once it is ${reason}`, ({ close_reason }) => close_reason === reason && reason !== "expired"),
    ])
    .filter(({ name }) => !name.endsWith("once it is expired")),
  renaming("once it is acknowledged", ({ acknowledged_at }) => acknowledged_at !== null),
  {
    name: "says why an open observation was closed",
    breaks: "OBS-FIELD-CLOSE-ONLY",
    around: showing(observation, (row) => ({ close_reason: "fixed", ...row })),
  },
  {
    name: "lists no time of acknowledging where there is none",
    breaks: "OBS-FIELD-ACK-NULL",
    around: showing(observations, unstamped),
  },
  ...pages.flatMap((route) => [
    onWire(`says in words that there is more of ${route}`, "PAGE-FIELD-TYPES", asksForRoute(route), (answer) => ({
      ...answer,
      text: answer.text.replace(/"has_more":true/, '"has_more":"yes"'),
    })),
    onWire(`says in words that there is no more of ${route}`, "PAGE-FIELD-TYPES", asksForRoute(route), (answer) => ({
      ...answer,
      text: answer.text.replace(/"has_more":false/, '"has_more":"no"'),
    })),
  ]),
  ...["cost_mid", "duration_low", "sample_size", "confidence"].flatMap((field, at) =>
    ["workflow=audit", "workflow=standard_audit", "repo_name="].map((part) =>
      onWire(
        `forecasts ${field} as an object where ${part} is asked for`,
        (["FORECAST-COST", "FORECAST-DURATION", "FORECAST-SAMPLE-SIZE", "FORECAST-CONFIDENCE"] as const)[at]!,
        (asked) => asksForRoute(lookup)(asked) && `${asked.path}&`.includes(part.endsWith("=") ? part : `${part}&`),
        (answer) => ({ ...answer, text: answer.text.replace(new RegExp(`"${field}":("[^"]*"|[\\d.]+)`), `"${field}":null`) }),
      ),
    ),
  ),
];

function restOf(dimension: string): string[] {
  return dimensions[dimension]?.values.rest ?? [];
}

function onWire(
  name: string,
  breaks: ClauseId,
  isAsked: (asked: Asked) => boolean,
  change: (answer: Answered) => Answered,
): Mutant {
  const aroundWire: AroundWire = async (asked, send) => (isAsked(asked) ? change(await send(asked)) : send(asked));
  return { name, breaks, aroundWire };
}

function isApi({ path }: Asked): boolean {
  return path.startsWith("/api/");
}

function isJobs({ method, path }: Asked): boolean {
  return method === "GET" && /\/jobs\b/.test(path) && isApi({ path } as Asked);
}

function replacing(field: string, value: string, other: string): (answer: Answered) => Answered {
  return (answer) => ({ ...answer, text: answer.text.replaceAll(`"${field}":"${value}"`, `"${field}":"${other}"`) });
}

function without(field: string): (shown: Shown) => Shown {
  return ({ [field]: _, ...shown }) => shown;
}

function unstamped({ acknowledged_at, ...row }: Shown): Shown {
  return acknowledged_at === null ? row : { acknowledged_at, ...row };
}

/** A server that gives an observation another ref in some state. */
function renaming(when: string, isSo: (shown: Shown) => boolean): Mutant {
  const change = (shown: Shown) => (isSo(shown) ? { ...shown, ref: `${shown.ref}0` } : shown);
  return {
    name: `shows an observation under another ref ${when}`,
    breaks: "OBS-FIELD-REF-STABLE",
    around: showing(observation, change),
  };
}
