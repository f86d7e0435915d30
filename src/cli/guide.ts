import type { Command } from "commander";
import { nearestIn } from "../common/nearest-names.js";
import { guideGroups, readGuide, titleOf } from "../guide/guides.js";
import { printText } from "./output.js";
import { stop } from "./run.js";

/** Adds `counterpart guide [topic]`, which lists the guides or prints one as Markdown. */
export function addGuide(program: Command): void {
  program
    .command("guide")
    .description("list the guides, or print one")
    .argument("[topic]", "topic of a guide; without it, the list")
    .action(showGuide);
}

function showGuide(topic: string | undefined): void {
  const topics = guideGroups.flatMap((group) => group.topics);
  if (topic === undefined) printText(listOfGuides());
  else if (topics.includes(topic)) printText(readGuide(topic));
  else stop(`There is no guide "${topic}"${nearestIn(topic, topics)}. "counterpart guide" lists the topics.`);
}

function listOfGuides(): string {
  const groups = guideGroups.map(({ readers, topics }) => {
    const lines = topics.map((topic) => `  ${topic.padEnd(19)}${titleOf(readGuide(topic))}`);
    return `For ${readers}:\n${lines.join("\n")}`;
  });
  return `${groups.join("\n\n")}\n\n"counterpart guide TOPIC" prints a guide. The mock serves them at /guides of its docs host.`;
}
