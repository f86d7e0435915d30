import type { HouseCase } from "../case.js";

/** Tests beside their source and elsewhere. */
export const mirror: HouseCase[] = [
  ["a test of a file (allowed)", { "src/mock/a.ts": "1;", "test/mock/a.test.ts": "1;" }],
  ["one of several tests of a file (allowed)", { "src/mock/a.ts": "1;", "test/mock/a/one.test.ts": "1;" }],
  ["a test of a folder (allowed)", { "src/mock/a/b.ts": "1;", "test/mock/a.test.ts": "1;" }],
  ["a helper of tests (allowed)", { "src/mock/a.ts": "1;", "test/mock/client.ts": "1;" }],
  ["a test of the whole project (allowed)", { "src/mock/a.ts": "1;", "test/meta/errors.test.ts": "1;" }],
  [
    "a test of no file",
    { "src/mock/a.ts": "1;", "test/mock/b.test.ts": "1;" },
    "test/mock/b.test.ts:1: src/mock/b does not exist: name the test after its source file, or move it to the folder of that name or to test/meta",
  ],
  [
    "a test in a folder of another name",
    { "src/mock/a/b.ts": "1;", "test/mock/a/c.test.ts": "1;" },
    "test/mock/a/c.test.ts:1: src/mock/a/c does not exist: name the test after its source file, or move it to the folder of that name or to test/meta",
  ],
  [
    "a loose test",
    { "src/mock/a.ts": "1;", "test/b.test.ts": "1;" },
    "test/b.test.ts:1: src/b does not exist: name the test after its source file, or move it to the folder of that name or to test/meta",
  ],
];
