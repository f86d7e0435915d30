import { isRecord } from "../../engine/scenario/interpolate.js";

const TRIPLE_FIELDS = ["owner", "repo", "branch"] as const;

/** The names of the fields that identify a repository in the body of a registration. `whole`: one field holds the text of `template`. */
interface RegistrationFields {
  parts: readonly string[];
  whole?: { field: string; template: string };
}

/** Returns the fields that the target file states. By default the fields have the names of the parts. */
function readRegistrationFields({ register_body: stated }: Readonly<Record<string, unknown>>): RegistrationFields {
  const names = isRecord(stated) ? stated : {};
  const { field, template } = names;
  const parts = TRIPLE_FIELDS.map((part) => String(names[part] ?? part));
  return typeof field === "string" && typeof template === "string" ? { parts, whole: { field, template } } : { parts };
}

/**
 * Returns the body of a registration with one field for the whole repository, where the target file states that. A missing part
 * leaves the field out. A part that is not a string becomes the value of the field.
 */
export function createRegistrationJson(json: unknown, bindings: Readonly<Record<string, unknown>>): unknown {
  const { parts, whole } = readRegistrationFields(bindings);
  if (!whole || !isRecord(json) || !parts.some((part) => part in json)) return json;
  const rest = Object.fromEntries(Object.entries(json).filter(([name]) => !parts.includes(name)));
  const values = parts.map((part) => json[part]);
  if (values.includes(undefined)) return rest;
  const odd = values.find((value) => typeof value !== "string");
  const text = TRIPLE_FIELDS.reduce((filled, part, at) => filled.replace(`{${part}}`, () => String(values[at])), whole.template);
  return { [whole.field]: odd === undefined ? text : odd, ...rest };
}

/** Returns the repository of a registration as `owner/repo/branch`; undefined if the body names none. */
export function readRegisteredRepository(sent: unknown, bindings: Readonly<Record<string, unknown>>): string | undefined {
  const { parts, whole } = readRegistrationFields(bindings);
  if (!isRecord(sent)) return undefined;
  const values = whole ? splitByTemplate(sent[whole.field], whole.template) : parts.map((part) => sent[part]);
  return values?.every((value) => typeof value === "string") ? values.join("/") : undefined;
}

/** Returns the owner, repository and branch in a text of a template that names them in this order. */
function splitByTemplate(text: unknown, template: string): string[] | undefined {
  const [first = "", ...seams] = template.split(/{owner}|{repo}|{branch}/);
  if (typeof text !== "string" || !text.startsWith(first) || !template.startsWith(`${first}{owner}`)) return undefined;
  const [owner = "", ...afterOwner] = text.slice(first.length, text.length - (seams[2] ?? "").length).split(seams[0] || "/");
  const [repo = "", ...afterRepo] = afterOwner.join(seams[0] || "/").split(seams[1] || "/");
  const branch = afterRepo.join(seams[1] || "/");
  return branch === "" ? undefined : [owner, repo, branch];
}
