import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { getTitle, guideGroups, readGuide } from "../../src/guide/guides.js";
import { counterpart } from "./counterpart.js";

const topics = guideGroups.flatMap((group) => group.topics);

test("the list holds each guide once, by its reader and title, as the README does", async () => {
  expect([...topics].sort()).toEqual(
    readdirSync(join(packageRoot, "src/guide")).flatMap((file) => (file.endsWith(".md") ? [file.slice(0, -3)] : [])),
  );
  const { code, out } = await counterpart("guide");
  expect(code).toBe(0);
  for (const topic of topics) expect(out).toMatch(new RegExp(`^ {2}${topic} +${getTitle(readGuide(topic))}$`, "m"));
  const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
  for (const group of guideGroups) {
    const row = readme.split("\n").find((line) => line.startsWith(`| ${group.readers} |`)) ?? "";
    expect([...row.matchAll(/src\/guide\/([\w-]+)\.md/g)].map(([, topic]) => topic)).toEqual(group.topics);
  }
});

test("a topic prints its guide", async () => {
  expect(await counterpart("guide", "clocks")).toMatchObject({ code: 0, out: readGuide("clocks"), err: "" });
});

test("an unknown topic is refused with the nearest one", async () => {
  const err = 'counterpart: There is no guide "clok"; nearest: clocks. "counterpart guide" lists the topics.\n';
  expect(await counterpart("guide", "clok")).toEqual({ code: 2, out: "", err });
});
