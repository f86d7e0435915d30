import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { notice } from "./model.js";

/** Renders a button that copies a text. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <button type="button" onClick={() => copy(text, label)}>
      {label}
    </button>
  );
}

/** Copies a text to the clipboard. If the browser refuses, shows the text in a dialog. */
export async function copy(text: string, label: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notice.value = { text: `${label}: done, it is on the clipboard.`, wrong: false };
  } catch {
    notice.value = { text, wrong: false };
  }
}

/** Renders a value as indented JSON, as text only. */
export function Json({ value }: { value: unknown }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls, and the keyboard must reach it
  return <pre tabIndex={0}>{text}</pre>;
}

/** Renders a gauge of a used share. */
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

/** Renders a sentence of the contract, with code between backticks. */
export function Prose({ text }: { text: string }) {
  return <>{text.split("`").map((part, i) => (i % 2 === 1 ? <code key={part}>{part}</code> : part))}</>;
}

/** Renders a state as a word and a colour. */
export function Badge({ tone, children }: { tone: "good" | "bad" | "warm" | "plain"; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Renders a titled part of a page. */
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

/** Renders a button that asks for confirmation before an action that cannot be undone. */
export function ConfirmButton({ label, onConfirm }: { label: string; onConfirm: () => void }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <button
      type="button"
      class={isAsking ? "danger" : ""}
      onBlur={() => setAsking(false)}
      onClick={() => (isAsking ? onConfirm() : setAsking(true))}
    >
      {isAsking ? `Confirm: ${label.toLowerCase()}` : label}
    </button>
  );
}

/** Returns hours, minutes and seconds of a time, with the day if it is not today. */
export function formatTime(at: string, withDay = false): string {
  return withDay ? `${at.slice(0, 10)} ${at.slice(11, 19)}` : at.slice(11, 19);
}

/** Returns the colour of a status of a job or an observation. */
export function findTone(status: string): "good" | "bad" | "warm" | "plain" {
  if (/^(completed|resolved|closed|fixed)$/.test(status)) return "good";
  if (/^(failed|cancelled)$/.test(status)) return "bad";
  return /^(running|pending|in_progress|new)$/.test(status) ? "warm" : "plain";
}
