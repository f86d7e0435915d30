import { expect, it } from "vitest";
import { readShownText, showRow } from "../../../src/service/world/lookups.js";

const show = ({ id, name }: { id: string; name: string | null }) => ({ id, label: name });

it("shows a row with the same object until a field changes", () => {
  const row = { id: "r1", name: "a" };
  const first = showRow(row, show);
  expect(first).toEqual({ id: "r1", label: "a" });
  expect(showRow(row, show)).toBe(first);
  row.name = "b";
  expect(showRow(row, show)).toEqual({ id: "r1", label: "b" });
  expect(first).toEqual({ id: "r1", label: "a" });
});

it("writes the JSON of a shown row and of no other object", () => {
  const row = { id: "r2", name: null };
  const shownRow = showRow(row, show);
  expect(readShownText(shownRow)).toBe('{"id":"r2","label":null}');
  expect(readShownText({ ...shownRow })).toBeUndefined();
  expect(readShownText("r2")).toBeUndefined();
});
