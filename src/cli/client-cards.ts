import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { type CardForm, type ClientReport, cardForms } from "../card/report.js";
import { printText } from "./output.js";

/** File names of the forms. */
const files: Record<CardForm, string> = {
  text: "client-report.txt",
  json: "client-report.json",
  junit: "client-report.junit.xml",
  html: "client-report.html",
};

/** The flag that asks for a client's report, in text or in forms with commas between them; it can be given more than once. */
export function cardFlag(description: string): Option {
  return new Option("--client-report [forms]", `${description}; as ${cardForms.join(", ")} (default: text)`)
    .preset("text")
    .argParser(collectForms);
}

/** Writes a client's report in each form: on standard output, or in files of a directory. */
export async function printCards(report: ClientReport, forms: readonly CardForm[], out: string | undefined): Promise<void> {
  const { writeReport } = await import("../card/forms.js");
  if (out !== undefined) mkdirSync(out, { recursive: true });
  for (const form of forms) {
    const { text } = writeReport(report, form);
    if (out === undefined) printText(text);
    else writeFileSync(join(out, files[form]), text);
  }
}

/** Whether a client did what the contract forbids; what it only discourages is no finding. */
export function givesFindings({ remarks }: ClientReport): boolean {
  return remarks.some(({ severity }) => severity === "forbidden");
}

function collectForms(value: string, earlier: CardForm[] | undefined): CardForm[] {
  const forms = value.split(",").map((name) => {
    const form = cardForms.find((one) => one === name.trim());
    if (!form) throw new InvalidArgumentError(`Allowed choices are ${cardForms.join(", ")}.`);
    return form;
  });
  return [...(earlier ?? []), ...forms];
}
