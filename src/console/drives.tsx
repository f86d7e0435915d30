import { useRef, useState } from "preact/hooks";
import { formatJson } from "../common/escape/visible.js";
import type { DriveRow } from "../mock/control/drive.js";
import type { DriveResult } from "../mock/worlds/drive.js";
import { Composer } from "./composer.jsx";
import { readBodySchema } from "./examples.js";
import { buildWorldPath, sendChange } from "./model.js";
import { Section } from "./parts.jsx";
import { usePolled } from "./polled.js";

/** Renders a form for each event. */
export function Drives() {
  const { value } = usePolled<{ events: DriveRow[] }>(buildWorldPath("/drive"));
  const { value: document } = usePolled<object>("/openapi.json", true);
  const [chosen, setChosen] = useState<string | null>(null);
  const form = useRef<HTMLDivElement>(null);
  const choose = (event: string) => {
    setChosen(event);
    // on a narrow screen the form is below the list
    requestAnimationFrame(() => form.current?.scrollIntoView({ block: "nearest" }));
  };
  const events = value?.events ?? [];
  const row = events.find(({ event }) => event === chosen) ?? events[0];
  const drive = (body: unknown) =>
    sendChange<DriveResult>(`POST ${buildWorldPath(`/drive/${row?.event}`)}`, body, ({ events: changes }) => {
      const what = changes.map(({ kind, id, to }) => `${kind} ${id} ${to}`);
      return `${row?.event}: ${what.length === 0 ? "done" : what.slice(0, 4).join(", ")}.`;
    });
  return (
    <div class="columns two">
      <Section title="Events">
        <ul class="plain choices">
          {events.map(({ event, description }) => (
            <li key={event}>
              <button type="button" aria-pressed={event === row?.event} onClick={() => choose(event)}>
                <code>{event}</code> <span class="dim">{description}</span>
              </button>
            </li>
          ))}
        </ul>
      </Section>
      {row && (
        <div ref={form} class="chosen">
          <Section title={row.event}>
            <p>{row.description}</p>
            <Composer
              key={row.event}
              examples={row.examples}
              schema={readBodySchema(document, `/__mock/worlds/{id}/drive/${row.event}`)}
              request={{
                path: `/__mock${buildWorldPath(`/drive/${row.event}`)}`,
                call: (body) => `world.drive(${formatJson(row.event)}, ${body})`,
              }}
              action="Send event"
              send={drive}
            />
          </Section>
        </div>
      )}
    </div>
  );
}
