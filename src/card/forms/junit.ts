import { xmlText } from "../../common/escape/xml.js";
import { contract } from "../../contract/load.js";
import type { ClientReport } from "../report.js";
import { rules } from "../rules.js";

/** A client's report as JUnit XML: a case for each rule, and one for each sentence of the contract about clients. */
export function junitForm({ remarks, clauses, requests }: ClientReport): string {
  const known = new Set<string>(rules.map(({ id }) => id));
  const others = remarks.filter(({ id }) => !known.has(id)).map(({ id }) => ({ id }));
  const cases = [...rules, ...others].map(({ id }) => {
    const remark = remarks.find((one) => one.id === id);
    const detail = remark?.examples.map(({ entry, request, why }) => `${entry ?? "-"} ${request}: ${why}`).join("\n");
    return {
      name: id,
      failure: remark?.severity === "forbidden",
      skipped: remark?.severity === "discouraged",
      message: remark?.says,
      detail,
    };
  });
  const sentences = clauses.map(({ id, verdict }) => ({
    name: id,
    failure: verdict === "failed",
    skipped: verdict === "not-observed" || verdict === "warned",
    message: `${verdict}: ${contract.clauses[id].says}`,
    detail: undefined,
  }));
  const suites = [
    { name: "remarks", cases },
    { name: "clauses", cases: sentences },
  ];
  return xmlText({
    name: "testsuites",
    attributes: { name: `client report, ${requests} requests`, ...totals([...cases, ...sentences]) },
    elements: suites.map(({ name, cases: ones }) => ({
      name: "testsuite",
      attributes: { name, ...totals(ones) },
      elements: ones.map(({ name: title, failure, skipped, message = "", detail = "" }) => {
        const ending = failure ? "failure" : skipped ? "skipped" : undefined;
        const elements = ending ? [{ name: ending, attributes: { message }, text: detail }] : [];
        return { name: "testcase", attributes: { name: title, classname: name }, elements };
      }),
    })),
  });
}

function totals(cases: readonly { failure: boolean; skipped: boolean }[]): Record<string, number> {
  return {
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure).length,
    errors: 0,
    skipped: cases.filter(({ failure, skipped }) => !failure && skipped).length,
  };
}
