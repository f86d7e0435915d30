#!/usr/bin/env node
import { Command } from "commander";
import { addCatalogues } from "./catalogues.js";
import { addDemo } from "./demo.js";
import { addDiff } from "./diff.js";
import { addExec } from "./exec.js";
import { addMerge } from "./merge.js";
import { addMock } from "./mock.js";
import { addReplay } from "./replay.js";
import { addReproduce } from "./reproduce.js";
import { run } from "./run.js";
import { addShow } from "./show.js";
import { addVerify } from "./verify.js";

const program = new Command("counterpart")
  .description("A stand-in server for one code-analysis service, and an examiner for servers that claim to be it.")
  .showHelpAfterError("(add --help for what is possible)");

addMock(program);
addExec(program);
addVerify(program);
addDemo(program);
addReproduce(program);
addReplay(program);
addShow(program);
addMerge(program);
addDiff(program);
addCatalogues(program);

await run(program, process.argv);
