import { useId, useState } from "preact/hooks";
import type { Outcome } from "./ask.js";
import { Json } from "./parts.jsx";

/** Properties of a form that sends one of some example bodies. */
interface ComposerProps {
  /** Bodies that the mock accepts, by their titles. */
  examples: Record<string, unknown>;
  action: string;
  send(body: unknown): Promise<Outcome<unknown>>;
}

/** Renders a form that sends an example body, as it is or edited. */
export function Composer({ examples, action, send }: ComposerProps) {
  const names = Object.keys(examples);
  const [chosen, setChosen] = useState<string | null>(null);
  const name = chosen !== null && names.includes(chosen) ? chosen : (names[0] ?? "");
  // new examples replace the text unless the user edited it
  const [written, setWritten] = useState<string | null>(null);
  const text = written ?? JSON.stringify(examples[name] ?? {}, null, 2);
  const [outcome, setOutcome] = useState<Outcome<unknown> | null>(null);
  const id = useId();
  const choose = (wanted: string) => {
    setChosen(wanted);
    setWritten(null);
    setOutcome(null);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const body = parse(text);
    setOutcome("problem" in body ? body : await send(body.value));
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
    </form>
  );
}

function parse(text: string): Outcome<unknown> {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : ""}`, status: 0 };
  }
}
