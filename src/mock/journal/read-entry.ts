import { readFields } from "../../client-report/exchange.js";
import type { MessageMask } from "../../common/masking/message-mask.js";
import { contract } from "../../contract/load.js";
import type { VariationName } from "../../contract/types.js";
import { type Gate, gates } from "../../service/call.js";
import { findKeyByToken } from "../../service/world/lookups.js";
import type { World } from "../../service/world/world.js";
import { findNearestRoutes } from "../input/nearest-routes.js";
import { type ShownChange, showChanges } from "./changes.js";
import type { JournalRecord, MeterLevel } from "./journal.js";
import { openShownMask } from "./masking.js";
import { findUnknownParts } from "./unknown-parts.js";

/** One journal entry as users see it: the request, the response, and the reason. It contains no credential. */
export interface Entry {
  number: number;
  /** The number of its entry in the log of the world. A rewind to this number removes the entry. */
  log: number;
  at: string;
  request: string;
  route: string | null;
  /** Id of the key of the call; null if no key of this world made it. */
  key: string | null;
  /** Name of the key. For a key of the fixture, this is its role. */
  role: string | null;
  /** The headers of the request, with names in lower case. */
  headers: Record<string, string>;
  body: unknown;
  /** Null if the call got no response: a fault broke the connection, or the client closed it. */
  status: number | null;
  answer: { headers: Record<string, string>; body: unknown };
  /** The checks that the call passed, in order. */
  passed: Gate[];
  rule: { gate: Gate; code: string | null; clause: string | null; description: string | null };
  /** Why the call was refused or not served, in one sentence; null for a success. */
  reason: string | null;
  /** The levels of the caller's buckets before and after the call. */
  buckets: (Omit<MeterLevel, "used"> & { before: number; after: number })[];
  /** The parts of the request that the service did not read, such as `query.stats`. */
  unread: string[];
  /** The closest routes to an unknown path. */
  nearest: string[];
  changes: ShownChange[];
  forced: boolean;
  fault: string | null;
  /** The variations of the response, in a world with variations. */
  variations: VariationName[];
}

/** Returns a record as an entry. */
export function readEntry(
  journalRecord: JournalRecord,
  number: number,
  world: World,
  mask = learnSecrets(openShownMask(), journalRecord),
): Entry {
  const { at, method, url, rule, authorization, headers, answer: response, levels, drawn, body, ...rest } = journalRecord;
  const answered = readText(response.text, mask);
  const key = authorization && findKeyByToken(world, authorization.slice(authorization.lastIndexOf(" ") + 1));
  return {
    number,
    log: rest.log,
    at: new Date(at).toISOString(),
    request: mask.hide(`${method} ${url}`),
    route: rest.route,
    key: key ? key.id : null,
    role: key ? key.name : null,
    headers: mask.headers(headers),
    body: mask.hide(body),
    status: rest.status,
    answer: { headers: { ...mask.hide(response.headers) }, body: answered },
    passed: gates.slice(0, gates.indexOf(rule.gate)),
    rule: { ...rule, description: rule.clause && contract.clauses[rule.clause].description },
    reason: rest.reason ?? readReason(answered),
    buckets: (levels ?? []).map(({ used, ...level }) => ({
      ...level,
      before: drawn ? Math.max(0, used - 1) : used,
      after: used,
    })),
    unread: findUnknownParts(journalRecord),
    nearest: rule.gate === "route" ? findNearestRoutes(method, url) : [],
    changes: showChanges(rest.changes),
    forced: rest.forced,
    fault: rest.fault,
    variations: [...rest.variations],
  };
}

/** Adds the secrets in a request to a mask, and returns the mask. */
export function learnSecrets(mask: MessageMask, { headers, url, body }: JournalRecord): MessageMask {
  mask.learnHeaders(headers);
  mask.learn(url);
  mask.learn(body);
  return mask;
}

/** Returns the message of an error: of the service, of JSON-RPC, or of a tool. */
function readReason(body: unknown): string | null {
  const { error, result } = readFields(body);
  const { isError, structuredContent, content } = readFields(result);
  const [first] = Array.isArray(content) ? content : [];
  const sentence =
    isError === true ? (readFields(readFields(structuredContent).error).message ?? readFields(first).text) : undefined;
  const message = sentence ?? readFields(error).message;
  return typeof message === "string" ? message : null;
}

function readText(text: string | number | null, mask: MessageMask): unknown {
  if (text === null) return null;
  if (typeof text === "number") return `(${text} characters)`;
  try {
    return mask.hide(JSON.parse(text));
  } catch {
    return mask.hide(text);
  }
}
