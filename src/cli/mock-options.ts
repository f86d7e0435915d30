import { type Command, InvalidArgumentError, Option } from "commander";
import { parseStrictJson } from "../common/strict-json.js";
import { readUserFile } from "../common/user-file.js";
import type { VariationName } from "../contract/types.js";
import type { VariationsOption } from "../mock/variations/setting.js";
import type { Skip } from "../mock/worlds/clock.js";
import { findAdvice } from "../mock/worlds/option-validation.js";
import type { MockOptions } from "../mock/worlds/options.js";
import type { WorkMode } from "../service/world/world.js";

/** The flags that `mock` and `exec` share, as commander returns them. */
export interface MockFlags {
  host: string;
  allowHost?: string[];
  fixture: string;
  seed?: number;
  clock: "real" | "frozen" | "30x";
  skip: Skip;
  work?: WorkMode;
  limits?: "text" | "off";
  journal: number;
  variations?: VariationsOption;
  record?: string;
  exportOnExit?: string;
  adminToken?: string;
  trustClientIp?: true;
  answers?: string;
  mcpSessions?: true;
  mcpSse?: true;
  mcpNames?: Record<string, string>;
  mcpRevisions?: string[];
}

/** Declares the flags of the mock's options. Each has an environment variable, such as `COUNTERPART_SEED` for `--seed`. */
export function addMockOptions(command: Command): Command {
  command
    .hook("preAction", (_, action) => readSwitches(action))
    .addOption(createFlag("--host <name>", "address to listen on").argParser(checkValue("host", parseText)).default("127.0.0.1"))
    .addOption(
      createFlag(
        "--allow-host <name...>",
        "more host names that the mock answers to, such as api.example.test; * for any",
      ).argParser(checkValue("allowHost", parseHostNames)),
    )
    .addOption(
      createFlag("--fixture <name|file>", "the default world: demo, empty, free, strict, a JSON file, or a snapshot")
        .argParser(checkValue("fixture", parseText))
        .default("demo"),
    )
    .addOption(
      createFlag("--seed <n>", "seed of ids and samples (default: 1, or the seed of the snapshot)").argParser(
        checkValue("seed", parseNumber),
      ),
    )
    .addOption(
      createFlag("--clock <mode>", "how the clock runs: real, frozen, or a factor such as 30x")
        .argParser(checkValue("clock", parseText))
        .default("real"),
    )
    .addOption(
      createFlag(
        "--skip <how>",
        "how the clock treats Retry-After: off (wait for real), at-once (jump ahead), or a factor such as 60x",
      )
        .argParser(checkValue("skip", parseText))
        .default("off"),
    )
    .addOption(
      createFlag(
        "--work <pace>",
        "when a job completes: time (after its run time, the default), at-once, or polls:3 (at the third poll)",
      ).argParser(checkValue("work", parseText)),
    )
    .addOption(
      createFlag("--limits <which>", "text (the default) or off: no bucket, budget or ceiling refuses").argParser(
        checkValue("limits", parseText),
      ),
    )
    .addOption(
      createFlag("--variations [which]", "legal variations of answers: all, all with a seed (a number), or names with commas")
        .argParser(checkValue("variations", parseVariations))
        .preset("true"),
    )
    .addOption(
      createFlag("--journal <n>", "how many calls each world remembers")
        .argParser(checkValue("journal", parseNumber))
        .default(1000),
    );
  return addOtherOptions(command);
}

/** Declares the flags for files, the control plane and the tool server. */
function addOtherOptions(command: Command): Command {
  return command
    .addOption(
      createFlag("--record <file>", "record every event, one line each, for counterpart replay").argParser(
        checkValue("record", parseText),
      ),
    )
    .addOption(createFlag("--export-on-exit <file>", "write a snapshot of the default world at the end; --fixture loads it"))
    .addOption(
      createFlag(
        "--admin-token <token>",
        "token that every call to the control plane must carry; required when the host is not loopback",
      ).argParser(checkValue("adminToken", parseText)),
    )
    .addOption(
      createFlag("--trust-client-ip", "take the client's address from the header X-Mock-Client-IP, to test allowed networks"),
    )
    .addOption(
      createFlag(
        "--answers <file>",
        "give the answers that `proxy --record` recorded; other requests go to the default world",
      ).argParser(checkValue("answers", parseText)),
    )
    .addOption(createFlag("--mcp-sessions", "use sessions in the tool server"))
    .addOption(createFlag("--mcp-sse", "answer as server-sent events in the tool server"))
    .addOption(
      createFlag("--mcp-names <file|json>", "rename tools: a JSON object from purpose or name to new name").argParser(
        parseToolRenames,
      ),
    )
    .addOption(
      createFlag(
        "--mcp-revisions <list>",
        "offer these MCP revisions only, with commas: 2026-07-28, …, modern (without a handshake), legacy (with one)",
      ).argParser((text) => text.split(",").map((name) => name.trim())),
    );
}

