import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBareProgram } from "../../src/cli/bare-program.js";
import { createCommandLine } from "../../src/cli/program.js";
import { formatOption, listCommandEntries } from "../../src/cli/reference/commands.js";
import { packageRoot } from "../../src/contract/load.js";

/** Writes `man counterpart` from the commands and flags of the program. */
export function writeManPage(): void {
  writeFileSync(join(packageRoot, "dist/bundled/counterpart.1"), manPage());
}

/** Returns the page as roff. */
export function manPage(): string {
  const entries = listCommandEntries(createCommandLine());
  const [{ description } = { description: "" }] = entries;
  const sections = entries.map(({ words, usage, description: text, options, arguments: given }) => {
    const rows = [...given.map((one) => [one.name(), one.description]), ...options.map((one) => [one.flags, formatOption(one)])];
    const lines = rows.map(([name = "", meaning = ""]) => `.TP\n.B ${escapeRoff(name)}\n${escapeRoff(meaning)}`);
    return [`.SH ${escapeRoff(["counterpart", ...words].join(" "))}`, escapeRoff(text), ".PP", escapeRoff(usage), ...lines].join(
      "\n",
    );
  });
  return [
    `.TH COUNTERPART 1 "" "counterpart ${createBareProgram().version()}"`,
    `.SH NAME\ncounterpart \\- ${escapeRoff(description)}`,
    ...sections,
    "",
  ].join("\n");
}

/** Escapes what means something to roff: a backslash, a hyphen, and a control character at the start of a line. */
function escapeRoff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/gm, "\\&$&");
}
