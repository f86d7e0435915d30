import { run } from "./run.js";

// the mock loads no other command, so that it starts quickly
const { createCommandLine } = process.argv[2] === "mock" ? await import("./mock-program.js") : await import("./program.js");

await run(createCommandLine(), process.argv);
