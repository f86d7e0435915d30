import { here, selected, tab } from "./model.js";
import { Badge, Prose, Section } from "./parts.jsx";
import { usePolled } from "./polled.js";

/** What the client under test did and never met, as the mock tells it. */
interface ClientReport {
  verdict: "clean" | "findings" | "inconclusive";
  requests: number;
  findings: {
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

const tones = { clean: "good", findings: "bad", inconclusive: "warm" } as const;

/** Shows the report of the client that called this world. */
export function Report() {
  const { value, problem } = usePolled<ClientReport>(here("/client-report"));
  if (!value) return <p class="dim">{problem ?? "Reading …"}</p>;
  return (
    <div class="columns">
      <Section title="Findings" aside={<Badge tone={tones[value.verdict]}>{value.verdict}</Badge>}>
        <p class="dim">{value.requests} requests were looked at.</p>
        {value.findings.map((finding) => (
          <Finding key={finding.id} finding={finding} />
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

function Finding({ finding }: { finding: ClientReport["findings"][number] }) {
  const show = (entry: number) => {
    selected.value = entry;
    tab.value = "traffic";
  };
  return (
    <article class="finding">
      <h3>
        <Badge tone={finding.severity === "forbidden" ? "bad" : "warm"}>{finding.severity}</Badge> <Prose text={finding.says} /> (
        {finding.count}×)
      </h3>
      <p class="dim">
        <code>{finding.id}</code> {finding.clauses.join(", ")}
      </p>
      <ul class="plain">
        {finding.examples.map(({ entry, request, why }) => (
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
