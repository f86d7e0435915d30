import type { InspectionRules } from "../../engine/preflight/rules.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { encodeTriple } from "../request-rules.js";
import { responses } from "../response-rules.js";
import { toolFacts, toolSigns } from "./tool-signs.js";

/** A string in a response, and the names of the fields that lead to it. */
interface Leaf {
  path: string;
  last: string;
  text: string;
}

const MAX_CANDIDATES = 12;

/** Infers target file values from read responses. The form of a repository row is open (REPO-LIST-*), so several candidates are tried. */
export const inferBindings: InspectionRules = {
  repos: "/api/repos?limit=20",
  rows: (body) => (isRecord(body) && Array.isArray(body[responses.page.rows]) ? (body[responses.page.rows] as unknown[]) : []),
  candidates: listCandidates,
  documented: readDocumentedBindings,
  shown: [
    {
      binding: "doc_path",
      path: (repo) => `/api/repos/${encodeTriple(repo)}/discovery`,
      read: (body) => leaves(body).find(({ text }) => /^[\w.-]+(\/[\w.-]+)*\.\w+$/.test(text))?.text,
    },
  ],
  facts: toolFacts,
  signs: toolSigns,
};

/** Returns possible owner/repo/branch values of a row, the most likely first. */
function listCandidates(row: unknown): string[] {
  const all = leaves(row);
  const whole = all.filter(({ text }) => /^[^/\s:]+\/[^/\s]+\/[^\s]+$/.test(text)).map(({ text }) => text);
  const owners = all.filter(({ path }) => /owner|org|account|login/i.test(path)).map(({ text }) => text);
  const branches = all.filter(({ last }) => /branch|ref$/i.test(last)).map(({ text }) => text);
  const names = all
    .filter(({ path, last }) => /^(repo|repository|name|project)$/i.test(last) && !/owner|org|branch/i.test(path))
    .map(({ text }) => text);
  const pairs = all.flatMap(({ text }) => (/^[^/\s:]+\/[^/\s]+$/.test(text) ? [text] : []));
  const slugs = all.flatMap(({ text }) => {
    const at = text.lastIndexOf("@");
    return at > 0 ? [`${text.slice(0, at)}/${text.slice(at + 1)}`] : [];
  });
  const combinedArguments = [
    ...owners.flatMap((owner) => names.flatMap((name) => branches.map((branch) => `${owner}/${name}/${branch}`))),
    ...pairs.flatMap((pair) => branches.map((branch) => `${pair}/${branch}`)),
    ...owners.flatMap((owner) => slugs.map((slug) => `${owner}/${slug}`)),
  ];
  return [...new Set([...whole, ...combinedArguments])].slice(0, MAX_CANDIDATES);
}

function leaves(value: unknown, path = "", last = ""): Leaf[] {
  if (typeof value === "string") return [{ path, last, text: value }];
  if (Array.isArray(value)) return value.flatMap((item) => leaves(item, path, last));
  return isRecord(value) ? Object.entries(value).flatMap(([name, item]) => leaves(item, `${path}.${name}`, name)) : [];
}

/** Returns the field names that a published document shows and the contract does not. */
function readDocumentedBindings(document: unknown): Record<string, unknown> {
  const body = listFields(document, /\/repos$/, "requestBody");
  const owner = pick(body, /^(owner|org|organi[sz]ation|account)/i);
  const repo = pick(body, /^(repo|repository|name|project)/i);
  const branch = pick(body, /branch|ref$/i);
  const key = listFields(document, /\/keys$/, "requestBody");
  const name = pick(key, /^(name|title|label)$/i);
  const scopes = pick(key, /scope|permission/i);
  const value = pick(listFields(document, /\/keys$/, "responses"), /^(key|secret|token|value|api_key|full_key)$/i);
  return {
    ...(owner && repo && branch && { register_body: { owner, repo, branch } }),
    ...(value && { key_value_field: value }),
    ...(name && { key_name_field: name }),
    ...(scopes && { key_scopes_field: scopes }),
  };
}

/** Returns the names of the fields in the request body or in the responses of a path's POST. */
function listFields(document: unknown, path: RegExp, of: "requestBody" | "responses"): string[] {
  const paths = isRecord(document) && isRecord(document.paths) ? Object.entries(document.paths) : [];
  const [, item] = paths.find(([template, methods]) => path.test(template) && isRecord(methods) && "post" in methods) ?? [];
  const operation = isRecord(item) && isRecord(item.post) ? item.post : {};
  const parts =
    of === "requestBody"
      ? [operation.requestBody]
      : Object.entries(operation.responses ?? {}).flatMap(([status, one]) => (/^2/.test(status) ? [one] : []));
  return parts.flatMap((part) => {
    const { content } = resolveReference(document, part);
    const [media] = isRecord(content) ? Object.values(content) : [];
    return listProperties(document, isRecord(media) ? media.schema : undefined);
  });
}

function listProperties(document: unknown, schema: unknown): string[] {
  const { properties, allOf } = resolveReference(document, schema);
  const parts = Array.isArray(allOf) ? allOf.flatMap((part: unknown) => listProperties(document, part)) : [];
  return [...(isRecord(properties) ? Object.keys(properties) : []), ...parts];
}

function resolveReference(document: unknown, value: unknown): Record<string, unknown> {
  if (!isRecord(value)) return {};
  if (typeof value.$ref !== "string") return value;
  const found = value.$ref
    .split("/")
    .slice(1)
    .reduce<unknown>((at, part) => (isRecord(at) ? at[part] : undefined), document);
  return isRecord(found) ? found : {};
}

function pick(names: readonly string[], like: RegExp): string | undefined {
  return names.find((name) => like.test(name));
}
