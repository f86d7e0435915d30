import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { API, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/sync";
import { packageRoot } from "../../src/contract/load.js";

/** A schema, as JSON Schema writes it. */
type Schema = Record<string, unknown>;

type Checker = ReturnType<ReturnType<API["updateSnapshot"]>["getProjects"]>[number]["checker"];

/** A set of names with more values is any text: it would be most of the document. */
const maxNames = 100;

/** The schemas of the results of the control plane: by method and path, and the ones that several results share. */
export interface ControlSchemas {
  results: Record<string, Schema>;
  shared: Record<string, Schema>;
}

/** Returns the schemas of the types in `src/mock/control/results.ts`. Comments become descriptions. */
export function readControlSchemas(): ControlSchemas {
  const folder = join(packageRoot, "dist");
  const config = join(folder, "control-results.json");
  const file = join(packageRoot, "src/mock/control/results.ts");
  writeFileSync(config, JSON.stringify({ extends: "../tsconfig.json", include: [], files: [file] }));
  const api = new API({ cwd: packageRoot });
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    if (!project) throw new Error("the compiler found no project");
    const { checker, program } = project;
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    const table = module && checker.getMemberInModuleExports(module, "ControlResults");
    if (!table) throw new Error(`${file} exports no ControlResults`);
    const shared = new SharedSchemas(checker);
    const results = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(table)).map((member) => {
      const type = checker.getTypeOfSymbol(member)!;
      return [member.name, type.flags & TypeFlags.Undefined ? {} : shared.describe(type)] as const;
    });
    return { results: Object.fromEntries(results), shared: Object.fromEntries(shared.byName) };
  } finally {
    api.close();
  }
}

/** Writes types as schemas. Named types become shared schemas. */
class SharedSchemas {
  readonly byName = new Map<string, Schema>();
  private readonly types = new Map<string, number>();

  constructor(private readonly checker: Checker) {}

  describe(type: Type): Schema {
    const name = this.findName(type);
    if (name === undefined) return this.describeInline(type);
    const known = this.types.get(name);
    if (known !== undefined && known !== type.id)
      throw new Error(`Two types of the control plane have the name ${name}. Rename one.`);
    if (known === undefined) {
      this.types.set(name, type.id);
      this.byName.set(name, {});
      const symbol = type.getAliasSymbol() ?? type.getSymbol();
      const description = symbol && this.readComment(symbol);
      this.byName.set(name, { ...(description && { description }), ...this.describeInline(type) });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** A type without arguments that the sources name: an interface, or an alias of an object or of several texts. */
  private findName(type: Type): string | undefined {
    const alias = type.getAliasSymbol();
    if (alias) return type.getAliasTypeArguments().length > 0 || !(type.isUnionType() || isObject(type)) ? undefined : alias.name;
    return type.isClassOrInterface() && type.getTypeParameters().length === 0 ? type.getSymbol()?.name : undefined;
  }

  private describeInline(type: Type): Schema {
    const { flags } = type;
    if (flags & TypeFlags.AnyOrUnknown) return {};
    if (flags & TypeFlags.Never) return { not: {} };
    if (flags & TypeFlags.Boolean) return { type: "boolean" };
    if (type.isUnionType()) return this.describeUnion(type.getTypes());
    if (type.isLiteralType()) return { const: type.value };
    if (flags & TypeFlags.Null) return { type: "null" };
    if (flags & TypeFlags.String) return { type: "string" };
    if (flags & TypeFlags.Number) return { type: "number" };
    if (flags & TypeFlags.NonPrimitive) return { type: "object" };
    if (type.isTemplateLiteralType()) return { type: "string", pattern: `^${type.texts.join(".*")}$` };
    if (this.checker.isArrayLikeType(type) && type.isTypeReference())
      return { type: "array", items: this.describe(this.checker.getTypeArguments(type)[0]!) };
    if (isObject(type)) return this.describeObject(type);
    throw new Error(`A result of the control plane has a type that no schema describes: ${this.checker.typeToString(type)}.`);
  }

  private describeUnion(types: readonly Type[]): Schema {
    const given = types.filter(({ flags }) => !(flags & (TypeFlags.Undefined | TypeFlags.Void)));
    const literals = given.filter((type) => type.isLiteralType()).map(({ value }) => value);
    const others = given.filter((type) => !type.isLiteralType());
    const names = literals.every((value) => typeof value === "string");
    const schemas = others
      .sort((a, b) => (a.flags & TypeFlags.Null) - (b.flags & TypeFlags.Null))
      .map((type) => this.describe(type));
    if (literals.includes(true) && literals.includes(false)) schemas.unshift({ type: "boolean" });
    else if (literals.length === 1) schemas.unshift({ const: literals[0] });
    else if (literals.length > 0)
      schemas.unshift(
        names && literals.length > maxNames ? { type: "string" } : { ...(names && { type: "string" }), enum: literals },
      );
    if (schemas.length === 1) return schemas[0]!;
    const plain = schemas.every((schema) => Object.keys(schema).join() === "type");
    return plain ? { type: schemas.map((schema) => schema.type) } : { anyOf: schemas };
  }

  private describeObject(type: Type): Schema {
    const members = this.checker.getPropertiesOfType(type);
    const properties = members.map((member) => {
      const schema = this.describe(this.checker.getTypeOfSymbol(member)!);
      const description = this.readComment(member);
      return [member.name, description ? { ...schema, description } : schema] as const;
    });
    const required = members.filter(({ flags }) => !(flags & SymbolFlags.Optional)).map(({ name }) => name);
    const [index] = this.checker.getIndexInfosOfType(type);
    return {
      type: "object",
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
      ...(index && { additionalProperties: this.describe(index.valueType) }),
    };
  }

  private readComment(symbol: Parameters<Checker["getDocumentationCommentOfSymbol"]>[0]): string {
    return this.checker.getDocumentationCommentOfSymbol(symbol).replace(/\s+/g, " ").trim();
  }
}

function isObject(type: Type): boolean {
  return type.isObjectType() || type.isIntersectionType();
}
