import { pickStrongest } from "./effects.js";
import { type Effect, type Keyword, parseSeconds, type SeriesRequest, type Step, type StepRequest } from "./format.js";
import type { RequestRules } from "./requests.js";
import type { Need } from "./scenario.js";

/** The rules for steps of one keyword before they run; `execute/keywords.ts` runs them. */
export interface KeywordRules {
  /** Returns the mistakes of a step that the schema cannot find. */
  lint(step: Step, rules: RequestRules): string[];
  /** Returns the requests that a step sends. Several requests take turns. `steps` are the steps that it may repeat. */
  requests(step: Step, steps: readonly Step[]): readonly StepRequest[];
  /** Returns what a step needs of the target, given the needs of its requests. */
  needs(step: Step, ofRequests: readonly Need[]): readonly Need[];
  /** Returns the strongest effect of a step on the server, given the effects of its requests. */
  effect(ofRequests: readonly Effect[]): Effect;
  /** Returns how many requests a step sends at least. With `burst` it sends them without pauses, to reach a limit. */
  cost(step: Step): { count: number; burst: boolean };
}

const findNothing = () => [];
const listOwnRequest = (step: Step) => [step];
const needsOfRequests = (_: Step, ofRequests: readonly Need[]) => ofRequests;
const listSingleRequest = () => ({ count: 1, burst: false });
const createNoRequests = () => ({ count: 0, burst: false });

/** The keywords of steps; each step has exactly one. `spec/schema/scenario.json` defines these and all others. */
export const keywords = {
  rest: {
    lint: (step) => [...findTwoBodies(step), ...findDoubleQuery(step)],
    requests: listOwnRequest,
    needs: needsOfRequests,
    effect: pickStrongest,
    cost: listSingleRequest,
  },
  repeat: {
    lint: findNothing,
    requests: ({ repeat }, steps) => steps.filter(({ id }) => id === repeat).slice(0, 1),
    needs: () => [], // the repeated step has the same needs
    effect: pickStrongest,
    cost: listSingleRequest,
  },
  mcp: {
    lint: ({ mcp, until, control, save }, rules) => [
      ...findUnknownPurpose(mcp?.tool, rules),
      ...(mcp?.eachTool && (until || control || save)
        ? ["eachTool gets several answers; allowed: expect without until, control and save"]
        : []),
    ],
    requests: listOwnRequest,
    needs: needsOfRequests,
    effect: pickStrongest,
    cost: listSingleRequest,
  },
  drive: {
    lint: findUnjudged,
    requests: () => [],
    needs: ({ drive }) => [{ need: `drive.${drive}` }],
    effect: () => "write",
    cost: createNoRequests,
  },
  clock: {
    lint: findUnjudged,
    requests: () => [],
    needs: ({ clock }) =>
      clock && "by" in clock ? [{ need: "clock", beyondSeconds: parseSeconds(clock.by) }] : [{ need: "clock" }],
    effect: () => "write",
    cost: createNoRequests,
  },
  burst: {
    lint: ({ burst }, rules) => [
      ...findUnknownPurpose(burst?.mcp?.tool, rules),
      ...listInTurn(burst).flatMap(findDoubleQuery).slice(0, 1),
    ],
    requests: ({ burst }) => listInTurn(burst),
    needs: needsOfRequests,
    effect: (ofRequests) => pickStrongest([...ofRequests, "write"]), // reads also use up a limit that others share
    cost: ({ burst }) => ({ count: burst?.n ?? 0, burst: true }),
  },
  race: {
    lint: ({ race }) => listInTurn(race).flatMap(findDoubleQuery).slice(0, 1),
    requests: ({ race }) => listInTurn(race),
    needs: needsOfRequests,
    effect: pickStrongest,
    cost: ({ race }) => ({ count: race?.n ?? 0, burst: false }),
  },
} as const satisfies Record<Keyword, KeywordRules>;

/** Returns the requests of a burst or a race, which take turns. Fields beside `requests` apply to all of them. */
function listInTurn(series: SeriesRequest | undefined): readonly StepRequest[] {
  if (!series) return [];
  const { requests, n: _, ...common } = series;
  return requests?.map((request) => ({ ...common, ...request })) ?? [series];
}

/** Returns the keyword of a step. */
export function findKeyword(step: Step): Keyword {
  return (Object.keys(keywords) as Keyword[]).find((keyword) => step[keyword] !== undefined) ?? "rest";
}

/** Returns a mistake if a request has a query both in its path and in `query`. */
export function findDoubleQuery({ rest, query }: { rest?: string | undefined; query?: unknown }): string[] {
  return query && rest?.includes("?") ? ["the step has two queries; allowed: one, in rest or in query"] : [];
}

function findTwoBodies({ json, body, bytes }: StepRequest): string[] {
  const bodies = [json, body, bytes].filter((one) => one !== undefined);
  return bodies.length > 1 ? ["the step has several bodies; allowed: one of json, body and bytes"] : [];
}

function findUnknownPurpose(purpose: string | undefined, { tools }: RequestRules): string[] {
  if (purpose === undefined || purpose.includes("{") || Object.hasOwn(tools, purpose)) return [];
  return [`no tool has the purpose "${purpose}"; allowed: ${Object.keys(tools).join(", ")}`];
}

function findUnjudged({ expect, given }: Step): string[] {
  return expect || given ? ["drive and clock steps have no expect or given; allowed: save"] : [];
}
