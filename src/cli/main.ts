#!/usr/bin/env node
import { commandLine } from "./program.js";
import { run } from "./run.js";

await run(commandLine(), process.argv);
