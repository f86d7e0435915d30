import fc from "fast-check";
import type { Coverage } from "../../engine/property/coverage.js";
import type { Command, CommandCall } from "./command.js";
import { type CommandName, commands } from "./commands/index.js";
import { CORPUS_KIND, corpus } from "./corpus/index.js";

/** Maximum number of parts of a case. A part is one command or a corpus entry. */
const MAX_PARTS = 10;
const MAX_ARGUMENT_NUMBER = 40;
/** The weight of an entry without uncovered points. */
const BASE_WEIGHT = 6;
/** Added weight of an entry for each uncovered point, and twice that while the entry has not run. */
const NEW_POINT_WEIGHT = 40;

/** Draws cases as lists of commands. Corpus entries are more frequent while earlier cases have not reached their points. */
export function drawCases(coverage: Coverage): fc.Arbitrary<CommandCall[]> {
  const part = fc.oneof(
    ...Object.keys(commands).map((name) => ({
      weight: computeCommandWeight(name as CommandName),
      arbitrary: drawCommand(name as CommandName),
    })),
    ...corpus.map((entry) => ({ weight: computeEntryWeight(coverage, entry), arbitrary: drawEntry(entry) })),
  );
  return fc.array(part, { minLength: 1, maxLength: MAX_PARTS, size: "max" }).map((parts) => parts.flat());
}

function computeCommandWeight(name: CommandName): number {
  return (commands[name] satisfies Command).weight * 4;
}

/** Returns the weight of an entry, which is higher while it leads to uncovered points. */
function computeEntryWeight(coverage: Coverage, { name, points }: (typeof corpus)[number]): number {
  const unreachedPoints = points.filter((point) => {
    const slash = point.indexOf("/");
    return coverage.visits(point.slice(0, slash), point.slice(slash + 1)) === 0;
  });
  return BASE_WEIGHT + NEW_POINT_WEIGHT * (unreachedPoints.length + (coverage.visits(CORPUS_KIND, name) === 0 ? 2 : 0));
}

/** Draws one command with numbers for its arguments. Zero is more frequent, because the first option is the default. */
function drawCommand(name: CommandName): fc.Arbitrary<CommandCall[]> {
  const { arguments: names } = commands[name] satisfies Command;
  const number = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(MAX_ARGUMENT_NUMBER) });
  const record = fc.record(Object.fromEntries(names.map((argument) => [argument, number])));
  return record.map((drawn) => [{ command: name, arguments: drawn }]);
}

/** Draws a corpus entry. Shrinking can remove its commands one by one. */
function drawEntry({ commands: list }: (typeof corpus)[number]): fc.Arbitrary<CommandCall[]> {
  const kept = (commandCall: CommandCall) =>
    fc.oneof(
      { withCrossShrink: true },
      { weight: 1, arbitrary: fc.constant<CommandCall[]>([]) },
      { weight: 10_000, arbitrary: fc.constant<CommandCall[]>([commandCall]) },
    );
  return fc.tuple(...list.map(kept)).map((parts) => parts.flat());
}
