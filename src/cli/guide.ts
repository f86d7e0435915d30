import type { Command } from "commander";
import { findClosestName } from "../common/nearest-names.js";
import { getTitle, guideGroups, readGuide } from "../guide/guides.js";
import { printText } from "./output.js";
import { stop } from "./run.js";

/** Adds `counterpart guide [topic]`, which lists the guides and reference pages or prints one as Markdown. */
export function addGuide(program: Command): void {
  program
    .command("guide")
    .description("list the guides and reference pages, or print one")
    .argument("[topic]", "topic of a guide; without it, the list")
    .action(showGuide);
}

async function showGuide(topic: string | undefined, _flags: object, command: Command): Promise<void> {
  const { findReferenceTitle: referenceTitle, referenceTopics, writeReference } = await import("./reference/pages.js");
  const guides = guideGroups.flatMap((group) => group.topics);
  const reference = referenceTopics.find((one) => one === topic);
  if (topic === undefined) printText(formatTopics(referenceTopics.map((one) => [one, referenceTitle(one)])));
  else if (guides.includes(topic)) printText(readGuide(topic));
  else if (reference) printText(await writeReference(reference, command.parent!));
  else
    stop(
      `There is no guide "${topic}"${findClosestName(topic, [...guides, ...referenceTopics])}. "counterpart guide" lists the topics.`,
    );
}

function formatTopics(references: [topic: string, title: string][]): string {
  const guides = guideGroups.map(
    ({ readers, topics }) =>
      [`For ${readers}`, topics.map((topic) => [topic, getTitle(readGuide(topic))] as [string, string])] as const,
  );
  const groups = [...guides, ["Reference, written from the schemas and tables of this version", references] as const].map(
    ([title, rows]) => `${title}:\n${rows.map(([topic, name]) => `  ${topic.padEnd(19)}${name}`).join("\n")}`,
  );
  return `${groups.join("\n\n")}\n\n"counterpart guide TOPIC" prints a page. The mock serves them at /guides of its docs host.`;
}
