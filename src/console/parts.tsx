import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { notice } from "./model.js";

/** A button that puts a text on the clipboard. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <button type="button" onClick={() => copy(text, label)}>
      {label}
    </button>
  );
}

/** Puts a text on the clipboard; where the page may not, shows it to be taken by hand. */
export async function copy(text: string, label: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notice.value = { text: `${label}: done, it is on the clipboard.`, wrong: false };
  } catch {
    notice.value = { text, wrong: false };
  }
}

/** A value as JSON, indented. Text only, whatever is in it. */
export function Json({ value }: { value: unknown }) {
  return <pre>{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>;
}

/** How full something is. */
export function Gauge({ name, used, size, before }: { name: string; used: number; size: number; before?: number }) {
  const moved = before !== undefined && before !== used ? `${before} → ` : "";
  const figures = `${moved}${used} / ${size}`;
  return (
    <div class="gauge">
      <span class="gauge-name">{name}</span>
      <meter
        min={0}
        max={Math.max(1, size)}
        low={size * 0.7}
        high={size * 0.99}
        optimum={0}
        value={used}
        aria-label={`${name}: ${figures}`}
      />
      <span class="gauge-figures">{figures}</span>
    </div>
  );
}

/** A sentence of the contract, in which code stands between backticks. */
export function Prose({ text }: { text: string }) {
  return <>{text.split("`").map((part, i) => (i % 2 === 1 ? <code key={part}>{part}</code> : part))}</>;
}

/** The state of something, by a word and a colour. */
export function Badge({ tone, children }: { tone: "good" | "bad" | "warm" | "plain"; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A titled part of a page. */
export function Section({ title, children, aside }: { title: string; children: ComponentChildren; aside?: ComponentChildren }) {
  return (
    <section aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** A button that asks once more before it does what cannot be taken back. */
export function SureButton({ label, onSure }: { label: string; onSure: () => void }) {
  const [asks, setAsks] = useState(false);
  return (
    <button
      type="button"
      class={asks ? "danger" : ""}
      onBlur={() => setAsks(false)}
      onClick={() => (asks ? onSure() : setAsks(true))}
    >
      {asks ? `Really ${label.toLowerCase()}?` : label}
    </button>
  );
}

/** Hours, minutes and seconds of a time; with the day where it matters. */
export function timeOf(at: string, withDay = false): string {
  return withDay ? `${at.slice(0, 10)} ${at.slice(11, 19)}` : at.slice(11, 19);
}
