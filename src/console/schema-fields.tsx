/** The used parts of the JSON schema of a body. */
export interface BodySchema {
  required?: readonly string[];
  properties?: Record<string, FieldSchema>;
}

interface FieldSchema {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  examples?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  pattern?: string;
  description?: string;
}

interface SchemaFieldsProps {
  id: string;
  schema: BodySchema;
  body: Record<string, unknown>;
  change(body: Record<string, unknown>): void;
}

/** Renders a field for each property of a body that is a text, a number, a choice or yes and no. Others are edited as JSON. */
export function SchemaFields({ id, schema, body, change }: SchemaFieldsProps) {
  const set = (name: string, value: unknown) => {
    const { [name]: _, ...others } = body;
    change(value === undefined ? others : { ...body, [name]: value });
  };
  return (
    <div class="fields">
      {Object.entries(schema.properties ?? {}).map(([name, field]) => {
        const kind = findKind(field);
        if (kind === null) return null;
        return (
          <div key={name} title={field.description}>
            <label for={`${id}${name}`}>{name}</label>
            <Field
              id={`${id}${name}`}
              field={field}
              kind={kind}
              value={body[name]}
              isRequired={schema.required?.includes(name) ?? false}
              set={(value) => set(name, value)}
            />
          </div>
        );
      })}
    </div>
  );
}

type FieldKind = "choice" | "number" | "text";

function findKind({ type, enum: choices }: FieldSchema): FieldKind | null {
  if (choices || type === "boolean") return "choice";
  const types = [type].flat();
  if (types.includes("integer") || types.includes("number")) return "number";
  return types.includes("string") ? "text" : null;
}

interface FieldProps {
  id: string;
  field: FieldSchema;
  kind: FieldKind;
  value: unknown;
  isRequired: boolean;
  /** `undefined` leaves the field out. */
  set(value: unknown): void;
}

function Field({ id, field, kind, value, isRequired, set }: FieldProps) {
  if (kind === "choice") {
    const choices = field.enum ?? [true, false];
    return (
      <select
        id={id}
        required={isRequired}
        value={value === undefined ? "" : String(value)}
        onChange={({ currentTarget }) => set(choices.find((choice) => String(choice) === currentTarget.value))}
      >
        <option value="" />
        {choices.map((choice) => (
          <option key={String(choice)}>{String(choice)}</option>
        ))}
      </select>
    );
  }
  const isNumber = kind === "number";
  return (
    <>
      <input
        id={id}
        type={isNumber ? "number" : "text"}
        required={isRequired}
        min={field.minimum}
        max={field.maximum}
        step={isNumber && field.type === "number" ? "any" : undefined}
        pattern={field.pattern}
        list={field.examples ? `${id}examples` : undefined}
        value={typeof value === "object" || value === undefined ? "" : String(value)}
        onInput={({ currentTarget: { value: text } }) => set(text === "" ? undefined : isNumber ? Number(text) : text)}
      />
      {field.examples && (
        <datalist id={`${id}examples`}>
          {field.examples.map((example) => (
            <option key={String(example)} value={String(example)} />
          ))}
        </datalist>
      )}
    </>
  );
}
