import type { Run } from "../execute/run.js";
import { parseBodyJson } from "../http/exchange.js";
import { describeResponse, formatRequestName, type PreflightContext, probe, readRequest } from "./probe.js";
import type { PreflightRules } from "./rules.js";

const MAX_REPOS = 3;

/** Returns a note for each entry of `repos` that does not exist on the server, by its name. Sends one read for each entry. */
export async function findAbsentRepos({ run, rules }: PreflightContext, key: string): Promise<Map<string, string>> {
  const notes = new Map<string, string>();
  const { repoPath } = rules.preflight;
  for (const repo of repoPath ? run.target.repos : []) {
    const request = readRequest(run.target.urls.api, repoPath?.(repo) ?? "", key);
    const result = await probe(run, request);
    if (!("response" in result) || result.response.status !== 404) continue;
    const response = `${formatRequestName(request)} answered ${describeResponse(rules.answers, result.response)}`;
    notes.set(repo, `${repo} does not exist: ${response}. Correct repos in the target file. Scenarios do not use it.`);
  }
  return notes;
}

/** Finds up to three values for `repos` of a target file: those that the key can read. Sends only reads. */
export async function findReadableRepos({ look, repoPath }: PreflightRules, run: Run, key: string): Promise<string[]> {
  if (!look || !repoPath) return [];
  const probeResult = await probe(run, readRequest(run.target.urls.api, look.repos, key));
  const body = "response" in probeResult && probeResult.response.status === 200 ? parseBodyJson(probeResult.response) : undefined;
  const found: string[] = [];
  for (const row of body?.ok ? look.rows(body.value) : []) {
    if (found.length === MAX_REPOS) break;
    for (const candidate of look.candidates(row)) {
      const seen = await probe(run, readRequest(run.target.urls.api, repoPath(candidate), key));
      if (!("response" in seen) || seen.response.status !== 200) continue;
      found.push(candidate);
      break;
    }
  }
  return found;
}
