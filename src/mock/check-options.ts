import { contract } from "../contract/load.js";
import type { PlanName } from "../contract/types.js";
import type { Options } from "../service/world/world.js";
import { clockModes } from "./clock.js";
import { slipInGrease } from "./grease/wish.js";
import type { MockOptions, ToolServerOptions, WorldOptions } from "./options.js";
import { type Problem, unknownName } from "./problems.js";

/** What may be said for each name: one of some values, or whatever its reader takes. */
type Choices<Table> = Record<keyof Table, readonly string[] | null>;

const commonChoices: Choices<Omit<WorldOptions, "id">> = {
  fixture: null,
  seed: null,
  clock: clockModes,
  skip: null,
  work: null,
  plan: Object.keys(contract.limits.plans) as PlanName[],
  options: null,
  grease: null,
};

const worldChoices: Choices<WorldOptions> = { ...commonChoices, id: null };

const mockChoices: Choices<MockOptions> = {
  ...commonChoices,
  listen: null,
  port: null,
  appPort: null,
  docsPort: null,
  host: null,
  allowHosts: null,
  publicUrl: null,
  publicAppUrl: null,
  publicDocsUrl: null,
  limits: ["text", "off"],
  adminToken: null,
  journal: null,
  record: null,
  onCall: null,
  trustClientIp: null,
  answers: null,
  mcp: null,
};

const toolServerChoices: Choices<ToolServerOptions> = { sessions: null, sse: null, names: null };

/** The options by which the assumptions can be switched. */
export const switches = Object.values(contract.assumptions).flatMap(({ option }) => (option && !option.fixture ? [option] : []));

const switchChoices: Choices<Options> = {
  ...(Object.fromEntries(switches.map(({ name, values }) => [name, values ?? null])) as Choices<
    Omit<Options, "limits" | "work">
  >),
  limits: ["text", "off"],
  work: null,
};

/** The first slip in the names of a mock's options, or in the words that some of them take; null where there is none. */
export function slipInMock(options: MockOptions): Problem | null {
  return slipIn(options, mockChoices) ?? slipIn(options.mcp, toolServerChoices, "mcp.") ?? slipInWishes(options);
}

/** The same for a world beside the default one. */
export function slipInWorld(options: WorldOptions): Problem | null {
  return slipIn(options, worldChoices) ?? slipInWishes(options);
}

function slipInWishes({ options, grease }: WorldOptions): Problem | null {
  return slipIn(options, switchChoices, "options.") ?? slipInGrease(grease);
}

function slipIn(given: object = {}, choices: Record<string, readonly string[] | null>, at = ""): Problem | null {
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(choices, name)) return unknownName("option", name, Object.keys(choices), at);
    const words = choices[name];
    if (words && value !== undefined && !words.includes(value)) return unknownName(`${at}${name}`, String(value), words);
  }
  return null;
}
