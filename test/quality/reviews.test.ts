import { expect, test } from "vitest";
import { digestOfText, digestsNow, parseRows, reviewsParagraph, unreviewed, withResults } from "./reviews.js";

const before = new Map(["a.yaml", "b.yaml", "c.ts"].map((file) => [file, digestOfText(`text of ${file}`)]));
const results = parseRows("c.ts\tnarrowed to 4xx\na.yaml\tsound\n");
const list = withResults("", results, before, "2026-11-27");

test("a review writes a line for each result, sorted by path", () => {
  expect(list).toBe(
    `a.yaml\t${before.get("a.yaml")}\t2026-11-27\tsound\nc.ts\t${before.get("c.ts")}\t2026-11-27\tnarrowed to 4xx\n`,
  );
});

test("a file that nobody reviewed, or that changed since its review, is listed until its review", () => {
  expect(unreviewed(list, before)).toEqual(["b.yaml"]);
  const now = new Map(before).set("c.ts", digestOfText("another text"));
  expect(reviewsParagraph(list, now)).toBe("2 of 3 files with checks have no review or changed since: b.yaml, c.ts.");
  const later = withResults(list, parseRows("b.yaml\tsound\nc.ts\tsound\n"), now, "2026-12-01");
  expect(reviewsParagraph(later, now)).toBe("All 3 files with checks were reviewed as they are now.");
});

test("a file that no longer exists leaves the list", () => {
  expect(withResults(list, new Map(), new Map([["c.ts", "0"]]), "2026-12-01")).toMatch(/^c\.ts\t.*\n$/);
});

test("scenarios and the checks of the suite are reviewed", () => {
  const files = [...digestsNow().keys()];
  const deciding = ["legal-choices", "unspecified-expectations", "target/key-proofs", "target/networks-proof"].map(
    (name) => `src/suite/${name}.ts`,
  );
  for (const file of ["scenarios/2-fields/job.yaml", "src/suite/laws/lists/order.ts", "src/suite/rate-rules.ts", ...deciding])
    expect(files).toContain(file);
  expect(files.filter((file) => file.includes("cleanup"))).toEqual([]);
});
