import { Composer } from "./composer.jsx";
import { listBodies, readBodySchema } from "./examples.js";
import { dropCallsAfter, selectWorld, sendChange, type WorldView, world, worldId } from "./model.js";
import { ConfirmButton, Json, Section } from "./parts.jsx";
import { usePolled } from "./polled.js";

/** Renders the worlds: select, reset, delete, create. */
export function Worlds() {
  const { value } = usePolled<{ worlds: string[] }>("/worlds");
  const { value: document } = usePolled<object>("/openapi.json", true);
  const found = async (body: unknown) => {
    const outcome = await sendChange<WorldView>("POST /worlds", body, ({ id }) => `The world ${id} is created.`);
    if ("value" in outcome) selectWorld(outcome.value.id);
    return outcome;
  };
  return (
    <div class="columns">
      <Section title="Worlds">
        <ul class="plain lines">
          {value?.worlds.slice(0, 200).map((id) => (
            <li key={id}>
              <WorldLine id={id} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Create a world">
        <Composer
          examples={listBodies(document, "/__mock/worlds")}
          schema={readBodySchema(document, "/__mock/worlds")}
          request={{ path: "/__mock/worlds", call: (body) => `const world = await mock.world(${body})` }}
          action="Create"
          send={found}
        />
      </Section>
      <Section title="This world">
        <Json value={world.value} />
      </Section>
    </div>
  );
}

function WorldLine({ id }: { id: string }) {
  const path = `/worlds/${encodeURIComponent(id)}`;
  const isHere = id === worldId.value;
  const reset = async () => {
    const outcome = await sendChange(`POST ${path}/reset`, undefined, () => `The world ${id} is reset.`);
    if ("value" in outcome && isHere) dropCallsAfter(0);
  };
  const remove = async () => {
    const outcome = await sendChange(`DELETE ${path}`, undefined, () => `The world ${id} is deleted.`);
    if ("value" in outcome && isHere) selectWorld("default");
  };
  return (
    <>
      <button type="button" aria-pressed={isHere} onClick={() => selectWorld(id)}>
        {id}
      </button>
      <span class="actions">
        <ConfirmButton label="Reset" onConfirm={reset} />
        {id !== "default" && <ConfirmButton label="Delete" onConfirm={remove} />}
      </span>
    </>
  );
}
