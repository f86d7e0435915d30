import type { Fault } from "../mock/faults/faults.js";
import { Composer } from "./composer.jsx";
import { listBodies, readBodySchema } from "./examples.js";
import { buildWorldPath, initialFault, sendChange } from "./model.js";
import { Badge, Section } from "./parts.jsx";
import { usePolled } from "./polled.js";

/** Renders the armed faults and a form for a new one. */
export function Faults() {
  const { value } = usePolled<{ faults: Fault[] }>(buildWorldPath("/faults"));
  const { value: document } = usePolled<object>("/openapi.json", true);
  const wanted = initialFault.value;
  const examples = {
    ...(wanted && { "at the route of the call": wanted }),
    ...listBodies(document, "/__mock/worlds/{id}/faults"),
  };
  const remove = (id: string) =>
    sendChange(`DELETE ${buildWorldPath(`/faults/${encodeURIComponent(id)}`)}`, undefined, () => `${id} is removed.`);
  const arm = (body: unknown) =>
    sendChange<Fault>(`POST ${buildWorldPath("/faults")}`, body, ({ id, on }) => `${id} is armed on ${on}.`);
  const faults = value?.faults ?? [];
  return (
    <div class="columns">
      <Section
        title="Armed faults"
        aside={
          faults.length > 1 && (
            <button
              type="button"
              onClick={() => sendChange(`DELETE ${buildWorldPath("/faults")}`, undefined, () => "All faults are removed.")}
            >
              Remove all
            </button>
          )
        }
      >
        <ul class="plain lines">
          {faults.map(({ id, on, seen: calls, hits, ...what }) => (
            <li key={id}>
              <Badge tone={hits > 0 ? "warm" : "plain"}>
                {hits} of {calls}
              </Badge>{" "}
              <code>{id}</code> on <code>{on}</code> <code class="dim">{JSON.stringify(what)}</code>{" "}
              <button type="button" aria-label={`Remove ${id}`} onClick={() => remove(id)}>
                Remove
              </button>
            </li>
          ))}
        </ul>
        {faults.length === 0 && <p class="dim">No fault is armed.</p>}
      </Section>
      <Section title="Arm a fault">
        <Composer
          key={wanted ? JSON.stringify(wanted) : ""}
          examples={examples}
          schema={readBodySchema(document, "/__mock/worlds/{id}/faults")}
          request={{ path: `/__mock${buildWorldPath("/faults")}`, call: (body) => `world.fault(${body})` }}
          action="Arm"
          send={arm}
        />
      </Section>
    </div>
  );
}