/** Reads the environment variables of flags without a value, and refuses any text but true, false, 1 and 0. */
function readSwitches(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const text = (option.envVar && process.env[option.envVar]) ?? "";
    if (!option.isBoolean() || command.getOptionValueSource(name) !== "env") continue;
    if (!["true", "1", "false", "0"].includes(text))
      command.error(`error: option '${option.flags}' value '${text}' from env '${option.envVar}' is invalid. Use true or false.`);
    if (text === "false" || text === "0") command.setOptionValue(name, undefined);
  }
}

/** Returns a flag with its environment variable: COUNTERPART_ and the flag in capitals. The flag wins. */
export function createFlag(form: string, description: string): Option {
  const option = new Option(form, description);
  return option.env(`COUNTERPART_${option.name().replaceAll("-", "_").toUpperCase()}`);
}

/** Parses a whole number, 0 or more. */
export function parseWholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number of at most 15 digits.");
}

/** Parses a port, 0 to 65535. */
export function parsePort(text: string): number {
  return readPort(text, 0);
}

const readPort = checkValue<number>("port", parseNumber);

/** Returns a parser of a flag: it reads the text, and the mock's validation of options judges the value. */
function checkValue<Value>(
  name: keyof MockOptions,
  read: (text: string, earlier: Value) => unknown,
): (text: string, earlier: Value) => Value {
  return (text, earlier) => {
    const value = read(text, earlier);
    const advice = findAdvice(name, value);
    if (advice !== null) throw new InvalidArgumentError(advice);
    return value as Value;
  };
}

/** Returns the number in a text of digits, and any other text unchanged. */
function parseNumber(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

const parseText = (text: string) => text;

/** Parses host names with commas between them. */
function parseHostNames(text: string, earlier: string[] = []): string[] {
  return [...earlier, ...text.split(",").map((name) => name.trim())].filter((name) => name !== "");
}

/** Parses a seed, or names of variations with commas between them. The mock validates the names. */
function parseVariations(text: string): VariationsOption {
  if (text === "true" || text === "false") return text === "true";
  return /^\d{1,15}$/.test(text) ? Number(text) : (text.split(",").map((name) => name.trim()) as VariationName[]);
}

/** Parses names for tools: a JSON object of strings, or the path of a file with one. */
function parseToolRenames(given: string): Record<string, string> {
  const names = parseJson(given.trimStart().startsWith("{") ? given : readText(given));
  const isObject = typeof names === "object" && names !== null && !Array.isArray(names);
  if (isObject && Object.values(names).every((name) => typeof name === "string")) return names as Record<string, string>;
  throw new InvalidArgumentError(
    'It must be a JSON object of strings, such as {"submit_job": "start_run"}, or the path of a file with one.',
  );
}

function readText(path: string): string {
  const userFile = readUserFile(path);
  if (!userFile.ok) throw new InvalidArgumentError(`The file ${userFile.why}.`);
  return userFile.text;
}

function parseJson(text: string): unknown {
  const strictJson = parseStrictJson(text);
  if (strictJson.ok) return strictJson.value;
  throw new InvalidArgumentError(`It ${strictJson.why}.`);
}

/** Returns the options of the mock that the shared flags state. */
export function parseMockOptions(flags: MockFlags): MockOptions {
  const { host, fixture, seed, clock, skip, work, limits, journal, variations, record } = flags;
  const { allowHost, adminToken, trustClientIp, answers: responses, mcpSessions, mcpSse, mcpNames, mcpRevisions } = flags;
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
    ...(variations !== undefined && { variations }),
    ...(allowHost && { allowHost }),
    ...(adminToken && { adminToken }),
    ...(trustClientIp && { trustClientIp }),
    ...(responses !== undefined && { answers: responses }),
    mcp: {
      ...(mcpSessions && { sessions: true }),
      ...(mcpSse && { sse: true }),
      ...(mcpNames && { names: mcpNames }),
      ...(mcpRevisions && { revisions: mcpRevisions }),
    },
  };
}
