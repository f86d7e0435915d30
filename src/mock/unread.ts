import { contract } from "../contract/load.js";
import { inline } from "../contract/references.js";
import { parametersOf, routes } from "../contract/routes.js";
import type { RouteName } from "../contract/types.js";
import type { JournalRecord } from "./journal.js";

/** What is known of a route's input: the names that it reads. */
interface Reads {
  query: ReadonlySet<string>;
  /** Null where every field is read or refused; empty where a body is not read at all. */
  body: ReadonlySet<string> | null;
  idempotencyKey: boolean;
}

const known = new Map<string, Reads>();

/** What a call sent that nobody read: undeclared query parameters and fields, a body or an Idempotency-Key where none is looked at. */
export function unreadParts({ route, url, body, headers }: JournalRecord): string[] {
  if (route === null || !Object.hasOwn(routes, route)) return [];
  const reads = readsOf(route as RouteName);
  const query = [...new URLSearchParams(url.split("?", 2)[1] ?? "").keys()].filter((name) => !reads.query.has(name));
  const sent = headers.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  const key = !reads.idempotencyKey && sent.includes("idempotency-key") ? ["headers.idempotency-key"] : [];
  return [...query.map((name) => `query.${name}`), ...fieldsOf(body, reads.body), ...key];
}

function fieldsOf(body: unknown, read: Reads["body"]): string[] {
  if (read === null || body === null || typeof body !== "object") return [];
  if (read.size === 0) return ["body"];
  return Object.keys(body).flatMap((name) => (read.has(name) ? [] : [`body.${name}`]));
}

function readsOf(route: RouteName): Reads {
  let reads = known.get(route);
  if (!reads) {
    const parameters = parametersOf(route);
    const named = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name);
    reads = {
      query: new Set(named("query")),
      body: bodyOf(route),
      idempotencyKey: named("header").some((name) => name.toLowerCase() === "idempotency-key"),
    };
    known.set(route, reads);
  }
  return reads;
}

function bodyOf(route: RouteName): Reads["body"] {
  const { requestBody } = routes[route].operation;
  if (!requestBody) return new Set();
  const schema = "content" in requestBody ? requestBody.content["application/json"]?.schema : undefined;
  if (!schema) return null;
  const { properties } = inline(schema, { "": contract.openapi }) as { properties?: object };
  return properties ? new Set(Object.keys(properties)) : null;
}
