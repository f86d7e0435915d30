import type { VariationFunction, Write } from "./variation.js";

const caches = { "x-served-by": "cache-7", "server-timing": "all;dur=1", "x-ratelimit-limit": "many", vary: "accept" };

/** Headers that caches and proxies add. */
export const addHeaders: VariationFunction = (response, _, dice) => {
  const more = dice.pick<Record<string, string>>([caches, { "cache-control": "no-store" }]);
  return { ...response, headers: { ...more, ...response.headers } };
};

/** Another spelling of the content type. */
export const respellType: VariationFunction = (response, { surface }, dice) => {
  if (response.body === undefined || "content-type" in response.headers) return null;
  const plain = ["application/json", "application/json;charset=UTF-8"];
  const types = response.status >= 400 && surface === "rest" ? [...plain, "application/problem+json"] : plain;
  return { ...response, headers: { ...response.headers, "content-type": dice.pick(types) ?? "application/json" } };
};

/** Another order of the fields of every object. */
export const reorder: VariationFunction = (response, _, dice) => {
  if (response.body === undefined || typeof response.body === "string") return null;
  const order = dice.pick(orders) ?? ((names: string[]) => names);
  return { ...response, body: sortFields(response.body, order) };
};

const orders: readonly ((names: string[]) => string[])[] = [(names) => names.toReversed(), (names) => names.toSorted()];

function sortFields(value: unknown, order: (names: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => sortFields(item, order));
  if (value === null || typeof value !== "object") return value;
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(order(Object.keys(fields)).map((name) => [name, sortFields(fields[name], order)]));
}

/** JSON on many lines. */
export const indent: Write = ({ body }) => (body === undefined ? null : { indented: true });

/** JSON with escapes that are allowed and not needed. */
export const escapeSigns: Write = ({ body }) => (body === undefined ? null : { escaped: true });

/** Header names in capitals, or with a capital at each word. */
export const capitalise: Write = (_, dice) => ({
  headerName: dice.happens(2)
    ? (name) => name.toUpperCase()
    : (name) => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()),
});
