import { strongest } from "./effects.js";
import { type Effect, type Keyword, type SeriesRequest, type Step, type StepRequest, seconds } from "./format.js";
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

const nothingWrong = () => [];
const ownRequest = (step: Step) => [step];
const needsOfRequests = (_: Step, ofRequests: readonly Need[]) => ofRequests;
const singleSend = () => ({ count: 1, burst: false });
const nothingSent = () => ({ count: 0, burst: false });

/** The keywords of which one makes a step. `spec/schema/scenario.json` defines these and all others. */
export const keywords = {
  rest: {
    lint: (step) => [...twoBodies(step), ...doubleQueryMistakes(step)],
    requests: ownRequest,
    needs: needsOfRequests,
    effect: strongest,
    cost: singleSend,
  },
  repeat: {
    lint: nothingWrong,
    requests: ({ repeat }, steps) => steps.filter(({ id }) => id === repeat).slice(0, 1),
    needs: () => [], // the repeated step has the same needs
    effect: strongest,
    cost: singleSend,
  },
  mcp: {
    lint: ({ mcp, until, control, save }, rules) => [
      ...unknownPurpose(mcp?.tool, rules),
      ...(mcp?.eachTool && (until || control || save)
        ? ["eachTool gets several answers; allowed: expect without until, control and save"]
        : []),
    ],
    requests: ownRequest,
    needs: needsOfRequests,
    effect: strongest,
    cost: singleSend,
  },
  drive: {
    lint: notJudged,
    requests: () => [],
    needs: ({ drive }) => [{ need: `drive.${drive}` }],
    effect: () => "write",
    cost: nothingSent,
  },
  clock: {
    lint: notJudged,
    requests: () => [],
    needs: ({ clock }) => (clock && "by" in clock ? [{ need: "clock", beyondSeconds: seconds(clock.by) }] : [{ need: "clock" }]),
    effect: () => "write",
    cost: nothingSent,
  },
  burst: {
    lint: ({ burst }, rules) => [
      ...unknownPurpose(burst?.mcp?.tool, rules),
      ...inTurn(burst).flatMap(doubleQueryMistakes).slice(0, 1),
    ],
    requests: ({ burst }) => inTurn(burst),
    needs: needsOfRequests,
    effect: (ofRequests) => strongest([...ofRequests, "write"]), // even reads use up a limit that others share
    cost: ({ burst }) => ({ count: burst?.n ?? 0, burst: true }),
  },
  race: {
    lint: ({ race }) => inTurn(race).flatMap(doubleQueryMistakes).slice(0, 1),
    requests: ({ race }) => inTurn(race),
    needs: needsOfRequests,
    effect: strongest,
    cost: ({ race }) => ({ count: race?.n ?? 0, burst: false }),
  },
} as const satisfies Record<Keyword, KeywordRules>;

/** Returns the requests of a burst or a race, which take turns. Fields beside `requests` apply to all of them. */
function inTurn(series: SeriesRequest | undefined): readonly StepRequest[] {
  if (!series) return [];
  const { requests, n: _, ...common } = series;
  return requests?.map((request) => ({ ...common, ...request })) ?? [series];
}

/** Returns the keyword of a step. */
export function keywordOf(step: Step): Keyword {
  return (Object.keys(keywords) as Keyword[]).find((keyword) => step[keyword] !== undefined) ?? "rest";
}

/** Returns a mistake if a request has a query both in its path and in `query`. */
export function doubleQueryMistakes({ rest, query }: { rest?: string | undefined; query?: unknown }): string[] {
  return query && rest?.includes("?") ? ["the step has two queries; allowed: one, in rest or in query"] : [];
}

function twoBodies({ json, body, bytes }: StepRequest): string[] {
  const bodies = [json, body, bytes].filter((one) => one !== undefined);
  return bodies.length > 1 ? ["the step has several bodies; allowed: one of json, body and bytes"] : [];
}

function unknownPurpose(purpose: string | undefined, { tools }: RequestRules): string[] {
  if (purpose === undefined || purpose.includes("{") || Object.hasOwn(tools, purpose)) return [];
  return [`no tool has the purpose "${purpose}"; allowed: ${Object.keys(tools).join(", ")}`];
}

function notJudged({ expect, given }: Step): string[] {
  return expect || given ? ["drive and clock steps have no expect or given; allowed: save"] : [];
}
