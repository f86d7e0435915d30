import { type Command, InvalidArgumentError, Option } from "commander";
import { parseStrictJson } from "../common/strict-json.js";
import { readUserFile } from "../common/user-file.js";
import type { VariationName } from "../contract/types.js";
import type { VariationsOption } from "../mock/variations/setting.js";
import type { Skip } from "../mock/worlds/clock.js";
import { adviceFor } from "../mock/worlds/option-validation.js";
import type { MockOptions } from "../mock/worlds/options.js";
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
  variations?: VariationsOption;
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
  command
    .hook("preAction", (_, action) => readSwitches(action))
    .addOption(flag("--host <name>", "where to listen").argParser(checked("host", word)).default("127.0.0.1"))
    .addOption(
      flag(
        "--allow-host <name...>",
        "names that clients may call it by beside its own, such as api.example.test; * for any",
      ).argParser(checked("allowHost", hostNames)),
    )
    .addOption(
      flag("--fixture <name|file>", "the world to begin with: demo, empty, free, strict, a JSON file, or a snapshot")
        .argParser(checked("fixture", word))
        .default("demo"),
    )
    .addOption(
      flag("--seed <n>", "the same seed gives the same ids (default: 1, or a snapshot's own)").argParser(
        checked("seed", numberIn),
      ),
    )
    .addOption(flag("--clock <mode>", "how the world's clock runs").argParser(checked("clock", word)).default("real"))
    .addOption(
      flag("--skip <how>", "a wait that is asked for: off, at-once (it is over), 60x (a second is a minute)")
        .argParser(checked("skip", word))
        .default("off"),
    )
    .addOption(
      flag("--work <pace>", "when work is done: time (the default), at-once, or polls:3 (asked after so often)").argParser(
        checked("work", word),
      ),
    )
    .addOption(
      flag("--limits <which>", "off: no bucket, budget or ceiling refuses (default: text)").argParser(checked("limits", word)),
    )
    .addOption(
      flag(
        "--variations [which]",
        "legal variations that clients forget: all, drawn by a seed of its own (a number), or some by name",
      )
        .argParser(checked("variations", variationsIn))
        .preset("true"),
    )
    .addOption(
      flag("--journal <n>", "how many calls each world remembers").argParser(checked("journal", numberIn)).default(1000),
    );
  return addOtherOptions(command);
}

/** The rest of them: files, the control plane and the tool server. */
function addOtherOptions(command: Command): Command {
  return command
    .addOption(
      flag("--record <file>", "write down all that happens, a line each, for counterpart replay").argParser(
        checked("record", word),
      ),
    )
    .addOption(flag("--export-on-exit <file>", "write a snapshot of the default world at the end; --fixture takes it up again"))
    .addOption(
      flag("--admin-token <token>", "asked of every call to the control plane; required when the host is not loopback").argParser(
        checked("adminToken", word),
      ),
    )
    .addOption(flag("--trust-client-ip", "believe the header X-Mock-Client-IP, to test network fences"))
    .addOption(
      flag("--answers <file>", "answer what `proxy --record` wrote as it was answered then, and all else as usual").argParser(
        checked("answers", word),
      ),
    )
    .addOption(flag("--mcp-sessions", "the tool server keeps sessions"))
    .addOption(flag("--mcp-sse", "the tool server answers as server-sent events"))
    .addOption(flag("--mcp-names <file|json>", "other names for tools, from purpose or name to new name").argParser(toolRenames));
}

/** Reads the variables of flags without a value, of which any text would be a yes. */
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
  return readPort(text, 0);
}

const readPort = checked<number>("port", numberIn);

/** Makes a parser of a flag: it reads the text, and the mock's own check of its options judges the value. */
function checked<Value>(
  name: keyof MockOptions,
  read: (text: string, earlier: Value) => unknown,
): (text: string, earlier: Value) => Value {
  return (text, earlier) => {
    const value = read(text, earlier);
    const advice = adviceFor(name, value);
    if (advice !== null) throw new InvalidArgumentError(advice);
    return value as Value;
  };
}

/** The number that a text of digits stands for; any other text stays what it is, and is no number. */
function numberIn(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

const word = (text: string) => text;

/** Reads names, with commas between them where they come together. */
function hostNames(text: string, earlier: string[] = []): string[] {
  return [...earlier, ...text.split(",").map((name) => name.trim())].filter((name) => name !== "");
}

/** Reads a seed, or names of variations with commas between them; which names there are is the mock's to say. */
function variationsIn(text: string): VariationsOption {
  if (text === "true" || text === "false") return text === "true";
  return /^\d{1,15}$/.test(text) ? Number(text) : (text.split(",").map((name) => name.trim()) as VariationName[]);
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
  const { host, fixture, seed, clock, skip, work, limits, journal, variations: wish, record } = flags;
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
    ...(wish !== undefined && { variations: wish }),
    ...(allowHost && { allowHost }),
    ...(adminToken && { adminToken }),
    ...(trustClientIp && { trustClientIp }),
    ...(answers !== undefined && { answers }),
    mcp: { ...(mcpSessions && { sessions: true }), ...(mcpSse && { sse: true }), ...(mcpNames && { names: mcpNames }) },
  };
}
