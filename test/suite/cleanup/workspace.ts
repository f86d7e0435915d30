import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Mock, type MockOptions, startMock } from "../../../src/mock/server.js";
import type { World } from "../../../src/service/world/world.js";

/** A mock that is examined as a real server is: one workspace for everybody, and no worlds to throw away. */
export interface Workspace {
  mock: Mock;
  /** Target file. */
  target: string;
  /** Writes a scenario next to the target file and returns its path. */
  scenario(...lines: string[]): string;
  state(): Promise<State>;
  close(): Promise<void>;
}

/** The state that a run must restore: repositories, live keys, states of observations, and running jobs. */
export interface State {
  repositories: string[];
  keys: string[];
  observations: Record<string, string>;
  busy: string[];
}

/** Opens one; `change` edits its target file; it also gets the mock's description of itself. */
export async function openWorkspace(
  change: (target: Record<string, unknown>, described: Record<string, unknown>) => void = () => {},
  options: MockOptions = { clock: "frozen" },
): Promise<Workspace> {
  const mock = await startMock(options);
  const described = (await (await fetch(`${mock.api_url}/__mock/target`)).json()) as Record<string, unknown>;
  const { worlds: _, ...content } = described;
  change(content, described);
  const directory = mkdtempSync(join(tmpdir(), "workspace-"));
  const target = join(directory, "target.json");
  writeFileSync(target, JSON.stringify(content));
  return {
    mock,
    target,
    scenario(...lines) {
      const file = join(directory, "scenario.yaml");
      writeFileSync(file, ["scenario: under-test", "title: A scenario that leaves things behind", ...lines, ""].join("\n"));
      return file;
    },
    state: async () => getState(mock.api_url),
    close: async () => {
      rmSync(directory, { recursive: true });
      await mock.close();
    },
  };
}

/** Returns the state of the default world of a mock. */
export async function getState(apiUrl: string): Promise<State> {
  const { world } = (await (await fetch(`${apiUrl}/__mock/worlds/default/snapshot`)).json()) as { world: World };
  const { repos, keys, observations, jobs } = world;
  const liveRepositories = Object.values(repos).filter(({ deleted_at }) => deleted_at === null);
  return {
    repositories: liveRepositories.map(({ owner, repo, branch }) => `${owner}/${repo}/${branch}`).sort(),
    keys: Object.values(keys).flatMap(({ id, revoked_at }) => (revoked_at === null ? [id] : [])),
    observations: Object.fromEntries(
      Object.values(observations).map(({ ref, status, close_reason }) => [ref, [status, close_reason].join(" ").trim()]),
    ),
    // The discovery of a repository that is gone was the service's own doing, and ends by itself.
    busy: Object.values(jobs)
      .filter(({ status }) => status === "pending" || status === "running")
      .filter(({ workflow, repo }) => workflow !== "discover" || repos[repo]?.deleted_at === null)
      .map(({ id }) => id),
  };
}
