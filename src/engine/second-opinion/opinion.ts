import type { WireRequest, WireResponse } from "../http/exchange.js";
import type { ApiDocument } from "./api-document.js";

/** What an independent validator found when it compared the exchanges of a run with the published document. */
export interface SecondOpinion {
  validator: string;
  version: string;
  /** How many it judged. */
  exchanges: number;
  /** How many it could not judge. */
  unjudged: number;
  /** How often a request departed from the document; tests of refusals do so on purpose. */
  request_violations: number;
  /** How answers departed from it. */
  violations: Violation[];
}

/** One way in which answers of one operation depart from the published document, as it was first met. */
export interface Violation {
  /** Where in the answer, such as `response.body.data`. */
  location: string;
  severity: string;
  code?: string;
  message: string;
  /** Method and path of the request. */
  request: string;
  /** Status of the answer. */
  status: number;
  count: number;
}

type OperationOf = ApiDocument["operationOf"];

/** A violation as Prism names it in its header. */
interface PrismViolation {
  location: string[];
  severity: string;
  code?: string | number;
  message: string;
}

const VIOLATIONS = "sl-violations";

/** An opinion on nothing yet. */
export function emptyOpinion(version: string): SecondOpinion {
  return { validator: "Prism", version, exchanges: 0, unjudged: 0, request_violations: 0, violations: [] };
}

/** Adds what the validator says in its answer to a request; without an answer it could not judge the exchange. */
export function addExchange(
  opinion: SecondOpinion,
  { method, url }: WireRequest,
  answer: WireResponse | undefined,
  operationOf: OperationOf,
): void {
  if (!answer) {
    opinion.unjudged += 1;
    return;
  }
  opinion.exchanges += 1;
  for (const { location, severity, code, message } of violationsIn(answer.headers[VIOLATIONS])) {
    const place = { location: location.join("."), severity, ...(code !== undefined && { code: String(code) }) };
    const violation = { ...place, message, request: `${method} ${url}`, status: answer.status, count: 1 };
    if (location[0] === "request") opinion.request_violations += 1;
    else addViolation(opinion, violation, operationOf);
  }
}

/** The opinions on the shards of one run as that on the whole. */
export function joinOpinions(opinions: readonly SecondOpinion[], operationOf: OperationOf): SecondOpinion | undefined {
  const [first] = opinions;
  if (!first) return undefined;
  const sum = (of: "exchanges" | "unjudged" | "request_violations") => opinions.reduce((total, each) => total + each[of], 0);
  const joined: SecondOpinion = {
    ...first,
    exchanges: sum("exchanges"),
    unjudged: sum("unjudged"),
    request_violations: sum("request_violations"),
    violations: [],
  };
  for (const violation of opinions.flatMap(({ violations }) => violations)) addViolation(joined, violation, operationOf);
  return joined;
}

/** What is said of several rows, or to several requests for one operation, is one violation, shown as it was first met. */
function addViolation({ violations }: SecondOpinion, violation: Violation, operationOf: OperationOf): void {
  const known = violations.find((other) => kindOf(other, operationOf) === kindOf(violation, operationOf));
  if (known) known.count += violation.count;
  else violations.push({ ...violation });
}

function kindOf({ location, severity, code, request, status }: Violation, operationOf: OperationOf): string {
  const [method = "", target = ""] = request.split(" ");
  const operation = operationOf(method, target.replace(/\?.*/, "")) ?? request;
  return [operation, location.replace(/\.\d+(?=\.|$)/g, ".*"), severity, code, status].join(" ");
}

/** Prism cuts a header that would be longer than about 8 KB, in the midst of a violation: the whole ones before it count. */
function violationsIn(header = "[]"): PrismViolation[] {
  const list = header.replace(/^Too many violations! /, "");
  if (list === header) return JSON.parse(list) as PrismViolation[];
  const end = list.lastIndexOf(',{"location"');
  return end < 0 ? [] : (JSON.parse(`${list.slice(0, end)}]`) as PrismViolation[]);
}
