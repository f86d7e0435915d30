import { execFile } from "node:child_process";
import type { Argument, Command, Option } from "commander";
import { exitCodes } from "../../common/outcomes.js";
import { formatOption } from "../reference/commands.js";
import type { AgentTool, InputSchema, ToolText } from "./agent-tool.js";

/** The tools that run a command, each with the options that it offers. */
const optionsOfTool: Readonly<Record<string, readonly string[]>> = {
  verify: [
    ...["--target", "--key", "--profile", "--only", "--surface", "--mcp-revision", "--seed", "--runs", "--deadline"],
    ...["--claim", "--waivers", "--resume", "--out", "--plan", "--details"],
  ],
  reproduce: ["--target", "--key", "--profile"],
  show: ["--as"],
  clauses: ["--gaps"],
  guide: [],
};

/** The commands that change nothing, on a server or on the disk. */
const readOnly = ["show", "clauses", "guide"];

/** Exit codes of commands that failed. */
const failureExitCodes: readonly number[] = [exitCodes["bad-input"], exitCodes["harness-error"]];

/** The maximum number of bytes that a command may print. */
const maxOutputBytes = 64 * 1024 * 1024;

/** Returns the tools that run commands of this program. Each runs in a separate process. `mockUrl`: the server that `verify` takes by default. */
export function getCommandTools(program: Command, mockUrl: string): AgentTool[] {
  return Object.entries(optionsOfTool).map(([name, flags]) => {
    const command = program.commands.find((one) => one.name() === name);
    const options = flags.map((flag) => command?.options.find(({ long }) => long === flag));
    if (!command || !options.every((option) => option !== undefined)) throw new Error(`no command ${name} with ${flags}`);
    const defaults = name === "verify" ? { url: mockUrl } : {};
    return {
      name,
      description: `${formatSentence(command.description())} Prints what \`counterpart ${name}\` prints, and its exit code.`,
      inputSchema: getInput(command.registeredArguments, options),
      isReadOnly: readOnly.includes(name),
      run: (given, signal) => {
        const hasServer = given.url !== undefined || given.target !== undefined;
        const words = getWords(command.registeredArguments, options, hasServer ? given : { ...defaults, ...given });
        return runCommand([name, ...words], { signal, env: { ...process.env, ...getSecrets(options, given) } });
      },
    };
  });
}

function getInput(args: readonly Argument[], options: readonly Option[]): InputSchema {
  const described = args.map((one) => [
    one.name(),
    { ...getValueSchema(one.variadic), description: formatSentence(one.description) },
  ]);
  const optional = options.map((option) => [
    getProperty(option),
    { ...getSchema(option), description: formatSentence(formatOption(option)) },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries([...described, ...optional]),
    required: args.filter((one) => one.required).map((one) => one.name()),
    additionalProperties: false,
  };
}

function getSchema(option: Option): object {
  if (option.isBoolean()) return { type: "boolean" };
  if (option.argChoices) return { enum: option.argChoices };
  return getValueSchema(Array.isArray(option.defaultValue));
}

function getValueSchema(isList: boolean): object {
  return isList ? { type: "array", items: { type: "string" } } : { type: ["string", "integer"] };
}

/** Returns the words of a command line. A value never becomes an option, because `--` comes before the arguments. */
function getWords(args: readonly Argument[], options: readonly Option[], given: Readonly<Record<string, unknown>>): string[] {
  const flags = options.flatMap((option) => {
    const value = given[getProperty(option)];
    if (value === undefined || value === false || isSecret(option)) return [];
    if (value === true) return [option.long!];
    return [value].flat().map((one) => `${option.long}=${one}`);
  });
  return [...flags, "--", ...args.flatMap((one) => [given[one.name()] ?? []].flat().map(String))];
}

/** Returns the given secrets as environment variables, because other users of the machine can read a command line. */
function getSecrets(options: readonly Option[], given: Readonly<Record<string, unknown>>): Record<string, string> {
  const secrets = options.filter((option) => isSecret(option) && given[getProperty(option)] !== undefined);
  return Object.fromEntries(secrets.map((option) => [option.envVar!, String(given[getProperty(option)])]));
}

function isSecret({ long }: Option): boolean {
  return long === "--key";
}

/** Returns the name of an argument: `mcp_revision` for `--mcp-revision`. */
function getProperty({ long }: Option): string {
  return long!.slice(2).replaceAll("-", "_");
}

function runCommand(words: readonly string[], options: { signal: AbortSignal; env: NodeJS.ProcessEnv }): Promise<ToolText> {
  return new Promise((resolve) => {
    const start = [...process.execArgv, process.argv[1]!, ...words];
    execFile(process.execPath, start, { ...options, maxBuffer: maxOutputBytes }, (error, out, err) => {
      const code = error === null ? 0 : error.code;
      const text = [out, err, `Exit code: ${code}`].filter((part) => part !== "").join("\n");
      resolve({ text, isError: typeof code !== "number" || failureExitCodes.includes(code) });
    });
  });
}

/** Returns a description as a sentence. */
function formatSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}
