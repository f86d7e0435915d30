import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { draw } from "../meta/sample.js";

/** The tests of one file, tried to the full where `npm test` tries a sample. */
export interface TestsTask {
  kind: "tests";
  name: string;
}

/** The results of the tests of one file. */
export interface TestsOutcome {
  name: string;
  seconds: number;
  passed: number;
  /** Tests that failed, by their whole names and with the first line of why, or the one reason why none was run. */
  failed: string[];
}

/** Returns the files of tests that take samples, found by the word that they import: all, or this many of them, drawn with COUNTERPART_TEST_SEED. */
export function slowTests(count?: number): TestsTask[] {
  const files = readdirSync(join(packageRoot, "test"), { recursive: true, encoding: "utf8" });
  const sampling = files
    .filter((file) => file.endsWith(".test.ts") && !/(^|[\\/])node_modules[\\/]/.test(file))
    .filter((file) => /import \{[^}]*\b(sampled|exhaustive)\b[^}]*\} from "[^"]*\/sample\.js"/.test(source(file)))
    .sort();
  return draw(sampling, count ?? sampling.length).map((file) => ({ kind: "tests", name: join("test", file) }));
}

/** Runs the tests of one file to the full. */
export async function runTests({ name }: TestsTask): Promise<TestsOutcome> {
  const begun = performance.now();
  const directory = mkdtempSync(join(tmpdir(), "slow-tests-"));
  const report = join(directory, "report.json");
  const printed = await vitest(name, `--outputFile=${report}`);
  const seconds = (performance.now() - begun) / 1000;
  try {
    return { name, seconds, ...countsIn(JSON.parse(readFileSync(report, "utf8")) as VitestReport) };
  } catch {
    return { name, seconds, passed: 0, failed: [`vitest left no report: ${printed.trim().split("\n").slice(-5).join(" ")}`] };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The used fields of a report of vitest. */
interface VitestReport {
  numPassedTests: number;
  testResults: { status: string; message: string; assertionResults: TestLine[] }[];
}

interface TestLine {
  status: string;
  fullName: string;
  failureMessages?: string[];
}

function countsIn({ numPassedTests, testResults }: VitestReport): Pick<TestsOutcome, "passed" | "failed"> {
  const failed = testResults.flatMap(({ status, message, assertionResults }) => {
    const names = assertionResults.filter((assertionResult) => assertionResult.status === "failed").map(nameWithReason);
    return status === "failed" && names.length === 0 ? [message] : names;
  });
  return { passed: numPassedTests, failed };
}

function nameWithReason({ fullName, failureMessages: [message = ""] = [] }: TestLine): string {
  return [fullName, message.split("\n")[0]?.slice(0, 300)].filter(Boolean).join(": ");
}

/** Runs vitest in a separate process with other environment variables. Returns its output. */
function vitest(...args: string[]): Promise<string> {
  const options = ["run", "--config", join(packageRoot, "test/vitest.config.ts"), "--maxWorkers=1", "--reporter=json"];
  const child = spawn(process.execPath, [join(packageRoot, "node_modules/vitest/vitest.mjs"), ...options, ...args], {
    cwd: packageRoot,
    env: { ...process.env, COUNTERPART_TEST_ALL: "1", COUNTERPART_TEST_SEED: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (printed += String(piece)));
  const end = () => child.kill();
  process.once("exit", end);
  return new Promise((resolve) =>
    child.on("close", () => {
      process.off("exit", end);
      resolve(printed);
    }),
  );
}

function source(file: string): string {
  return readFileSync(join(packageRoot, "test", file), "utf8");
}
