import { escapeLine, formatJson } from "../common/escape/visible.js";
import type { ToolName } from "../contract/names.js";
import type { RouteName } from "../contract/types.js";
import type { MockWorld } from "../mock/in-process/mock-world.js";
import { formatCallLine } from "../mock/journal/call-line.js";
import type { Match } from "../mock/journal/matching.js";
import type { Entry } from "../mock/journal/read-entry.js";
import type { Verification, VerificationRequest } from "../mock/journal/verification.js";

/** A selection of calls: a route, a tool, or a match as the journal takes it. */
export type CallPattern = RouteName | ToolName | Match;

/** The number of calls. */
export type Times = number | Pick<VerificationRequest, "at_least" | "at_most" | "between">;

interface Outcome {
  pass: boolean;
  message(): string;
}

const maxShownCalls = 20;

/** The matchers by name, as `expect.extend` takes them. */
export const matchers = {
  /** Passes if this many calls match; without a number, at least one. */
  toHaveReceived(world: unknown, callPattern: CallPattern, times: Times = { at_least: 1 }): Outcome {
    const match = getMatch(callPattern);
    const request = { match, ...(typeof times === "number" ? { exactly: times } : times) };
    return judge(asWorld(world), request, `${matchText(match)} ${wordTimes(times)}`);
  },

  /** Passes if calls matched in this order, with any calls between them. */
  toHaveReceivedInOrder(world: unknown, callPatterns: readonly CallPattern[]): Outcome {
    const in_order = callPatterns.map(getMatch);
    return judge(asWorld(world), { in_order }, `in this order ${in_order.map(matchText).join(", ")}`);
  },

  /** Passes if the service reads every field, parameter and header that the client sent. */
  toHaveReadEverything(world: unknown): Outcome {
    const entries = asWorld(world).journal({ unread: true });
    return {
      pass: entries.length === 0,
      message: () =>
        entries.length === 0
          ? "expected an unknown field or parameter in a request, but there was none"
          : ["expected all that was sent to be read, but this was not:", ...entries.map(getUnreadLine)].join("\n"),
    };
  },
};

function judge(world: MockWorld, request: VerificationRequest, wanted: string): Outcome {
  const result = world.verify(request);
  return { pass: result.verified, message: () => describeResult(world, result, wanted) };
}

function describeResult(world: MockWorld, { verified, count, nearest }: Verification, wanted: string): string {
  const calls = world.journal().slice(-maxShownCalls);
  return [
    `expected ${verified ? "not " : ""}to receive ${wanted}, but ${count} did come`,
    ...nearest.flatMap(({ entry, differences }) => [
      `nearest: ${getLine(entry)}`,
      ...differences.map(({ field, wanted, seen }) => escapeLine(`  ${field} is ${show(seen)}, not ${show(wanted)}`)),
    ]),
    calls.length === 0 ? "no call came at all" : "what came:",
    ...calls.map((call) => `  ${getLine(call)}`),
  ].join("\n");
}

function asWorld(value: unknown): MockWorld {
  if (typeof value === "object" && value !== null && "journal" in value && "verify" in value) return value as MockWorld;
  throw new TypeError("This matcher takes a mock or one of its worlds: expect(counterpart).");
}

/** Returns the match for a route or tool name. The world refuses unknown names. */
function getMatch(callPattern: CallPattern): Match {
  if (typeof callPattern === "string") return { route: callPattern as RouteName };
  if (typeof callPattern === "object" && callPattern !== null) return callPattern;
  throw new TypeError("This matcher takes a route or a tool by its name, or an object of the journal's fields.");
}

function matchText({ route, ...more }: Match): string {
  const rest = Object.keys(more).length > 0 ? [show(more)] : [];
  return escapeLine([...(route === undefined ? [] : [route]), ...rest].join(" "));
}

function wordTimes(times: Times): string {
  if (typeof times === "number") return `exactly ${count(times)}`;
  const { at_least, at_most, between } = times;
  if (between) return `${between[0]} to ${count(between[1])}`;
  return at_least !== undefined ? `at least ${count(at_least)}` : `at most ${count(at_most ?? 0)}`;
}

function count(times: number): string {
  return times === 1 ? "once" : `${times} times`;
}

function getUnreadLine(entry: Entry): string {
  return escapeLine(`  ${entry.unread.join(", ")} of ${getLine(entry)}`);
}

function getLine(entry: Entry): string {
  return formatCallLine(entry, "default").trimEnd();
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : formatJson(value);
}
