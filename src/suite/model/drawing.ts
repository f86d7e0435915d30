import fc from "fast-check";
import type { Coverage } from "../../engine/property/coverage.js";
import type { Command, CommandCall } from "./command.js";
import { type CommandName, commands } from "./commands/index.js";
import { CORPUS_KIND, corpus } from "./corpus/index.js";

/** Most parts that a case is made of; a part is one command or an entry of the corpus. */
const MOST_PARTS = 10;
const MOST_ARGUMENT = 40;
/** How likely an entry is that leads to nothing new. */
const USUAL = 6;
/** How much likelier an entry is for every point that it may be first to reach; twice that while it was never run. */
const EAGER = 40;

/** Cases as lists of commands: any command at any time, and entries of the corpus for points that earlier cases have not reached. */
export function drawCases(coverage: Coverage): fc.Arbitrary<CommandCall[]> {
  const part = fc.oneof(
    ...Object.keys(commands).map((name) => ({ weight: weightOf(name as CommandName), arbitrary: one(name as CommandName) })),
    ...corpus.map((entry) => ({ weight: eagerness(coverage, entry), arbitrary: whole(entry) })),
  );
  return fc.array(part, { minLength: 1, maxLength: MOST_PARTS, size: "max" }).map((parts) => parts.flat());
}

function weightOf(name: CommandName): number {
  return (commands[name] satisfies Command).weight * 4;
}

/** Entries are spliced in now and then, and often while they lead to something new. */
function eagerness(coverage: Coverage, { name, points }: (typeof corpus)[number]): number {
  const unreached = points.filter((point) => {
    const slash = point.indexOf("/");
    return coverage.visits(point.slice(0, slash), point.slice(slash + 1)) === 0;
  });
  return USUAL + EAGER * (unreached.length + (coverage.visits(CORPUS_KIND, name) === 0 ? 2 : 0));
}

/** One command with numbers for its arguments; zero is likelier, as the first option is the plain one. */
function one(name: CommandName): fc.Arbitrary<CommandCall[]> {
  const { arguments: names } = commands[name] satisfies Command;
  const number = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(MOST_ARGUMENT) });
  const record = fc.record(Object.fromEntries(names.map((argument) => [argument, number])));
  return record.map((drawn) => [{ command: name, arguments: drawn }]);
}

/** An entry of the corpus, from which a shrink can take commands one by one. */
function whole({ commands: list }: (typeof corpus)[number]): fc.Arbitrary<CommandCall[]> {
  const kept = (drawn: CommandCall) =>
    fc.oneof(
      { withCrossShrink: true },
      { weight: 1, arbitrary: fc.constant<CommandCall[]>([]) },
      { weight: 10_000, arbitrary: fc.constant<CommandCall[]>([drawn]) },
    );
  return fc.tuple(...list.map(kept)).map((parts) => parts.flat());
}
