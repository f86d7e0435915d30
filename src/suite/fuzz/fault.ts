/** Where a field of a request stands. The arguments of a tool are its body. */
export type Place = "body" | "query";

/** In which way a value is none of its field's, or just within its bounds. */
export type Wrong =
  | "type"
  | "short"
  | "long"
  | "low"
  | "high"
  | "word"
  | "timestamp"
  | "pattern"
  | "service word"
  | "past"
  | "address"
  | "raised"
  | "cleared";

/** The one thing that is odd about a request; plain data. `none` is a request without a fault, `edge` and `text` stand within the bounds of the field. */
export type Fault =
  | { kind: "none" }
  | { kind: "missing"; in: Place; name: string }
  | { kind: "wrong"; in: Place; name: string; how: Wrong; value: unknown }
  | { kind: "edge"; in: Place; name: string; value: unknown }
  | { kind: "text"; in: Place; name: string; value: string }
  | { kind: "extra"; in: Place; name: string; value: unknown }
  | { kind: "twice"; name: string; values: [string, string] }
  | { kind: "method"; value: string }
  | { kind: "unknown"; name: string; value: string }
  | { kind: "segment"; name: string; how: string; value: string }
  | { kind: "content"; how: Content }
  | { kind: "header"; name: string; how: string; value: string | null }
  | { kind: "credential"; how: string; value: string | null };

/** What a body can be instead of the JSON text of a valid one. */
export type Content = (typeof contents)[number];

/** The ways in which a body is odd as a text: no JSON at all, or JSON that readers take in different ways. */
export const contents = [
  "cut short",
  "no JSON",
  "a form",
  "two values",
  "a comment",
  "nothing",
  "blanks",
  "a list",
  "null",
  "a number",
  "a string",
  "a byte order mark",
  "invalid UTF-8",
  "UTF-16",
  "a NUL behind",
  "nested deep",
  "a field twice",
  "a huge number",
  "a prototype's name",
  "a large field",
] as const;

/** Those that are no JSON by any reader (ERR-TYPE-MALFORMED). */
export const notJson: readonly Content[] = ["cut short", "no JSON", "a form", "two values"];

/** The name that a fault goes by in coverage: what it is, without what was drawn. */
export function nameOf(fault: Fault): string {
  switch (fault.kind) {
    case "none":
      return "valid";
    case "missing":
    case "extra":
    case "text":
      return `${fault.kind} ${fault.in}.${fault.name}`;
    case "edge":
      return `edge ${fault.in}.${fault.name} ${brief(fault.value)}`;
    case "wrong":
      return `wrong ${fault.how} ${fault.in}.${fault.name} ${pastBound(fault.how, fault.value)}`.trim();
    case "twice":
    case "unknown":
      return `${fault.kind} ${fault.name}`;
    case "method":
      return `method ${fault.value}`;
    case "segment":
      return `segment ${fault.name} with ${fault.how}`;
    case "content":
      return `body: ${fault.how}`;
    case "header":
      return `header ${fault.name}: ${fault.how}`;
    case "credential":
      return `credential: ${fault.how}`;
    default:
      return fault satisfies never;
  }
}

/** How long or how large a value past a bound is, whatever else it is; nothing of what is wrong in another way. */
export function pastBound(how: Wrong, value: unknown): string {
  if (!["short", "long", "low", "high"].includes(how)) return "";
  return String(typeof value === "string" ? [...value].length : Array.isArray(value) ? pastBound(how, value[0]) : value);
}

/** A value in so few words that it can stand in a name. */
function brief(value: unknown): string {
  if (typeof value === "string" && /^(.)\1*$/u.test(value)) return `${[...value].length} of ${[...value][0]}`;
  return String(JSON.stringify(value)).slice(0, 40);
}
