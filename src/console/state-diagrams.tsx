import type { WorldState } from "../mock/control/state.js";
import { buildWorldPath } from "./model.js";
import { Badge, findTone, Section } from "./parts.jsx";
import { usePolled } from "./polled.js";
import type { ClientReport } from "./report.jsx";

/** A transition of the contract, and whether the client caused it or saw it. */
interface Transition {
  kind: string;
  from: string;
  to: string;
  event: string;
  isSeen: boolean;
}

/** Renders the state machines of jobs and observations, with the number of rows in each state and what this client has seen. */
export function StateDiagrams({ state }: { state: WorldState }) {
  const { value } = usePolled<ClientReport>(buildWorldPath("/client-report"));
  const { covered = [], uncovered = [] } = value?.coverage.transitions ?? {};
  const transitions = [
    ...covered.map((text) => parseTransition(text, true)),
    ...uncovered.map((text) => parseTransition(text, false)),
  ];
  return (
    <div class="stack">
      {(["job", "observation"] as const).map((kind) => (
        <StateDiagram
          key={kind}
          kind={kind}
          counts={kind === "job" ? state.jobs : state.observations}
          transitions={transitions.filter((transition) => transition.kind === kind)}
        />
      ))}
    </div>
  );
}

/** Parses a transition of a client report: `job: pending -> running (dispatch)`. */
function parseTransition(text: string, isSeen: boolean): Transition {
  const [, kind = "", from = "", to = "", event = ""] = /^(\w+): (\S+) -> (\S+) \((.+)\)$/.exec(text) ?? [];
  return { kind, from, to, event, isSeen };
}

const nodeWidth = 104;
const gap = 30;
const middle = 98;

interface DiagramProps {
  kind: string;
  counts: Record<string, number>;
  transitions: readonly Transition[];
}

function StateDiagram({ kind, counts, transitions }: DiagramProps) {
  const states = Object.keys(counts);
  const seen = transitions.filter(({ isSeen }) => isSeen).length;
  const pairs = new Map(transitions.map((transition) => [`${transition.from} ${transition.to}`, transition]));
  for (const transition of transitions) if (transition.isSeen) pairs.set(`${transition.from} ${transition.to}`, transition);
  const isReturning = transitions.some(({ from, to }) => states.indexOf(to) < states.indexOf(from));
  const height = middle + (isReturning ? 64 : 24);
  const width = states.length * (nodeWidth + gap) - gap + 2;
  return (
    <Section title={`States of ${kind === "job" ? "a job" : "an observation"}`}>
      <svg
        class="machine"
        width={width}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={states.map((name) => `${name}: ${counts[name]}`).join(", ")}
      >
        {[...pairs.values()].map((transition) => (
          <Arrow key={`${transition.from} ${transition.to}`} transition={transition} states={states} />
        ))}
        {states.map((name, i) => (
          <g key={name} class={`node ${findTone(name)}`}>
            <rect x={1 + i * (nodeWidth + gap)} y={middle - 20} width={nodeWidth} height={40} rx={8} />
            <text x={1 + i * (nodeWidth + gap) + nodeWidth / 2} y={middle - 3}>
              {name}
            </text>
            <text class="number" x={1 + i * (nodeWidth + gap) + nodeWidth / 2} y={middle + 13}>
              {counts[name]}
            </text>
          </g>
        ))}
      </svg>
      <p class="dim">
        This client has seen {seen} of {transitions.length} transitions.
      </p>
      <ul class="plain lines">
        {transitions.map(({ from, to, event, isSeen }) => (
          <li key={`${from} ${to} ${event}`}>
            <Badge tone={isSeen ? "good" : "plain"}>{isSeen ? "seen" : "not seen"}</Badge> {from} → {to} <code>{event}</code>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Draws a transition: forwards above the states, backwards below them, and a loop above its state. */
function Arrow({ transition: { from, to, isSeen }, states }: { transition: Transition; states: readonly string[] }) {
  const [start, end] = [states.indexOf(from), states.indexOf(to)];
  if (start < 0 || end < 0) return null;
  const center = (i: number) => 1 + i * (nodeWidth + gap) + nodeWidth / 2;
  const side = end >= start ? -1 : 1;
  const edge = middle + side * 20;
  const shift = start === end ? 18 : end > start ? 14 : -14;
  const [x1, x2] = start === end ? [center(start) - shift, center(start) + shift] : [center(start) + shift, center(end) - shift];
  const height = start === end ? 34 : 26 + Math.abs(end - start) * 14;
  const path = `M ${x1} ${edge} C ${x1} ${edge + side * height}, ${x2} ${edge + side * height}, ${x2} ${edge + side * 3}`;
  const head = `M ${x2 - 4} ${edge + side * 8} L ${x2} ${edge + side} L ${x2 + 4} ${edge + side * 8}`;
  return <path class={isSeen ? "arrow seen" : "arrow"} d={`${path} ${head}`} />;
}
