import {
  acceptGroup,
  acceptListed,
  acceptNumber,
  acceptText,
  booleanKind,
  findOptionsProblem,
  type OptionKind,
  type OptionKinds,
} from "../../common/option-kinds.js";
import { isPlainObject } from "../../common/plain-object.js";
import type { Problem } from "../../common/problem.js";
import { contract } from "../../contract/load.js";
import type { PlanName } from "../../contract/types.js";
import type { Options } from "../../service/world/world.js";
import { isOrigin } from "../http/public-addresses.js";
import { variationNames, variationsSchema } from "../variations/setting.js";
import { clockModes, skipSchema, workSchema } from "./clock.js";
import { listBundledFixtures } from "./fixtures.js";
import type { MockOptions, ToolServerOptions, WorldOptions } from "./options.js";
import { revisionNames } from "./tool-revisions.js";

/** The kind of each option of these types. */
type Kinds<Table> = Record<keyof Table, OptionKind>;

const text = acceptText("a text");
const port = acceptNumber(0, 65_535);
const clock = acceptListed(clockModes);
const skip = acceptText('"off", "at-once" or a factor such as "60x"', skipSchema.pattern, skipSchema);
const work = acceptText('"time", "at-once" or a number of polls such as "polls:3"', workSchema.pattern, workSchema);
const publicUrl: OptionKind = {
  allowed: "an http or https address without a path, such as https://mock.example.test",
  schema: { type: "string" },
  fits: (value) => typeof value === "string" && isOrigin(value),
  isSecret: true, // an address may contain a password
};

/** The options that switch assumptions. */
const switches = Object.values(contract.assumptions).flatMap(({ option }) => (option && !option.fixture ? [option] : []));

const switchKinds = Object.fromEntries(
  switches.map(({ name, values, minimum = 0 }) => [
    name,
    values ? acceptListed(values) : acceptNumber(minimum, Number.MAX_SAFE_INTEGER, "number"),
  ]),
) as Kinds<Omit<Options, "limits" | "work">>;

const fixture: OptionKind = {
  allowed: "the name of a fixture, the path of a file, or the fixture itself",
  schema: {
    type: ["string", "object"],
    examples: listBundledFixtures(),
    description:
      "A fixture of the package by its name, or the content of a fixture file. The answer of GET …/snapshot is a fixture too.",
  },
  fits: (value) => (typeof value === "string" ? value !== "" : isPlainObject(value)),
};

const variations: OptionKind = {
  allowed: `true, false, a seed of 0 or more, or a list of ${variationNames.join(", ")}`,
  schema: variationsSchema,
  values: variationNames,
  fits: (value) =>
    typeof value === "boolean" ||
    acceptNumber(0).fits(value) ||
    isListEach(value, (one) => variationNames.includes(one as never)),
};

/** The kinds of the options of a world. */
export const worldKinds: Kinds<WorldOptions> = {
  id: acceptText("1 to 63 letters, digits and hyphens, with no hyphen first", "^[A-Za-z0-9][A-Za-z0-9-]{0,62}$", {
    examples: ["ci-42"],
    description: "Name of the world, which its keys contain. Default: a short generated name.",
  }),
  fixture,
  seed: acceptNumber(0),
  clock,
  skip,
  work,
  limits: acceptListed(["text", "off"]),
  plan: acceptListed(Object.keys(contract.limits.plans) as PlanName[]),
  variations,
  options: acceptGroup(switchKinds),
};

/** The kinds of the settings of a running clock; `mode` means the same as `clock`. */
export const clockKinds = { clock, mode: clock, skip, work };

const toolServerKinds: Kinds<ToolServerOptions> = {
  sessions: booleanKind,
  sse: booleanKind,
  names: {
    allowed: 'an object of texts, from purpose or name to new name, such as {"submit_job": "start_run"}',
    schema: { type: "object" },
    fits: (value) => isPlainObject(value) && Object.values(value).every((one) => typeof one === "string"),
  },
  revisions: {
    allowed: `a list of ${revisionNames.join(", ")}`,
    schema: { type: "array", items: { enum: revisionNames }, minItems: 1 },
    values: revisionNames,
    fits: (value) => isListEach(value, (one) => revisionNames.includes(one as string)) && (value as unknown[]).length > 0,
  },
};

const { id: _, ...defaultWorldKinds } = worldKinds;

const mockKinds: Kinds<MockOptions> = {
  ...defaultWorldKinds,
  listen: booleanKind,
  port,
  appPort: port,
  docsPort: port,
  host: acceptText("a host name or an address, such as 127.0.0.1", "^[^\\s/]+$"),
  allowHost: {
    allowed: "a list of host names, such as api.example.test, .example.test or *",
    schema: { type: "array", items: text.schema },
    fits: (value) => isListEach(value, (one) => typeof one === "string" && /^[^\s/]+$/.test(one)),
  },
  publicUrl,
  publicAppUrl: publicUrl,
  publicDocsUrl: publicUrl,
  adminToken: { ...text, isSecret: true },
  journal: acceptNumber(0),
  record: text,
  onCall: { allowed: "a function", schema: {}, fits: (value) => typeof value === "function" },
  trustClientIp: booleanKind,
  answers: text,
  mcp: acceptGroup(toolServerKinds),
};

/** Returns the first mistake in the options of a mock; null if there is none. */
export function findMockOptionsProblem(options: MockOptions): Problem | null {
  return findOptionsProblem(options, mockKinds);
}

/** Returns the first mistake in the options of a world besides the default world; null if there is none. */
export function findWorldOptionsProblem(options: WorldOptions): Problem | null {
  return findOptionsProblem(options, worldKinds);
}

/** Returns what the value of one option of a mock must be, in a sentence; null when it is valid. */
export function findAdvice(name: keyof MockOptions, value: unknown): string | null {
  const kind = (mockKinds as OptionKinds)[name];
  return kind && !kind.fits(value) ? `Use ${kind.allowed}.` : null;
}

function isListEach(value: unknown, isRight: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isRight);
}
