import { formatRequestName, type PreflightContext, probe, readRequest } from "./probe.js";

/** Returns a note if the docs host does not answer. Scenarios judge the response. */
export async function checkDocs({ run, rules }: PreflightContext, base: string): Promise<string | undefined> {
  const request = readRequest(base, rules.preflight.docsPath);
  const result = await probe(run, request);
  if (!("failure" in result)) return undefined;
  return `The docs host cannot be examined: ${formatRequestName(request)} got no answer: ${result.failure.message}. Set docs_url in the target file. Scenarios that need it are skipped.`;
}
