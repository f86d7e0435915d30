/** One call of a client's program, as the comparison of two runs reads it. */
export interface TrialCall {
  world: string;
  /** Its number in the journal. */
  entry: number;
  /** Method and address, without keys. */
  request: string;
  /** The route or tool; else the method and path. */
  operation: string;
  status: number | null;
  /** The variations that changed its response. */
  variations: readonly string[];
  /** The parts of its response with their types, or with the values that a client branches on. */
  parts: ReadonlyMap<string, string>;
}

/** The parts of a journal entry that a comparison reads. */
interface CallWithResponse {
  number: number;
  request: string;
  route: string | null;
  status: number | null;
  answer: { headers: Readonly<Record<string, string>>; body: unknown };
  variations: readonly string[];
}

const maxParts = 200;
const maxListedNames = 5;
const branchingParts = /(?:^|\.)(?:code|type|confidence|status)$/;

/** Reads a call from its entry in the journal. */
export function createTrialCall(
  { number, request, route, status, answer: response, variations }: CallWithResponse,
  world: string,
): TrialCall {
  const operation = route ?? request.replace(/\?.*/s, "");
  return { world, entry: number, request, operation, status, variations, parts: listParts(status, response) };
}

/** Tells whether a variation changed the response of a call. */
export function hasVariations({ variations }: TrialCall): boolean {
  return variations.length > 0;
}

/** Returns the names of the parts that two responses to the same call do not share: `status`, `headers.x-cache`, `data.[].etag`. */
export function listChangedParts(plainTrialCall: TrialCall, otherTrialCall: TrialCall): string[] {
  const names = new Set([...plainTrialCall.parts.keys(), ...otherTrialCall.parts.keys()]);
  return [...names].filter((name) => plainTrialCall.parts.get(name) !== otherTrialCall.parts.get(name)).slice(0, maxListedNames);
}

function listParts(status: number | null, { headers, body }: CallWithResponse["answer"]): Map<string, string> {
  const parts = new Map([["(status)", String(status)]]);
  for (const name of Object.keys(headers)) parts.set(`headers.${name.toLowerCase()}`, "");
  const walk = (value: unknown, place: string): void => {
    if (parts.size >= maxParts) return;
    const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    if (place !== "") parts.set(place, branchingParts.test(place) ? JSON.stringify(value) : type);
    if (Array.isArray(value)) for (const item of value) walk(item, `${place}.[]`);
    else if (value !== null && typeof value === "object")
      for (const [name, item] of Object.entries(value)) walk(item, place === "" ? name : `${place}.${name}`);
  };
  walk(body, "");
  return parts;
}
