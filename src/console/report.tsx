import { buildWorldPath, showCall } from "./model.js";
import { Badge, Prose, Section } from "./parts.jsx";
import { usePolled } from "./polled.js";

/** The client report of the control plane. */
export interface ClientReport {
  verdict: "clean" | "findings" | "inconclusive";
  requests: number;
  findings: {
    id: string;
    severity: "forbidden" | "discouraged";
    clauses: string[];
    message: string;
    count: number;
    examples: { entry: number | null; request: string; why: string }[];
  }[];
  coverage: { surfaces: string[] } & Record<
    "error_codes" | "transitions" | "second_pages",
    { covered: string[]; uncovered: string[] }
  >;
}

const coverageLists = [
  ["error_codes", "Error codes"],
  ["transitions", "Transitions"],
  ["second_pages", "Second pages"],
] as const;

const tonesByVerdict = { clean: "good", findings: "bad", inconclusive: "warm" } as const;

/** Renders the report about the client of this world. */
export function Report() {
  const { value, problem } = usePolled<ClientReport>(buildWorldPath("/client-report"));
  if (!value) return <p class="dim">{problem ?? "Loading …"}</p>;
  return (
    <div class="columns">
      <Section title="Findings" aside={<Badge tone={tonesByVerdict[value.verdict]}>{value.verdict}</Badge>}>
        <p class="dim">{value.requests} requests were judged.</p>
        {value.findings.map((finding) => (
          <Finding key={finding.id} finding={finding} />
        ))}
      </Section>
      <Section title="Coverage">
        <p>Surfaces: {value.coverage.surfaces.join(", ") || "none"}</p>
        {coverageLists.map(([name, title]) => {
          const { covered, uncovered } = value.coverage[name];
          return (
            <details key={name}>
              <summary>
                {title}: {covered.length} of {covered.length + uncovered.length}
              </summary>
              <p>
                {covered.map((one) => (
                  <Badge key={one} tone="good">
                    {one}
                  </Badge>
                ))}
                {uncovered.map((one) => (
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
  return (
    <article class="finding">
      <h3>
        <Badge tone={finding.severity === "forbidden" ? "bad" : "warm"}>{finding.severity}</Badge>{" "}
        <Prose text={finding.message} /> ({finding.count}×)
      </h3>
      <p class="dim">
        <code>{finding.id}</code> {finding.clauses.join(", ")}
      </p>
      <ul class="plain">
        {finding.examples.map(({ entry, request, why }) => (
          <li key={`${entry} ${request}`}>
            {entry !== null && (
              <button type="button" onClick={() => showCall(entry)}>
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
