import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "../../../src/contract/load.js";
import { type CompiledFile, instrument, type OperatorMutant } from "./instrument.js";

const compiled = join(packageRoot, "dist", "src");
const builds = join(packageRoot, "dist", "quality", "operators");
const build = join(builds, "build");
const INSTRUMENTED_ROOMS = ["service", "mock"];

/** Makes the instrumented build of service and mock. Excluded files stay unchanged. Returns all mutants, those of excluded files too. */
export async function makeBuild(isLeftOut: (file: string) => boolean): Promise<OperatorMutant[]> {
  const { files, instrumented, mutants } = await instrumentRooms();
  rmSync(builds, { recursive: true, force: true });
  for (const [at, { name, content }] of instrumented.entries()) {
    const place = join(build, name);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, isLocal(isLeftOut(getSource(name)) ? (files[at]?.content ?? "") : content));
  }
  return mutants;
}

/**
 * Instruments service and mock, or the sources of them that `isMeant` accepts. `files` has the compiled files as they were, `instrumented`
 * the same files with their mutants. Writes nothing.
 */
export async function instrumentRooms(isMeant: (source: string) => boolean = () => true): Promise<{
  files: CompiledFile[];
  instrumented: CompiledFile[];
  mutants: OperatorMutant[];
}> {
  const files = INSTRUMENTED_ROOMS.flatMap(getFiles).filter(({ name }) => isMeant(getSource(name)));
  const switchUrl = new URL("./switch.js", `file://${join(packageRoot, "dist", "test", "quality", "operators")}/`).href;
  const { files: instrumented, mutants } = await instrument(files, switchUrl);
  return { files, instrumented, mutants };
}

/** Makes a copy of the build whose modules no process has loaded, so that they have no state of another mutant. `drop` deletes its files. */
export function copyBuild(name: string): { server: string; drop(): void } {
  const copy = join(builds, name);
  cpSync(build, copy, { recursive: true });
  return { server: `file://${join(copy, "mock", "server.js")}`, drop: () => rmSync(copy, { recursive: true, force: true }) };
}

/** Makes imports of other rooms absolute, so that all copies read the contract and the other code from one place. */
function isLocal(content: string): string {
  const others = readdirSync(compiled).filter((room) => !room.includes(".") && !INSTRUMENTED_ROOMS.includes(room));
  return content.replace(
    new RegExp(`(["'])((?:\\.\\./)+)(${others.join("|")})/`, "g"),
    (_, quote: string, up: string, room: string) => `${quote}${up}../../../src/${room}/`,
  );
}

/** The compiled files of a room that still have a source: others are left from an earlier build. */
function getFiles(room: string): CompiledFile[] {
  return readdirSync(join(compiled, room), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js"))
    .map((file) => `${room}/${file.replaceAll("\\", "/")}`)
    .filter((name) => existsSync(join(packageRoot, getSource(name))))
    .sort()
    .map((name) => ({ name, content: readFileSync(join(compiled, name), "utf8") }));
}

function getSource(name: string): string {
  return `src/${name.replace(/js$/, "ts")}`;
}
