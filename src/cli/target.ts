import { existsSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import type { VerifyOptions } from "../engine/run/options.js";
import { flag } from "./mock-options.js";
import { printErrors, printJson, printLines, printText } from "./output.js";
import { exitCodes, stop } from "./run.js";
import { addTargetOptions, type VerifyFlags } from "./verify.js";

type Flags = Pick<VerifyFlags, "target" | "key" | "profile"> & { json?: true };

/** `counterpart target`: writes a target file by looking at a server, and holds one against its server. */
export function addTarget(program: Command): void {
  const target = program.command("target").description("write a target file, or try everything that one names");
  target
    .command("init")
    .description("write a target file by looking at a server; asks nothing that changes anything")
    .argument("<url>", "address of its API host")
    .addOption(flag("--key <key>", "bearer key of the role full; those of other roles are COUNTERPART_KEY_VIEWER and so on"))
    .option("--app-url <url>", "address of the web app")
    .option("--docs-url <url>", "address of the docs site")
    .option("--out <file>", "where it is written", "counterpart-target.yaml")
    .option("--force", "write over a file that is there")
    .action(writeFile);
  const check = target
    .command("check")
    .description("try each address, key, binding and hook of a target file; say what is missing and what it would earn")
    .argument("[file]", "the target file; without one the server at --url is asked for its own description")
    .option("--url <url>", "address of the API host; beats that of the file")
    .option("--json", "for machines");
  addTargetOptions(check).action(checkFile);
}

async function writeFile(
  url: string,
  { key, appUrl, docsUrl, out, force }: { key?: string; appUrl?: string; docsUrl?: string; out: string; force?: true },
): Promise<void> {
  if (existsSync(out) && !force)
    return stop(`${out} is there already: give another name with --out, or --force to write over it.`);
  const { suite } = await import("../suite/suite.js");
  const { inspectServer } = await import("../engine/run/target/inspect-server.js");
  const { targetFile } = await import("../engine/run/target/target-file.js");
  const draft = await inspectServer(suite, {
    url,
    ...(key !== undefined && { key }),
    ...(appUrl !== undefined && { app: appUrl }),
    ...(docsUrl !== undefined && { docs: docsUrl }),
  });
  if (!("tools" in draft)) return stop(draft.messages, draft.exitCode);
  const file = targetFile(suite, draft, out);
  if (!file.ok) return stop(file.mistakes);
  writeFileSync(out, file.text);
  const purposes = Object.keys(suite.target.names?.tools ?? {}).length;
  printErrors(...draft.said);
  printLines(`${out}: written`);
  printLines(`  docs host: ${draft.docs ?? "not found, give it with --docs-url"}`);
  printLines(
    draft.mcp.why === undefined
      ? `  tools: ${draft.mcp.tools} are listed, ${draft.tools.length} of ${purposes} purposes have one`
      : `  tools: none: ${draft.mcp.why}`,
  );
  printLines(`  repositories: ${draft.repos.join(", ") || "none seen"}`);
  for (const { role, found } of draft.keys) printLines(`  key of ${role}: ${found.says}`);
  if (draft.keys.length === 0) printLines("  no key: give one with --key or COUNTERPART_KEY, and look again with --force");
  printLines(`Read it, then: counterpart target check ${out}`);
}

async function checkFile(file: string | undefined, { json, url, ...flags }: Flags & { url?: string }): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { checkTarget } = await import("../engine/run/target/check-target.js");
  const { targetCheckText } = await import("../engine/run/target/check-text.js");
  const options: VerifyOptions = { ...flags, ...(file !== undefined && { target: file }), ...(url !== undefined && { url }) };
  const found = await checkTarget(suite, options);
  if (!("things" in found)) return stop(found.messages, found.exitCode);
  process.exitCode = found.exitCode === 0 ? exitCodes.conforms : found.exitCode;
  if (!json) return printText(targetCheckText(found));
  const { earnings, ...rest } = found;
  const missing = earnings.missing.map((thing) => ({ thing, ...earnings.of(thing) }));
  printJson({ ...rest, judged: earnings.judged, all: earnings.all, missing, best: earnings.best(3) });
}
