import { expect, test } from "vitest";
import { describeUnseen, isContrastSeen } from "../../../src/engine/execute/write-effects.js";

test.each<[contrast: string, served: string[], seen: boolean]>([
  ["GET /a", ["GET /a"], true],
  ["GET /a", ["GET /b"], false],
  ["effect of POST /a", [], true],
  ["effect of POST /a", ["no effect of POST /a"], false],
  ["effect of POST /a", ["no effect of POST /a", "effect of POST /a"], true],
])("%s with %j in the run: seen %s", (contrast, names, isSeen) => {
  expect(isContrastSeen(contrast, new Set(names))).toBe(isSeen);
});

test.each([
  ["POST /a", "no request for POST /a succeeded in this run, so the server may refuse every such request"],
  ["effect of POST /a", "no answer changed after POST /a in this run, so the expected state may have been there before"],
])("the reason without %s is %s", (contrast, text) => {
  expect(describeUnseen(contrast)).toBe(text);
});
