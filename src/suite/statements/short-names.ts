import type { ShortNames } from "../../engine/scenario/short-names.js";
import { VIEW_SCOPES } from "./roles.js";
import { createKeyBody, createRegistrationBody } from "./setup-steps.js";

/**
 * Short names for scenarios: `{spare}` for a repository of the target's bindings, with its parts and its registration body; field names that the
 * contract does not show; the body that creates a key; patterns for the published document.
 */
export const shortNames: ShortNames = {
  ...createRepositoryNames("spare"),
  ...createRepositoryNames("private"),
  ...createRepositoryNames("gone"),
  ...createRepositoryNames("renamed"),
  "repo.triple": createTriple("{repo.owner}", "{repo.name}", "{repo.branch}"),
  "repo.registration": createRegistrationBody(createTriple("{repo.owner}", "{repo.name}", "{repo.branch}")),
  "registration.owner": "{binding.register_body.owner}",
  "registration.name": "{binding.register_body.repo}",
  "registration.branch": "{binding.register_body.branch}",
  "key.name": "{binding.key_name_field}",
  "key.scopes": "{binding.key_scopes_field}",
  "key.value": "{binding.key_value_field}",
  "key.request": createKeyBody(VIEW_SCOPES),
  ...createOpenApiNames(),
};

/** Returns the short names of a repository of the target's bindings that is not registered. */
function createRepositoryNames(name: "spare" | "private" | "gone" | "renamed"): ShortNames {
  const [owner, repo, branch] = ["owner", "repo", "branch"].map((part) => `{binding.${name}.${part}}`) as [
    string,
    string,
    string,
  ];
  return {
    [name]: `${owner}/${repo}/${branch}`,
    [`${name}.owner`]: owner,
    [`${name}.name`]: repo,
    [`${name}.branch`]: branch,
    [`${name}.slug`]: `${repo}@${branch}`,
    [`${name}.triple`]: createTriple(owner, repo, branch),
    [`${name}.registration`]: { ...createRegistrationBody(createTriple(owner, repo, branch)), access_mode: "anonymous" },
  };
}

/** Returns a repository as arguments of a tool. */
function createTriple(owner: string, repo: string, branch: string): { owner: string; repo: string; branch: string } {
  return { owner, repo, branch };
}

/**
 * Returns patterns for the published document as text: a parameter, a repository in a path, the operation `{method}` of `{pattern}`, and its rate
 * limit.
 */
function createOpenApiNames(): ShortNames {
  const parameter = String.raw`\{[^/}]+\}`;
  const noOtherPath = String.raw`(?!"/[^"]*"\s*:`;
  const operation = String.raw`"(/api)?{pattern}"\s*:(${noOtherPath})[\s\S])*?"{method}"\s*:`;
  const noOtherMethod = String.raw`|"(get|put|post|patch|delete)"\s*:\s*\{`;
  return {
    "openapi.parameter": parameter,
    "openapi.repository": `/repos/${parameter}/${parameter}/${parameter}`,
    "openapi.operation": operation,
    "openapi.rate": String.raw`${operation}\s*\{(${noOtherPath}${noOtherMethod})[\s\S])*?"x-rate-limit"\s*:`,
  };
}
