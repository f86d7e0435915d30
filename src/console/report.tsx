import { here, selected, tab } from "./model.js";
import { Badge, Prose, Section } from "./parts.jsx";
import { usePolled } from "./polled.js";

/** What the client under test did and never met, as the mock tells it. */
interface ClientReport {
  verdict: "polite" | "remarks";
  requests: number;
  remarks: {
    id: string;
    severity: "forbidden" | "discouraged";
    clauses: string[];
    says: string;
    count: number;
    examples: { entry: number | null; request: string; why: string }[];
  }[];
  met: { surfaces: string[] } & Record<"error_codes" | "transitions" | "second_pages", { met: string[]; unmet: string[] }>;
}

const coverages = [
  ["error_codes", "Error codes"],
  ["transitions", "Transitions"],
  ["second_pages", "Second pages"],
] as const;

/** The report card of whoever called this world. */
export function Report() {
  const { value, problem } = usePolled<ClientReport>(here("/client-report"));
  if (!value) return <p class="dim">{problem ?? "Reading …"}</p>;
  return (
    <div class="columns">
      <Section title="Remarks" aside={<Badge tone={value.verdict === "polite" ? "good" : "bad"}>{value.verdict}</Badge>}>
        <p class="dim">{value.requests} requests were looked at.</p>
        {value.remarks.map((remark) => (
          <Remark key={remark.id} remark={remark} />
        ))}
      </Section>
      <Section title="What it met">
        <p>Surfaces: {value.met.surfaces.join(", ") || "none"}</p>
        {coverages.map(([name, title]) => {
          const { met, unmet } = value.met[name];
          return (
            <details key={name}>
              <summary>
                {title}: {met.length} of {met.length + unmet.length}
              </summary>
              <p>
                {met.map((one) => (
                  <Badge key={one} tone="good">
                    {one}
                  </Badge>
                ))}
                {unmet.map((one) => (
                  <Badge key={one} tone="plain">
                    {one}
                  </Badge>
                ))}
              </p>
            </details>
          );
        })}
      </Section>
    </div>
  );
}

function Remark({ remark }: { remark: ClientReport["remarks"][number] }) {
  const show = (entry: number) => {
    selected.value = entry;
    tab.value = "traffic";
  };
  return (
    <article class="remark">
      <h3>
        <Badge tone={remark.severity === "forbidden" ? "bad" : "warm"}>{remark.severity}</Badge> <Prose text={remark.says} /> (
        {remark.count}×)
      </h3>
      <p class="dim">
        <code>{remark.id}</code> {remark.clauses.join(", ")}
      </p>
      <ul class="plain">
        {remark.examples.map(({ entry, request, why }) => (
          <li key={`${entry} ${request}`}>
            {entry !== null && (
              <button type="button" onClick={() => show(entry)}>
                Call {entry}
              </button>
            )}{" "}
            <code>{request}</code> {why}
          </li>
        ))}
      </ul>
    </article>
  );
}
