import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { readGuide } from "../meta/guide.js";
import { sampled } from "../meta/sample.js";
import { bytesIn, link, manifest, openProject, type Project, pack, types, unpack } from "./project.js";

/** One installed package, as the lock file knows it. */
interface Locked {
  dependencies?: Record<string, string>;
  hasInstallScript?: true;
}

/** Options of every compiler: it checks everything, declarations too. */
const strict = ["--noEmit", "--strict", "--target", "es2022", "--skipLibCheck", "false"];
const examples = join(packageRoot, "fixtures/examples/client-typescript");
const tsc = join(packageRoot, "node_modules/typescript/bin/tsc");

/** The compiler settings of other projects. Each run of the tests draws one: about 6 commits try all. */
const compilers: readonly [name: string, args: string[]][] = [
  ["nodenext", ["--module", "nodenext", "types.mts", "types.cts", "using.mts"]],
  ["a bundler", ["--module", "esnext", "--moduleResolution", "bundler", "types.mts", "types.ts", "using.mts"]],
  ["CommonJS", ["--module", "commonjs", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "types.ts"]],
];
/** The same with vitest. Each run draws one: about 3 commits try both. */
const compilersWithVitest: readonly string[][] = [
  ["--module", "nodenext", "vitest.mts", "vitest.cts"],
  ["--module", "esnext", "--moduleResolution", "bundler", "vitest.mts", "client.test.ts"],
];

let project: Project;
beforeAll(async () => {
  project = openProject();
  await unpack(project, await pack());
  project.add(...types, "job.test.mjs", "required.cjs");
});
afterAll(() => project.remove());

describe("the installed dependencies", () => {
  const brought = whatComesAlong();

  test("are fewer than 60 packages, none with an install script", () => {
    expect(brought.length + 1).toBeLessThan(60);
    expect(brought.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
  });

  test("are smaller than 40 MB, as the guide says", () => {
    const unpacked = bytesIn(join(project.folder, "node_modules/counterpart-kit"));
    const bytes = brought.reduce((sum, [path]) => sum + bytesIn(join(packageRoot, path)), unpacked);
    expect(bytes / 1e6).toBeLessThan(40);
    const [, packages, megabytes] = /has (\d+) packages and (\d+) MB/.exec(readGuide("first-test")) ?? [];
    expect(Number(packages)).toBe(brought.length + 1);
    expect(Math.abs(Number(megabytes) - bytes / 1e6)).toBeLessThan(3);
  });
});

describe("the packed package", () => {
  test("has every file that it names, and the licences of bundled code", () => {
    const own = join(project.folder, "node_modules/counterpart-kit");
    const named = [...readFileSync(join(own, "package.json"), "utf8").matchAll(/"(?:\.\/)?(dist\/[^"*]+\.\w+)"/g)].map(
      ([, file]) => file!,
    );
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((file) => !/finish|test\//.test(file) && !existsSync(join(own, file)))).toEqual([]);
    const licences = readFileSync(join(own, "dist/bundled/LICENSES.txt"), "utf8");
    for (const name of [
      "@modelcontextprotocol/sdk",
      "zod",
      "rapidoc",
      "lit 3",
      "lit-html",
      "marked 4",
      "preact",
      "@preact/signals",
    ])
      expect(licences).toContain(name);
  });

  test("has the same suite as this repository, so it reads the scenarios that the build has parsed", async () => {
    const own = join(project.folder, "node_modules/counterpart-kit/dist/src/suite");
    const { computeSuiteDigest } = (await import(join(own, "digest.js"))) as { computeSuiteDigest(): string };
    expect(computeSuiteDigest()).toBe((JSON.parse(readFileSync(join(own, "digest.json"), "utf8")) as { digest: string }).digest);
  });

  test("needs only packed declarations, those of vitest for vitest excepted", () => {
    const folder = join(project.folder, "node_modules/counterpart-kit/dist/types");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const asked = files.flatMap((file) =>
      [...readFileSync(join(folder, file), "utf8").matchAll(/(?: from |import\()"([^"]+)"/g)].map(([, target]) => ({
        file,
        target: target!,
      })),
    );
    expect(asked.length).toBeGreaterThan(50);
    const isThere = (file: string, target: string) => existsSync(join(folder, file, "..", target.replace(/\.js$/, ".d.ts")));
    const isOfVitest = (file: string, target: string) => target === "vitest" && file.includes("vitest");
    expect(asked.filter(({ file, target }) => !isThere(file, target) && !isOfVitest(file, target))).toEqual([]);
  });

  test.each(sampled(compilers, 1))("compiles for %s, and misspelled names do not", async (_, args) => {
    expect(await project.run(process.execPath, [tsc, ...strict, ...args])).toEqual({ code: 0, text: "" });
  });

  // the declarations of vitest are not ours to check
  test("compiles with vitest, including the example, and misspelled names do not", async () => {
    link(project.folder, "vitest");
    for (const name of ["client.test.ts", "service-client.ts"]) copyFileSync(join(examples, name), join(project.folder, name));
    const args = ["--noEmit", "--strict", "--target", "es2022", "--skipLibCheck"];
    for (const how of sampled(compilersWithVitest, 1))
      expect(await project.run(process.execPath, [tsc, ...args, ...how])).toEqual({ code: 0, text: "" });
  });

  test("runs in a test of fifteen lines", async () => {
    const { code, text } = await project.run(process.execPath, ["--test", "job.test.mjs"]);
    expect(code, text).toBe(0);
    expect(text).toMatch(/pass 1\b/);
  });

  test("works with require, including its bundled code", async () => {
    const { text } = await project.run(process.execPath, ["required.cjs"]);
    expect(JSON.parse(text)).toEqual({ explorer: true, console: true, exitCode: 0 });
  });

  test("has a command, which says how to get the second opinion", async () => {
    const command = join(project.folder, "node_modules/counterpart-kit", manifest.bin.counterpart!);
    expect(await project.run(process.execPath, [command, "--version"])).toEqual({ code: 0, text: `${manifest.version}\n` });
    const only = ["--only", "JOB-RETRY-INFLIGHT", "--runs", "0"];
    const verify = `"${process.execPath}" "${command}" verify "$COUNTERPART_API_URL" --second-opinion ${only.join(" ")}`;
    const { code, text } = await project.run(process.execPath, [command, "exec", "--", "sh", "-c", verify]);
    expect(text).toMatch(
      /^counterpart: --second-opinion needs Prism, which is not installed: npm install --save-dev @stoplight\/prism-cli$/m,
    );
    expect(code).toBe(2);
  });
});

/** The packages that users install with this one according to the lock file, by path. */
function whatComesAlong(): [string, Locked][] {
  const { packages } = JSON.parse(readFileSync(join(packageRoot, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  const found = new Map<string, Locked>();
  const add = (from: string, names: readonly string[]) => {
    for (const name of names) {
      const path = getPlace(packages, from, name);
      if (found.has(path)) continue;
      found.set(path, packages[path]!);
      add(path, Object.keys(packages[path]!.dependencies ?? {}));
    }
  };
  add("", Object.keys(manifest.dependencies));
  return [...found];
}

/** Returns where a package finds another one: in its folder, or in a folder above it. */
function getPlace(packages: Record<string, Locked>, from: string, name: string): string {
  const path = [from, "node_modules", name].filter((part) => part !== "").join("/");
  if (packages[path]) return path;
  if (from === "") throw new Error(`the lock file has no ${name}`);
  return getPlace(packages, from.slice(0, Math.max(0, from.lastIndexOf("node_modules") - 1)), name);
}
