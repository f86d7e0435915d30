import { run } from "./run.js";

// a mock is to be there quickly: it loads nothing of the other commands
const { commandLine } = process.argv[2] === "mock" ? await import("./mock-program.js") : await import("./program.js");

await run(commandLine(), process.argv);
