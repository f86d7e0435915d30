import { escapeLine } from "../../common/escape/visible.js";
import { parseLine, type TextLine } from "../../common/json-lines.js";
import { isProblem, type Problem } from "../../common/problem.js";
import type { MockContext } from "../context.js";
import { openContext } from "../server.js";
import { takeFixture } from "../worlds/fixture-file.js";
import { loadFixture } from "../worlds/fixtures.js";
import type { LogEntry } from "../worlds/log/entry.js";
import type { WorldEntry } from "../worlds/worlds.js";
import { type Difference, findDifference } from "./difference.js";
import { describeEntry } from "./print.js";
import { type RecordedLine, type RecordedResponse, type RecordingHeader, toRecordedResponse } from "./recording.js";
import { findLineMistake } from "./recording-schema.js";
import { beginWorld, replayEntry } from "./replay-log.js";
import { rewindWorld } from "./rewind.js";

/** The result of replaying a recording: how many responses were equal, up to the first difference. */
export interface Replay {
  /** The version of the toolkit that recorded it. */
  version: string;
  /** Number of events, and of compared answers. */
  entries: number;
  answers: number;
  worlds: number;
  difference: (Difference & { line: number; world: string; number: number; entry: string }) | null;
}

/** The environment of a replayed recording. */
interface Stage {
  context: MockContext;
  worlds: Map<string, ReplayedWorld>;
  replay: Replay;
}

/** A world that is being replayed, with its responses that are not compared yet, by the number of the entry. */
interface ReplayedWorld {
  worldEntry: WorldEntry;
  answers: Map<number, RecordedResponse>;
  entries: Map<number, LogEntry>;
}

/** Replays a recording in a new mock, line by line, up to the first different response. A problem names the line. */
export async function replayLines(lines: AsyncIterable<TextLine>): Promise<Replay | Problem> {
  let stage: Stage | null = null;
  for await (const text of lines) {
    const { number } = text;
    const result = parseLine(text);
    if (!result.ok) return { problem: `line ${number} ${result.why}` };
    const line = result.value;
    const problem = findLineMistake(line, number === 1);
    if (problem) return { problem: `line ${number}: ${problem}` };
    if (!stage) {
      const opened = await openStage(line as RecordingHeader);
      if (isProblem(opened)) return { problem: `line 1: ${opened.problem}` };
      stage = opened;
      continue;
    }
    const wrong = await replayLine(stage, line as RecordedLine, number).catch((error: Error) => error.message);
    if (wrong) return { problem: `line ${number}: ${wrong}` };
    if (stage.replay.difference) break;
  }
  return stage ? stage.replay : { problem: "The recording is empty." };
}

async function openStage({ version, mcp, journal, trust_client_ip, addresses }: RecordingHeader): Promise<Stage | Problem> {
  const context = await openContext({ mcp, journal, trustClientIp: trust_client_ip });
  if (isProblem(context)) return context;
  Object.assign(context.addresses, addresses);
  return { context, worlds: new Map(), replay: { version, entries: 0, answers: 0, worlds: 0, difference: null } };
}

async function replayLine(stage: Stage, line: RecordedLine, number: number): Promise<string | null> {
  if ("created" in line) return createRecordedWorld(stage, line);
  const replayedWorld = stage.worlds.get(line.world);
  if (!replayedWorld) return `No world '${line.world}' was created before.`;
  if ("removed" in line) {
    stage.worlds.delete(line.world);
    return null;
  }
  if ("rewound" in line) {
    const outcome = await rewindWorld(stage.context, replayedWorld.worldEntry, line.rewound);
    return isProblem(outcome) ? outcome.problem : null;
  }
  if ("answer_to" in line) {
    compare(stage, replayedWorld, { number: line.answer_to, answer: line.answer }, { world: line.world, line: number });
    return null;
  }
  const { world, answer: response, ...entry } = line;
  if (entry.number !== replayedWorld.worldEntry.log.total + 1)
    return `Entry ${replayedWorld.worldEntry.log.total + 1} is missing: the next line is entry ${entry.number}.`;
  replayedWorld.entries.set(entry.number, entry);
  await replayEntry(stage.context, replayedWorld.worldEntry, entry);
  stage.replay.entries++;
  if (response) compare(stage, replayedWorld, { number: entry.number, answer: response }, { world, line: number });
  return null;
}

async function createRecordedWorld(stage: Stage, { world, created }: RecordedLine & { created: object }): Promise<string | null> {
  const { fixture: wish, begun, ...configuration } = created as Extract<RecordedLine, { created: unknown }>["created"];
  const fixtureResult = typeof wish === "string" ? await loadFixture(wish) : takeFixture(wish);
  if ("mistakes" in fixtureResult) return fixtureResult.mistakes.map(escapeLine).join("; ");
  const responses: ReplayedWorld["answers"] = new Map();
  const hooks = {
    onResponse: (entry: LogEntry, loggedResponse: Parameters<typeof toRecordedResponse>[0]) =>
      void responses.set(entry.number, toRecordedResponse(loggedResponse)),
  };
  const worldEntry = beginWorld(
    stage.context,
    { id: world, configuration: { ...configuration, fixture: fixtureResult.fixture }, begun },
    hooks,
  );
  stage.worlds.set(world, { worldEntry, answers: responses, entries: new Map() });
  stage.replay.worlds++;
  return null;
}

function compare(
  { replay }: Stage,
  { answers: responses, entries }: ReplayedWorld,
  recorded: { number: number; answer: RecordedResponse },
  place: { world: string; line: number },
): void {
  const { number, answer: response } = recorded;
  const entry = entries.get(number);
  replay.answers++;
  const difference = findDifference(response, responses.get(number));
  responses.delete(number);
  entries.delete(number);
  if (difference) replay.difference = { ...difference, ...place, number, entry: entry ? describeEntry(entry) : "" };
}
