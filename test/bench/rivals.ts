import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { openApiFor } from "../../src/contract/publish.js";
import type { Exchanges, Kind } from "./exchanges.js";
import type { LoadRequest } from "./load.js";
import { type CommandLine, isThere } from "./processes.js";
import type { BenchContext } from "./section.js";

/** Another tool that a user could choose. */
export interface Rival {
  name: string;
  /** The package with its version, and the command that it needs in addition to node. */
  package: string;
  needs?: string;
  /** Writes the files with its responses into a folder. */
  prepare(folder: string, exchanges: Exchanges): void;
  /** Returns the command line that starts it in that folder. It is installed under `home`. */
  lineOf(home: string, folder: string, port: number): CommandLine;
  /** The request of each kind. Kinds that the server cannot answer are absent. */
  shots(exchanges: Exchanges): Partial<Record<Kind, LoadRequest>>;
}

/** A rival that is installed. */
export interface InstalledRival extends Rival {
  home: string;
}

/** Addresses for the published document, which names some. */
const somewhere = { api_url: "http://127.0.0.1", app_url: "http://127.0.0.1" };
/** Longest that one installation may take. */
const longestMs = 120_000;
const cache = process.env.COUNTERPART_BENCH_CACHE ?? join(homedir(), ".cache", "counterpart-bench");

/** The other tools. Some serve recorded answers of the mock. The others generate or store their answers. */
const rivals: Rival[] = [
  {
    name: "Prism",
    package: "@stoplight/prism-cli@5.14.2",
    prepare: (folder) => writeFileSync(join(folder, "openapi.json"), JSON.stringify(openApiFor(somewhere))),
    lineOf: (home, folder, port) =>
      nodeLine(
        home,
        "@stoplight/prism-cli/dist/index.js",
        "mock",
        "-h",
        "127.0.0.1",
        "-p",
        `${port}`,
        join(folder, "openapi.json"),
      ),
    shots: ({ "GET one observation": get, "a page of 100": page, "POST a job": post }) => ({
      "GET one observation": get.shot,
      "a page of 100": page.shot,
      "POST a job": { ...post.shot, expect: 200 }, // the first success that the document names
    }),
  },
  {
    name: "WireMock",
    package: "wiremock@3.13.2",
    needs: "java",
    prepare: (folder, exchanges) => {
      mkdirSync(join(folder, "mappings"));
      writeFileSync(join(folder, "mappings", "all.json"), JSON.stringify({ mappings: Object.values(exchanges).map(getMapping) }));
    },
    lineOf: (home, folder, port) => {
      const build = join(home, "node_modules/wiremock/build");
      const jar = readdirSync(build).find((file) => file.endsWith(".jar")) ?? "";
      return ["java", "-jar", join(build, jar), "--port", `${port}`, "--bind-address", "127.0.0.1", "--root-dir", folder];
    },
    shots: getShots,
  },
  {
    name: "Mockoon",
    package: "@mockoon/cli@9.9.0",
    prepare: (folder, exchanges) => writeFileSync(join(folder, "mockoon.json"), JSON.stringify(getEnvironment(exchanges))),
    lineOf: (home, folder, port) => {
      const options = ["--data", join(folder, "mockoon.json"), "--port", `${port}`, "--hostname", "127.0.0.1"];
      return nodeLine(home, "@mockoon/cli/bin/run.js", "start", ...options, "--repair", "--disable-log-to-file");
    },
    shots: getShots,
  },
  {
    name: "json-server",
    package: "json-server@0.17.4",
    prepare: (folder, { "a page of 100": page, "POST a job": post }) => {
      const observations = (JSON.parse(page.answer.body) as { data: { ref: string }[] }).data.map((row) => ({
        id: row.ref,
        ...row,
      }));
      writeFileSync(join(folder, "db.json"), JSON.stringify({ observations, jobs: [JSON.parse(post.answer.body)] }));
    },
    lineOf: (home, folder, port) =>
      nodeLine(
        home,
        "json-server/lib/cli/bin.js",
        "--quiet",
        "--host",
        "127.0.0.1",
        "--port",
        `${port}`,
        join(folder, "db.json"),
      ),
    shots: ({ "GET one observation": get, "a page of 100": page, "POST a job": post }) => ({
      "GET one observation": { ...get.shot, path: get.shot.path.replace("/api/", "/") },
      "a page of 100": { ...page.shot, path: "/observations?_page=1&_limit=100" },
      "POST a job": { ...post.shot, path: "/jobs" },
    }),
  },
];

/** Installs the available packages. For each other one, prints why it is missing. */
export function installRivals({ alone, tell, note }: BenchContext): InstalledRival[] {
  if (alone) return [];
  return rivals.flatMap((rival) => {
    const home = join(cache, rival.package.replaceAll("/", "+"));
    const why =
      rival.needs && !isThere(rival.needs, "-version") ? `there is no ${rival.needs} here` : install(home, rival.package, tell);
    if (why === null) return [{ ...rival, home }];
    note(`${rival.name} is left out: ${why}`);
    return [];
  });
}

/** Installs a package into a folder, once. Returns null, or why it cannot. */
function install(home: string, wanted: string, tell: BenchContext["tell"]): string | null {
  const marker = join(home, "installed");
  if (existsSync(marker) && readFileSync(marker, "utf8") === wanted) return null;
  tell(`installing ${wanted}`);
  mkdirSync(home, { recursive: true });
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  try {
    execFileSync("npm", ["install", "--prefix", home, ...options, wanted], {
      stdio: ["ignore", "ignore", "pipe"],
      timeout: longestMs,
    });
  } catch (error) {
    return `npm could not install ${wanted} (${(error as Error).message.split("\n").filter(Boolean).at(-1)})`;
  }
  writeFileSync(marker, wanted);
  return null;
}

function nodeLine(home: string, script: string, ...args: string[]): CommandLine {
  return [process.execPath, join(home, "node_modules", script), ...args];
}

function getShots(exchanges: Exchanges): Partial<Record<Kind, LoadRequest>> {
  return Object.fromEntries(Object.entries(exchanges).map(([kind, { shot }]) => [kind, shot]));
}

function getMapping({ shot, answer: response }: Exchanges[Kind]): object {
  const { "content-length": _length, ...headers } = response.headers;
  return {
    request: { method: shot.method, url: shot.path },
    response: { status: response.status, headers, body: response.body },
  };
}

/** Returns an environment of Mockoon. Mockoon adds defaults for absent fields. */
function getEnvironment(exchanges: Exchanges): object {
  const routes = Object.values(exchanges).map(({ shot, answer: response }) => ({
    uuid: randomUUID(),
    type: "http",
    method: shot.method.toLowerCase(),
    endpoint: shot.path.slice(1).replace(/\?.*/, ""),
    responses: [
      {
        uuid: randomUUID(),
        statusCode: response.status,
        headers: [{ key: "Content-Type", value: "application/json" }],
        bodyType: "INLINE",
        body: response.body,
        disableTemplating: true,
        default: true,
      },
    ],
  }));
  const rootChildren = routes.map(({ uuid }) => ({ type: "route", uuid }));
  return { uuid: randomUUID(), lastMigration: 33, name: "bench", port: 3000, routes, rootChildren };
}
