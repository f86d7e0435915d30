import type { Command } from "commander";
import { createBareProgram } from "./bare-program.js";
import { addCatalogues } from "./catalogues.js";
import { addCompletion } from "./completion.js";
import { addDemo } from "./demo.js";
import { addDiff } from "./diff.js";
import { addExec } from "./exec.js";
import { addGuide } from "./guide.js";
import { addMcp } from "./mcp.js";
import { addMerge } from "./merge.js";
import { addMock } from "./mock.js";
import { addNew } from "./new.js";
import { addProxy } from "./proxy.js";
import { addPublish } from "./publish.js";
import { addReplay } from "./replay.js";
import { addReproduce } from "./reproduce.js";
import { addShow } from "./show.js";
import { addTarget } from "./target.js";
import { addVerify } from "./verify.js";

/** Returns a new command line with every command. A command line parses once. */
export function createCommandLine(): Command {
  const program = createBareProgram();
  addMock(program);
  addExec(program);
  addProxy(program);
  addNew(program);
  addTarget(program);
  addVerify(program);
  addDemo(program);
  addReproduce(program);
  addReplay(program);
  addShow(program);
  addMerge(program);
  addPublish(program);
  addDiff(program);
  addCatalogues(program);
  addMcp(program);
  addGuide(program);
  addCompletion(program);
  return program;
}
