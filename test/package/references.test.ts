import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { beforeAll, expect, test } from "vitest";
import { createCommandLine } from "../../src/cli/program.js";
import { listCommandEntries } from "../../src/cli/reference/commands.js";
import { packageRoot } from "../../src/contract/load.js";
import { counterpart } from "../cli/counterpart.js";
import { contributorPages, type Page, userPages } from "../meta/guide.js";
import { packedFiles } from "./project.js";

/** A text for readers, with its name. */
type Text = [name: string, text: string];

const getText = (pages: readonly Page[]) => pages.map(({ text }) => text).join("\n");
const everywhere = "spec|fixtures|scenarios";
const folders = `${everywhere}|examples|docs|src|test|dist|\\.ci|\\.github`;

/** Files that `npm run quality` writes, absent until it has run. */
const measuredPattern = /^(?:dist\/quality\/|spec\/quality\.json$)/;

/** The files of the tarball. */
let packed: Set<string>;
/** The help text of each command. */
const helps = new Map<string, string>();
beforeAll(async () => {
  packed = new Set(await packedFiles());
  for (const { words } of listCommandEntries(createCommandLine()))
    helps.set(words.join(" "), (await counterpart(...words, "--help")).out);
});

test("users find in the tarball each path of the guides, of help texts, of messages and of shipped files", () => {
  const texts: [Text, string][] = [
    ...userPages.map(({ path, text }): [Text, string] => [[path, text], folders]),
    ...[...helps].map(([name, text]): [Text, string] => [[`counterpart ${name} --help`, text], folders]),
    ...[...filesIn("src"), ...[...packed].filter((file) => !file.startsWith("dist/"))]
      .filter((file) => !file.endsWith(".md"))
      .map((file): [Text, string] => [[file, read(file)], everywhere]),
  ];
  const isPacked = (path: string) => packed.has(path) || [...packed].some((file) => file.startsWith(`${path}/`));
  const missing = texts.flatMap(([[name, text], roots]) =>
    pathsIn(text, roots).flatMap((path) => (isPacked(path) || measuredPattern.test(path) ? [] : [`${name}: ${path}`])),
  );
  expect(missing).toEqual([]);
  // the check finds at least one path
  expect(pathsIn(getText(userPages), folders)).toEqual(
    expect.arrayContaining(["fixtures/examples/other-runners", "fixtures/staging.example.yaml", "spec/assumptions.json"]),
  );
});

test("contributors find in the repository each path of the pages for contributors", () => {
  const paths = pathsIn(getText(contributorPages), folders).filter((path) => !measuredPattern.test(path));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(packageRoot, path)))).toEqual([]);
});

const linked = [
  "README.md",
  "src/engine/README.md",
  "src/mock/README.md",
  ...[...userPages, ...contributorPages].map(({ path }) => path),
];
test.each([...new Set(linked)])("each link of %s leads to a file or a heading", (file) => {
  const text = read(file);
  const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => `#${title!.toLowerCase().replaceAll(" ", "-")}`);
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!).filter((link) => !link.includes("://"));
  const leads = (link: string) =>
    link.startsWith("#") ? anchors.includes(link) : existsSync(join(packageRoot, dirname(file), link));
  expect(links.filter((link) => !leads(link))).toEqual([]);
});

test("each command in a text exists, with its flags", () => {
  const texts: Text[] = [
    ...[...userPages, ...contributorPages].map(({ path, text }): Text => [path, text]),
    ...filesIn("fixtures/examples", /\.(?:yml|md)$/).map((file): Text => [file, read(file)]),
    ...[...helps].map(([name, text]): Text => [`counterpart ${name} --help`, text]),
    ...filesIn("src").map((file): Text => [file, read(file)]),
  ];
  const wrong = texts.flatMap(([name, text]) =>
    [...text.matchAll(/(?:npx counterpart-kit|`counterpart|^counterpart) ([a-z]+)( [a-z]+)?([^`\n|"]*)/gm)].flatMap(
      ([line, command, second = "", rest]) => {
        const help = helps.get(command! + second) ?? helps.get(command!);
        if (help === undefined) return [`${name}: ${line}`];
        const flags = rest!.replace(/ -- .*/, "").match(/--[a-z][a-z-]+/g) ?? [];
        return flags
          .filter((flag) => !`${help}${helps.get("")}`.includes(flag))
          .map((flag) => `${name}: ${command} has no ${flag}`);
      },
    ),
  );
  expect(wrong).toEqual([]);
});

test("each npm script that the documentation names exists", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: object };
  const named = [...getText([...userPages, ...contributorPages]).matchAll(/npm (?:run )?(test|start|(?<=run )[a-z]+)\b/g)].map(
    ([, name]) => name!,
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

/** The paths in a text below some folders, up to the first part that stands for others: a placeholder, a wildcard or a word in capitals. */
function pathsIn(text: string, roots: string): string[] {
  const found = text.matchAll(new RegExp(`(?<![\\w.@~/}-]|\\$)(?:\\.\\./)*((?:${roots})/[\\w.<>{}$*/-]*)`, "g"));
  const paths = [...found].map(([, path]) => path!.split("/").filter((part) => part !== ""));
  return [
    ...new Set(
      paths.map((parts) => {
        const end = parts.findIndex((part) => /[<{$*]|^[A-Z_]+(?:\.|$)/.test(part));
        return normalize((end < 0 ? parts : parts.slice(0, end)).join("/")).replace(/[.-]+$/, "");
      }),
    ),
  ];
}

function filesIn(folder: string, kind = /\.(?:tsx?|html)$/): string[] {
  return readdirSync(join(packageRoot, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    .filter((file) => kind.test(file));
}

function read(file: string): string {
  return readFileSync(join(packageRoot, file), "utf8");
}
