/** The three prompts with their arguments. */
export const prompts: Record<string, string[]> = {
  service_agent_loop: [],
  triage_new_findings: ["org", "repo", "branch"],
  investigate_finding: ["org", "repo", "branch", "ref"],
};

/** Returns the list of prompts. */
export function listPrompts(): Record<string, unknown>[] {
  return Object.entries(prompts).map(([name, names]) => ({
    name,
    title: name.replaceAll("_", " "),
    ...(names.length > 0 && { arguments: names.map((one) => ({ name: one, required: true })) }),
  }));
}

/** Returns the messages of a prompt; undefined if it is unknown or an argument is missing. */
export function fillPrompt(name: string, given: Record<string, unknown>): Record<string, unknown> | undefined {
  const names = prompts[name];
  if (!names || names.some((one) => typeof given[one] !== "string")) return undefined;
  const about = names.map((one) => `${one}=${String(given[one])}`).join(" ");
  const words = name === "service_agent_loop" ? "Forecast, submit, poll, read, fix, and again." : `Look into ${about}.`;
  return { messages: [{ role: "user", content: { type: "text", text: words } }] };
}
