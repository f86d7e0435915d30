import { useId, useState } from "preact/hooks";
import { hasStoredToken, type Outcome } from "./ask.js";
import { buildCodeLines, type ControlRequest } from "./code-lines.js";
import { CopyButton, Json } from "./parts.jsx";
import { type BodySchema, SchemaFields } from "./schema-fields.jsx";

/** Properties of a form that sends a body to the control plane. */
interface ComposerProps {
  /** Bodies that the mock accepts, by their titles. The form begins with one of them. */
  examples: Record<string, unknown>;
  schema: BodySchema;
  request: Omit<ControlRequest, "hasToken">;
  action: string;
  send(body: unknown): Promise<Outcome<unknown>>;
}

/** Renders a form with a field for each property of the body, the body as JSON, and code that sends it. */
export function Composer({ examples, schema, request, action, send }: ComposerProps) {
  const names = Object.keys(examples);
  const [chosen, setChosen] = useState<string | null>(null);
  const name = chosen !== null && names.includes(chosen) ? chosen : (names[0] ?? "");
  // new examples replace the text unless the user edited it
  const [written, setWritten] = useState<string | null>(null);
  const text = written ?? JSON.stringify(examples[name] ?? {}, null, 2);
  const parsed = parse(text);
  const [outcome, setOutcome] = useState<Outcome<unknown> | null>(null);
  const id = useId();
  const choose = (wanted: string) => {
    setChosen(wanted);
    setWritten(null);
    setOutcome(null);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    setOutcome("problem" in parsed ? parsed : await send(parsed.value));
  };
  return (
    <form class="composer" onSubmit={submit}>
      <label for={`${id}example`}>Example</label>
      <select id={`${id}example`} value={name} onChange={(event) => choose(event.currentTarget.value)}>
        {names.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      {"value" in parsed && isObject(parsed.value) && (
        <SchemaFields id={id} schema={schema} body={parsed.value} change={(body) => setWritten(JSON.stringify(body, null, 2))} />
      )}
      <label for={`${id}body`}>Body, JSON</label>
      <textarea
        id={`${id}body`}
        spellcheck={false}
        rows={Math.min(14, Math.max(4, text.split("\n").length))}
        value={text}
        onInput={(event) => setWritten(event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        {action}
      </button>
      {outcome && ("problem" in outcome ? <p class="wrong">{outcome.problem}</p> : <Json value={outcome.value ?? "Done."} />)}
      {"value" in parsed && <CodeLines request={request} body={parsed.value} />}
    </form>
  );
}

function CodeLines({ request, body }: { request: Omit<ControlRequest, "hasToken">; body: unknown }) {
  return (
    <details class="code">
      <summary>The same from curl, TypeScript and Python</summary>
      {buildCodeLines(location.origin, { ...request, hasToken: hasStoredToken() }, body).map(([language, code]) => (
        <div key={language}>
          <pre>{code}</pre>
          <CopyButton label={`Copy ${language}`} text={code} />
        </div>
      ))}
    </details>
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): Outcome<unknown> {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : ""}`, status: 0 };
  }
}
