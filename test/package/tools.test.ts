import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { describeWith } from "../meta/needs.js";
import { exhaustive } from "../meta/sample.js";
import { bytesIn, type Ended, link, manifest, openProject, type Project, pack, toolPath, types, unpack } from "./project.js";

const tools = {
  name: "with other build and test tools (npm install --prefix test/package)",
  found: existsSync(toolPath("jest")),
};
const strict = ["--noEmit", "--strict", "--target", "es2022", "--skipLibCheck", "false"];
const isSilent = ["--no-audit", "--no-fund", "--silent"];

let tarball: string;
const openProjects: Project[] = [];
beforeAll(async () => {
  if (exhaustive) tarball = await pack();
});
afterAll(() => {
  for (const project of openProjects) project.remove();
});

function empty(): Project {
  const project = openProject();
  openProjects.push(project);
  return project;
}

const succeeded = ({ code, text }: Ended) => expect(code, text).toBe(0);

describe.runIf(exhaustive)("with other tools", () => {
  describeWith(tools, "an empty project that installs the tarball", () => {
    test("with npm installs the package, its command and a passing test within a minute", async () => {
      const project = empty();
      project.add("job.test.mjs");
      const begun = performance.now();
      succeeded(await project.run("npm", ["install", "--save-dev", tarball, ...isSilent]));
      succeeded(await project.run("node", ["--test", "job.test.mjs"]));
      expect((performance.now() - begun) / 1000).toBeLessThan(60);
      const lock = JSON.parse(readFileSync(join(project.folder, "node_modules/.package-lock.json"), "utf8")) as {
        packages: object;
      };
      expect(Object.keys(lock.packages).length).toBeLessThan(60);
      expect(bytesIn(join(project.folder, "node_modules")) / 1e6).toBeLessThan(40);
      for (const name of ["counterpart", "counterpart-kit"])
        expect((await project.run("npx", ["--no-install", "--loglevel=error", name, "--version"])).text).toBe(
          `${manifest.version}\n`,
        );
    });

    test("works unchanged on another machine", async () => {
      const project = empty();
      succeeded(await project.run("npm", ["install", "--prefix", "kit", tarball, ...isSilent]));
      renameSync(join(project.folder, "kit"), join(project.folder, "elsewhere"));
      expect((await project.run("elsewhere/node_modules/.bin/counterpart", ["--version"])).text).toBe(`${manifest.version}\n`);
    });

    test("with npx runs the command with the name of the package", async () => {
      const { text } = await empty().run("npx", ["--yes", "--loglevel=error", `file:${tarball}`, "--version"]);
      expect(text).toBe(`${manifest.version}\n`);
    });

    test.each([
      ["pnpm", ["pnpm/bin/pnpm.cjs", "add", "--save-dev"], ["pnpm/bin/pnpm.cjs", "exec", "counterpart", "--version"]],
      [
        "yarn",
        ["yarn/bin/yarn.js", "add", "--dev", "--silent"],
        ["yarn/bin/yarn.js", "run", "--silent", "counterpart", "--version"],
      ],
    ])("with %s has the command", async (_, [add, ...args], [run, ...command]) => {
      const project = empty();
      succeeded(await project.run("node", [toolPath(add!), ...args, tarball]));
      expect((await project.run("node", [toolPath(run!), ...command])).text).toBe(`${manifest.version}\n`);
      project.add("job.test.mjs");
      succeeded(await project.run("node", ["--test", "job.test.mjs"]));
    });
  });

  describeWith(tools, "the tarball", () => {
    test("has types for every resolver, according to attw", async () => {
      succeeded(await empty().run("node", [toolPath("@arethetypeswrong/cli/dist/index.js"), tarball]));
    });

    test("has no finding of publint", async () => {
      const { text } = await empty().run("node", [toolPath("publint/src/cli.js"), tarball]);
      expect(text).toContain("All good!");
    });
  });

  describeWith(tools, "a project of another team", () => {
    let project: Project;
    const jobs = readFileSync(join(packageRoot, "test/package/project/jobs.js.txt"), "utf8");
    const write = (file: string, ...lines: string[]) => writeFileSync(join(project.folder, file), [...lines, jobs].join("\n"));
    beforeAll(async () => {
      project = empty();
      await unpack(project, tarball);
      project.add(...types, "job.test.mjs");
    });

    test.each([
      ["nodenext", ["--module", "nodenext", "types.mts", "types.cts", "using.mts"]],
      ["node16", ["--module", "node16", "types.mts", "types.cts", "using.mts"]],
      ["a bundler", ["--module", "esnext", "--moduleResolution", "bundler", "types.mts", "types.ts", "using.mts"]],
      ["CommonJS", ["--module", "commonjs", "types.ts"]],
    ])("compiles with an old TypeScript for %s", async (_, args) => {
      succeeded(await project.run("node", [toolPath("typescript/bin/tsc"), ...strict, ...args]));
    });

    const jest = [toolPath("jest/bin/jest.js"), "--rootDir", ".", "--testMatch"];
    test("tests with jest in its default configuration", async () => {
      write("required.test.js", 'const { startMock } = require("counterpart-kit");');
      succeeded(await project.run("node", [...jest, "**/required.test.js"]));
    });

    test("runs the example for jest", async () => {
      cpSync(join(packageRoot, "fixtures/examples/other-runners/jest.test.js"), join(project.folder, "recipe.test.js"));
      succeeded(await project.run("node", [...jest, "**/recipe.test.js"]));
    });

    test("tests with jest and ES modules", async () => {
      write("imported.test.mjs", 'import { startMock } from "counterpart-kit";');
      succeeded(await project.run("node", ["--experimental-vm-modules", ...jest, "**/imported.test.mjs"]));
    });

    test("tests with vitest, including scenarios", async () => {
      link(project.folder, "vitest");
      write(
        "vitest.test.mjs",
        'import { afterAll, beforeAll, expect, test } from "vitest";',
        'import { startMock } from "counterpart-kit";',
        'import { describeConformance } from "counterpart-kit/vitest";',
        "let mock;",
        'beforeAll(async () => { mock = await startMock({ clock: "frozen" }); });',
        "afterAll(() => mock.close());",
        'describeConformance({ url: () => mock.api_url, only: ["mcp-official-client"] });',
      );
      const { code, text } = await project.run("node", ["node_modules/vitest/vitest.mjs", "run", "vitest.test.mjs"]);
      expect(code, text).toBe(0);
      expect(text).toMatch(/Tests .*2 passed/);
    });

    test("tests with Bun", async () => {
      write("bun.test.mjs", 'import { expect, test } from "bun:test";', 'import { startMock } from "counterpart-kit";');
      succeeded(await project.run(toolPath(".bin/bun"), ["test", "./bun.test.mjs"]));
    });

    test("tests with Deno", async () => {
      succeeded(
        await project.run(toolPath(".bin/deno"), ["test", "-A", "--no-check", "--node-modules-dir=manual", "job.test.mjs"]),
      );
    });
  });
});
