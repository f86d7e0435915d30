import { nextSerial } from "../world/stamps.js";
import type { Repo, World } from "../world/world.js";

/** The address of a fresh pull request on the code host. */
export function pullRequestUrl(world: World, repo: Repo): string {
  return `https://code.example/${repo.owner}/${repo.repo}/pull/${nextSerial(world, "pull_request")}`;
}
