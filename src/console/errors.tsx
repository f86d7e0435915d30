import { useState } from "preact/hooks";
import { quoteForShell } from "../common/escape/shell.js";
import type { CatalogueRow } from "../contract/error-catalogue.js";
import { CopyButton, Prose, Section } from "./parts.jsx";
import { usePolled } from "./polled.js";
import { Status } from "./status.jsx";

/** Renders every error of the service with its recipe, to copy. */
export function Errors() {
  const { value } = usePolled<{ errors: CatalogueRow[] }>("/errors", true);
  const [words, setWords] = useState("");
  const rows = (value?.errors ?? []).filter(({ code, status, type, description }) =>
    `${status} ${code} ${type} ${description}`.includes(words),
  );
  return (
    <>
      <search class="toolbar">
        <label for="errors-filter">Find</label>
        <input id="errors-filter" type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        <span class="count">{rows.length} errors</span>
      </search>
      <div class="cards">
        {rows.map((row) => (
          <ErrorCard key={row.code} row={row} />
        ))}
      </div>
    </>
  );
}

function ErrorCard({ row: { code, status, description, recipe, prefer, unreachable, clause } }: { row: CatalogueRow }) {
  const line = `curl -i -H "Authorization: Bearer $COUNTERPART_KEY" -H ${quoteForShell(`Prefer: ${prefer}`)} ${location.origin}/api/jobs`;
  return (
    <Section title={code} aside={<Status status={status} />}>
      <p>
        <Prose text={description} /> <code class="dim">{clause}</code>
      </p>
      {recipe && <pre>{recipe.join("\n")}</pre>}
      {unreachable && <p class="dim">{unreachable}</p>}
      <div class="actions">
        <CopyButton label="Copy Prefer" text={`Prefer: ${prefer}`} />
        <CopyButton label="Copy curl" text={line} />
        {recipe && <CopyButton label="Copy reproduce" text={`npx counterpart-kit reproduce ${code} ${location.origin}`} />}
      </div>
    </Section>
  );
}
