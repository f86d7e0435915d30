import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { toOpenApi30 } from "../../src/contract/openapi-3.0.js";
import { publishOpenApi } from "../../src/contract/publish.js";

type Json = Record<string, unknown>;

describe("the document in OpenAPI 3.0", () => {
  const document = toOpenApi30(publishOpenApi()) as Json;

  test("is valid", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe("3.0");
  });

  test("loses nothing: with its marks it becomes the document in OpenAPI 3.1 again", () => {
    expect(restore(document)).toEqual({ ...publishOpenApi(), openapi: "3.0.4" });
  });

  test("is the same whether null is in a type or not, and marks what 3.0 cannot express", () => {
    const schemas = {
      A: { type: ["string", "null"], exclusiveMinimum: 0, examples: [1, 2] },
      B: { type: ["string", "integer"], const: "x", if: { type: "string" } },
      C: { properties: { type: { type: "integer" }, examples: { type: ["array", "null"], items: {} } } },
    };
    expect(toOpenApi30({ openapi: "3.1.0", components: { schemas } })).toEqual({
      openapi: "3.0.4",
      components: {
        schemas: {
          A: {
            ...{ type: "string", nullable: true, minimum: 0, exclusiveMinimum: true, example: 1 },
            "x-openapi-3.1": { examples: [1, 2] },
          },
          B: { enum: ["x"], "x-openapi-3.1": { if: { type: "string" }, type: ["string", "integer"] } },
          C: {
            properties: { type: { type: "integer" }, examples: { type: "array", nullable: true, items: {} } },
          },
        },
      },
    });
  });
});

/** Returns the document in OpenAPI 3.1 from the one in 3.0 and its marks. */
function restore(node: unknown, isSchema = false): unknown {
  if (Array.isArray(node)) return node.map((item) => restore(item, isSchema));
  if (typeof node !== "object" || node === null) return node;
  const { "x-openapi-3.1": lost = {}, nullable, exclusiveMinimum, minimum, example, ...others } = node as Json;
  const parts = Object.entries(others).map(([key, value]) => [key, restoreField(key, value, isSchema)]);
  return {
    ...Object.fromEntries(parts),
    ...(nullable === true && { type: [others.type, "null"] }),
    ...(minimum !== undefined && (exclusiveMinimum === true ? { exclusiveMinimum: minimum } : { minimum })),
    ...(example !== undefined && (isSchema ? { examples: [example] } : { example })),
    ...(lost as Json),
  };
}

function restoreField(key: string, value: unknown, isSchema: boolean): unknown {
  if (["default", "enum", "examples", "value"].includes(key)) return value;
  if (["properties", "schemas"].includes(key))
    return Object.fromEntries(Object.entries(value as Json).map(([name, schema]) => [name, restore(schema, true)]));
  return restore(value, isSchema || key === "schema" || key === "items");
}
