import { type Command, InvalidArgumentError, Option } from "commander";
import { parseStrictJson } from "../common/strict-json.js";
import { readUserFile } from "../common/user-file.js";
import type { GreaseName } from "../contract/types.js";
import type { Skip } from "../mock/clock.js";
import type { GreaseWish } from "../mock/grease/wish.js";
import type { MockOptions } from "../mock/options.js";
import type { WorkPace } from "../service/world/world.js";

/** The flags that `mock` and `exec` share, as commander hands them over. */
export interface MockFlags {
  host: string;
  allowHost?: string[];
  fixture: string;
  seed?: number;
  clock: "real" | "frozen" | "30x";
  skip: Skip;
  work?: WorkPace;
  limits?: "text" | "off";
  journal: number;
  grease?: GreaseWish;
  record?: string;
  exportOnExit?: string;
  adminToken?: string;
  trustClientIp?: true;
  answers?: string;
  mcpSessions?: true;
  mcpSse?: true;
  mcpNames?: Record<string, string>;
}

/** Declares the flags that say what the mock is like. Each can come from the environment instead: `COUNTERPART_SEED` for `--seed`. */
export function addMockOptions(command: Command): Command {
  return command
    .addOption(flag("--host <name>", "where to listen").default("127.0.0.1"))
    .addOption(
      flag(
        "--allow-host <name...>",
        "names that clients may call it by beside its own, such as api.example.test; * for any",
      ).argParser(hostNames),
    )
    .addOption(
      flag("--fixture <name|file>", "the world to begin with: demo, empty, free, strict, a JSON file, or a snapshot").default(
        "demo",
      ),
    )
    .addOption(flag("--seed <n>", "the same seed gives the same ids (default: 1, or a snapshot's own)").argParser(wholeNumber))
    .addOption(flag("--clock <mode>", "how the world's clock runs").choices(["real", "frozen", "30x"]).default("real"))
    .addOption(
      flag("--skip <how>", "a wait that is asked for: off, at-once (it is over), 60x (a second is a minute)")
        .argParser(skip)
        .default("off"),
    )
    .addOption(
      flag("--work <pace>", "when work is done: time (the default), at-once, or polls:3 (asked after so often)").argParser(
        workPace,
      ),
    )
    .addOption(flag("--limits <which>", "off: no bucket, budget or ceiling refuses (default: text)").choices(["text", "off"]))
    .addOption(
      flag(
        "--grease [which]",
        "legal variations that clients forget: all, drawn by a seed of its own (a number), or some by name",
      )
        .argParser(grease)
        .preset("true"),
    )
    .addOption(flag("--journal <n>", "how many calls each world remembers").argParser(wholeNumber).default(1000))
    .addOption(flag("--record <file>", "write down all that happens, a line each, for counterpart replay"))
    .addOption(flag("--export-on-exit <file>", "write a snapshot of the default world at the end; --fixture takes it up again"))
    .addOption(flag("--admin-token <token>", "asked of every call to the control plane; required when the host is not loopback"))
    .addOption(flag("--trust-client-ip", "believe the header X-Mock-Client-IP, to test network fences"))
    .addOption(flag("--answers <file>", "answer what `proxy --record` wrote as it was answered then, and all else as usual"))
    .addOption(flag("--mcp-sessions", "the tool server keeps sessions"))
    .addOption(flag("--mcp-sse", "the tool server answers as server-sent events"))
    .addOption(flag("--mcp-names <file|json>", "other names for tools, from purpose or name to new name").argParser(toolRenames));
}

/** A flag with its environment variable: the flag in capitals behind COUNTERPART_. The flag beats it. */
export function flag(form: string, description: string): Option {
  const option = new Option(form, description);
  return option.env(`COUNTERPART_${option.name().replaceAll("-", "_").toUpperCase()}`);
}

/** Reads a whole number, 0 or more. */
export function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

/** Reads a port, 0 to 65535. */
export function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError("A port is at most 65535.");
  return port;
}

function skip(text: string): Skip {
  if (/^(off|at-once|[1-9]\d{0,5}x)$/.test(text)) return text as Skip;
  throw new InvalidArgumentError("It must be off, at-once, or a factor such as 60x.");
}

function workPace(text: string): WorkPace {
  if (/^(time|at-once|polls:[1-9]\d{0,3})$/.test(text)) return text as WorkPace;
  throw new InvalidArgumentError("It must be time, at-once, or a number of polls such as polls:3.");
}

/** Reads names, with commas between them where they come together. */
function hostNames(text: string, earlier: string[] = []): string[] {
  return [...earlier, ...text.split(",").map((name) => name.trim())].filter((name) => name !== "");
}

/** Reads a seed, or names of variations with commas between them; which names there are is the mock's to say. */
function grease(text: string): GreaseWish {
  if (text === "true" || text === "false") return text === "true";
  return /^\d{1,15}$/.test(text) ? Number(text) : (text.split(",").map((name) => name.trim()) as GreaseName[]);
}

/** Reads names for tools: a JSON object of strings, or the path of a file that holds one. */
function toolRenames(given: string): Record<string, string> {
  const names = parseJson(given.trimStart().startsWith("{") ? given : readText(given));
  const isObject = typeof names === "object" && names !== null && !Array.isArray(names);
  if (isObject && Object.values(names).every((name) => typeof name === "string")) return names as Record<string, string>;
  throw new InvalidArgumentError(
    'It must be a JSON object of strings, such as {"submit_job": "start_run"}, or a file that holds one.',
  );
}

function readText(path: string): string {
  const read = readUserFile(path);
  if (!read.ok) throw new InvalidArgumentError(`The file ${read.why}.`);
  return read.text;
}

function parseJson(text: string): unknown {
  const read = parseStrictJson(text);
  if (read.ok) return read.value;
  throw new InvalidArgumentError(`It ${read.why}.`);
}

/** The shared flags as options of the mock. */
export function mockOptionsOf(flags: MockFlags): MockOptions {
  const { host, fixture, seed, clock, skip, work, limits, journal, grease: wish, record } = flags;
  const { allowHost, adminToken, trustClientIp, answers, mcpSessions, mcpSse, mcpNames } = flags;
  return {
    host,
    fixture,
    ...(seed !== undefined && { seed }),
    clock,
    skip,
    ...(work && { work }),
    ...(limits && { limits }),
    journal,
    ...(record && { record }),
    ...(wish !== undefined && { grease: wish }),
    ...(allowHost && { allowHosts: allowHost }),
    ...(adminToken && { adminToken }),
    ...(trustClientIp && { trustClientIp }),
    ...(answers !== undefined && { answers }),
    mcp: { ...(mcpSessions && { sessions: true }), ...(mcpSse && { sse: true }), ...(mcpNames && { names: mcpNames }) },
  };
}
