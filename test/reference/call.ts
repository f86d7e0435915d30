import type { Choices } from "./choices.js";
import { notFoundRefusal, type Refusal } from "./operation-result.js";
import type { Key, Repo, Workspace, World } from "./state.js";

/** One request of an authenticated caller: by key, or signed in to the web app. */
export interface Call {
  choices: Choices;
  world: World;
  workspace: Workspace;
  key?: Key;
  session?: string;
  /** The route template. `path` holds the values of its parameters. */
  route: string;
  path: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string | undefined>;
  body: unknown;
  nowMs: number;
}

/** The body's fields; none if the body is not an object. */
export function getFields({ body }: Call): Record<string, unknown> {
  return isRecord(body) ? body : {};
}

/** Whether a value is an object and not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The repository that a path names. */
export function findRepoInPath({ workspace, path }: Call): Repo | Refusal {
  return findRepo(workspace, path.owner, path.repo, path.branch) ?? notFoundRefusal("repository");
}

/** A repository by its three parts, unless it is deleted. */
export function findRepo({ repos }: Workspace, owner?: string, name?: string, branch?: string): Repo | undefined {
  return repos.find((repo) => !repo.deleted && repo.owner === owner && repo.name === name && repo.branch === branch);
}

/** The response to a change that happened, in the form of the variant: the contract shows neither status nor body. */
export function changeResult({ choices }: Call, http: number, body: unknown) {
  const bodies: Record<Choices["changed"], unknown> = { resource: body, nothing: {}, word: "done" };
  return choices.quiet || http === 204 ? { http: http === 200 ? 204 : http } : { http, body: bodies[choices.changed] };
}
