import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compareDocuments } from "../../../src/contract/diff/documents.js";
import type { Json } from "../../../src/contract/diff/shape.js";
import { publishOpenApi } from "../../../src/contract/publish.js";
import { routes } from "../../../src/contract/routes.js";
import { type Node, rows } from "./changes.js";
import { harmless } from "./harmless-changes.js";
import { limitRows } from "./limit-changes.js";

const changes = [...rows, ...limitRows];

/** Compares the changed published document. */
function differences(change: (document: Node) => void) {
  const document = structuredClone(publishOpenApi()) as Node;
  change(document);
  return compareDocuments(document as Json);
}

const lines = (change: (document: Node) => void) => differences(change).map(({ at, message }) => `${at}: ${message}`);

describe("a published document", () => {
  test.each(harmless)("may have %s", (_, change) => expect(lines(change)).toEqual([]));

  test.each(changes)("with $what: $impact", ({ change, line, impact }) => {
    const difference = differences(change).find(({ at, message }) => `${at}: ${message}` === line);
    expect(difference?.impact).toBe(impact);
  });

  test.each(changes.filter(({ oasdiff }) => oasdiff))(
    "is judged like oasdiff by $oasdiff ($what)",
    ({ oasdiff, impact, because }) => {
      const agreed = oasdiff?.startsWith("info") ? "absent" : "breaks-callers";
      expect(impact === agreed).toBe(because === undefined);
    },
  );

  test("differs from oasdiff only for reasons that the guide lists", () => {
    const guide = readFileSync(new URL("../../../src/guide/generated-clients.md", import.meta.url), "utf8");
    const reasons = changes.flatMap(({ because }) => because ?? []);
    expect(reasons.filter((reason) => !guide.includes(`| ${reason} |`))).toEqual([]);
    expect(guide).toContain(`in ${changes.length} ways`);
  });

  test.each(Object.keys(routes))("is reported when it lacks %s", (name) => {
    const [method, path] = name.split(" ") as [string, string];
    const withoutComments = (text: string) => text.replaceAll(/\{\w+\}/g, "{}");
    const lost = lines((document) => {
      const published = Object.keys(document.paths).find((one) => withoutComments(one) === withoutComments(path))!;
      delete document.paths[published][method.toLowerCase()];
    });
    expect(lost).toEqual([`${name}: is gone`]);
  });

  test("that lists no response of an operation lacks its success, and no refusal", () => {
    const found = lines((document) => {
      document.paths["/api/jobs/{job_id}/cancel"].post.responses = {};
    });
    expect(found).toEqual(["POST /api/jobs/{job_id}/cancel 200: no success is listed"]);
  });

  test("without operations lacks every operation", () => {
    expect(compareDocuments({ openapi: "3.1.0", paths: {} })).toHaveLength(Object.keys(routes).length);
  });
});
