import { execFile } from "node:child_process";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";

/** How a command ended, and what it wrote. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** The built command line. */
export const main = join(packageRoot, "dist/src/cli/main.js");

/** Runs a command line to its end, as a person would: in CI a run that draws cases wants a seed. */
export function counterpart(...args: string[]): Promise<Ended> {
  return counterpartIn({ ...process.env, CI: "" }, ...args);
}

/** Runs a command line to its end in an environment. */
export function counterpartIn(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}
