import type { WireRequest, WireResponse } from "../http/exchange.js";
import type { ApiDocument } from "./api-document.js";

/** The findings of an independent validator that compared the exchanges of a run with the published document. */
export interface SecondOpinion {
  validator: string;
  version: string;
  /** Number of judged exchanges. */
  exchanges: number;
  /** Number of exchanges that it could not judge. */
  unjudged: number;
  /** Number of violations in requests. Tests of refusals send invalid requests on purpose. */
  request_violations: number;
  /** Violations in responses. */
  violations: Violation[];
}

/** One kind of violation in the responses of one operation. The fields describe its first occurrence, `count` counts all. */
export interface Violation {
  /** Place in the response, such as `response.body.data`. */
  location: string;
  severity: string;
  code?: string;
  message: string;
  /** Method and path of the request. */
  request: string;
  /** Status of the response. */
  status: number;
  count: number;
}

type OperationOf = ApiDocument["operationOf"];

/** A violation in the response header of Prism. */
interface PrismViolation {
  location: string[];
  severity: string;
  code?: string | number;
  message: string;
}

const VIOLATIONS_HEADER = "sl-violations";

/** Returns an opinion without exchanges. */
export function createOpinion(version: string): SecondOpinion {
  return { validator: "Prism", version, exchanges: 0, unjudged: 0, request_violations: 0, violations: [] };
}

/** Adds the violations in the validator's response to a request. Without a response it counts the exchange as not judged. */
export function addExchange(
  opinion: SecondOpinion,
  { method, url }: WireRequest,
  response: WireResponse | undefined,
  operationOf: OperationOf,
): void {
  if (!response) {
    opinion.unjudged += 1;
    return;
  }
  opinion.exchanges += 1;
  for (const { location, severity, code, message } of parseViolations(response.headers[VIOLATIONS_HEADER])) {
    const place = { location: location.join("."), severity, ...(code !== undefined && { code: String(code) }) };
    const violation = { ...place, message, request: `${method} ${url}`, status: response.status, count: 1 };
    if (location[0] === "request") opinion.request_violations += 1;
    else addViolation(opinion, violation, operationOf);
  }
}

/** Returns the opinion on a run from the opinions on its shards. */
export function joinOpinions(opinions: readonly SecondOpinion[], operationOf: OperationOf): SecondOpinion | undefined {
  const [first] = opinions;
  if (!first) return undefined;
  const sum = (of: "exchanges" | "unjudged" | "request_violations") => opinions.reduce((total, each) => total + each[of], 0);
  const secondOpinion: SecondOpinion = {
    ...first,
    exchanges: sum("exchanges"),
    unjudged: sum("unjudged"),
    request_violations: sum("request_violations"),
    violations: [],
  };
  for (const violation of opinions.flatMap(({ violations }) => violations)) addViolation(secondOpinion, violation, operationOf);
  return secondOpinion;
}

/** Adds a violation. Equal violations in several rows, or for several requests of one operation, are counted as one. */
function addViolation({ violations }: SecondOpinion, violation: Violation, operationOf: OperationOf): void {
  const knownViolation = violations.find(
    (otherViolation) => nameViolation(otherViolation, operationOf) === nameViolation(violation, operationOf),
  );
  if (knownViolation) knownViolation.count += violation.count;
  else violations.push({ ...violation });
}

function nameViolation({ location, severity, code, request, status }: Violation, operationOf: OperationOf): string {
  const [method = "", target = ""] = request.split(" ");
  const operation = operationOf(method, target.replace(/\?.*/, "")) ?? request;
  return [operation, location.replace(/\.\d+(?=\.|$)/g, ".*"), severity, code, status].join(" ");
}

/** Parses the header of Prism. Prism cuts the header at about 8 KB, so an incomplete last violation is omitted. */
function parseViolations(header = "[]"): PrismViolation[] {
  const list = header.replace(/^Too many violations! /, "");
  if (list === header) return JSON.parse(list) as PrismViolation[];
  const end = list.lastIndexOf(',{"location"');
  return end < 0 ? [] : (JSON.parse(`${list.slice(0, end)}]`) as PrismViolation[]);
}
