import { printXml } from "../../common/escape/xml.js";
import { contract } from "../../contract/load.js";
import type { ClientReport } from "../report.js";
import { rules } from "../rules.js";
import { formatLocation } from "./text.js";

/** Writes a client's report as JUnit XML, with a case for each rule and for each clause about clients. */
export function formatJunit({ findings, clauses, requests }: ClientReport): string {
  const ruleIds = new Set<string>(rules.map(({ id }) => id));
  const others = findings.filter(({ id }) => !ruleIds.has(id)).map(({ id }) => ({ id }));
  const cases = [...rules, ...others].map(({ id }) => {
    const finding = findings.find((clientFinding) => clientFinding.id === id);
    const detail = finding?.examples.map((example) => `${formatLocation(example)}${example.request}: ${example.why}`).join("\n");
    return {
      name: id,
      failure: finding?.severity === "forbidden",
      skipped: finding?.severity === "discouraged",
      message: finding?.message,
      detail,
    };
  });
  const sentences = clauses.map(({ id, verdict }) => ({
    name: id,
    failure: verdict === "failed",
    skipped: verdict === "not-observed" || verdict === "warned",
    message: `${verdict}: ${contract.clauses[id].description}`,
    detail: undefined,
  }));
  const suites = [
    { name: "findings", cases },
    { name: "clauses", cases: sentences },
  ];
  return printXml({
    name: "testsuites",
    attributes: { name: `client report, ${requests} requests`, ...countTotals([...cases, ...sentences]) },
    elements: suites.map(({ name, cases: ones }) => ({
      name: "testsuite",
      attributes: { name, ...countTotals(ones) },
      elements: ones.map(({ name: title, failure, skipped, message = "", detail = "" }) => {
        const ending = failure ? "failure" : skipped ? "skipped" : undefined;
        const elements = ending ? [{ name: ending, attributes: { message }, text: detail }] : [];
        return { name: "testcase", attributes: { name: title, classname: name }, elements };
      }),
    })),
  });
}

function countTotals(cases: readonly { failure: boolean; skipped: boolean }[]): Record<string, number> {
  return {
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure).length,
    errors: 0,
    skipped: cases.filter(({ failure, skipped }) => !failure && skipped).length,
  };
}
