import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { packageRoot } from "../../../../src/contract/load.js";
import { describeWith } from "../../../meta/needs.js";
import { toolPath } from "../../../package/project.js";

const program = `
import { startMock } from ${JSON.stringify(pathToFileURL(join(packageRoot, "dist/src/index.js")).href)};
const mock = await startMock({ clock: "frozen", listen: false });
const headers = { authorization: "Bearer " + mock.keys.full };
const ask = (url) => fetch(url, { headers }).then(({ status }) => status, ({ cause }) => String(cause?.message).slice(0, 46));
const interception = mock.intercept("http://service.invalid:8099", { others: "refuse" });
const told = [await ask("http://service.invalid:8099/api/jobs"), await ask("http://other.invalid/")];
interception.restore();
told.push(typeof (await ask("http://service.invalid:8099/api/jobs")));
try { told.push(typeof mock.interceptor("http://service.invalid")); } catch (error) { told.push(error.message); }
console.log(JSON.stringify(told));
await mock.close();
`;

const noDispatchers = "An interceptor needs undici, and Bun replaces undici. Use intercept(url) or mock.fetch instead.";
const runtimes: [name: string, command: string, args: string[], interceptor: string][] = [
  ["node", process.execPath, ["--input-type=module", "-e", program], "function"],
  ["bun", toolPath(".bin/bun"), ["-e", program], noDispatchers],
  ["deno", toolPath(".bin/deno"), ["eval", program], "function"],
];

for (const [name, command, args, interceptor] of runtimes)
  describeWith({ name: `${name} (npm install --prefix test/package)`, found: existsSync(command) }, `on ${name}`, () => {
    test("intercept answers requests of the global fetch, refuses others and ends", async () => {
      const out = await new Promise<string>((resolve, reject) => {
        execFile(command, args, { timeout: 60_000 }, (error, text, err) => (error ? reject(new Error(err)) : resolve(text)));
      });
      const refused = "A request to http://other.invalid was refused: only requests to http://service.invalid:8099".slice(0, 46);
      expect(JSON.parse(out)).toEqual([200, refused, "string", interceptor]);
    }, 90_000);
  });
