/** The place of a field. The arguments of a tool are its body. */
export type Place = "body" | "query";

/** How a value is invalid for its field. */
export type FieldFault =
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

/** The one fault of a request, as plain data. `none` has no fault; `edge` and `text` are within the limits of the field. */
export type Fault =
  | { kind: "none" }
  | { kind: "missing"; in: Place; name: string }
  | { kind: "wrong"; in: Place; name: string; how: FieldFault; value: unknown }
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

/** The form of a body that replaces valid JSON. */
export type Content = (typeof bodyContents)[number];

/** Forms of a faulty body: not JSON, or JSON that parsers read differently. */
export const bodyContents = [
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

/** The forms that no parser accepts as JSON (ERR-TYPE-MALFORMED). */
export const invalidJsonContents: readonly Content[] = ["cut short", "no JSON", "a form", "two values"];

/** Returns the name of a fault in the coverage, without its drawn value. */
export function nameFault(fault: Fault): string {
  switch (fault.kind) {
    case "none":
      return "valid";
    case "missing":
    case "extra":
    case "text":
      return `${fault.kind} ${fault.in}.${fault.name}`;
    case "edge":
      return `edge ${fault.in}.${fault.name} ${shortenText(fault.value)}`;
    case "wrong":
      return `wrong ${fault.how} ${fault.in}.${fault.name} ${describeSize(fault.how, fault.value)}`.trim();
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

/** Returns the length or size of a value beyond a limit; an empty text for other faults. */
export function describeSize(how: FieldFault, value: unknown): string {
  if (!["short", "long", "low", "high"].includes(how)) return "";
  return String(typeof value === "string" ? [...value].length : Array.isArray(value) ? describeSize(how, value[0]) : value);
}

/** Returns a value as short text. */
function shortenText(value: unknown): string {
  if (typeof value === "string" && /^(.)\1*$/u.test(value)) return `${[...value].length} of ${[...value][0]}`;
  return String(JSON.stringify(value)).slice(0, 40);
}
