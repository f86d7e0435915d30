import type { Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import type { Alternative, BindingProof, StatedNames } from "../../engine/target/rules.js";
import {
  createCancelledJob,
  createListedFinding,
  REGISTRATION,
  SPARE,
  SPARE_TRIPLE,
  startedJob,
} from "../statements/setup-steps.js";
import type { ToolPurpose } from "../statements/tools.js";
import { toolNames } from "./tool-names.js";

const REPO = { owner: "{repo.owner}", repo: "{repo.name}", branch: "{repo.branch}" };
const ACCEPTED_RESULT = { content: { type: "string" } } as const;
const step: Step = { rest: "POST /api/repos", json: REGISTRATION, given: { status: "2xx" } };
const findingAtFileSteps: readonly Step[] = [
  step,
  {
    drive: "find",
    with: {
      repo: SPARE,
      observation: {
        ...{ kind: "finding", priority: "P1", title: "Examined {unique}" },
        locations: [{ file_path: "src/examined.ts", symbol: "run", line_start: 3, line_end: 9 }],
      },
    },
    save: { ref: "/result/ref" },
  },
];
const namesFinding = { content: { matches: "{ref}(?![0-9])" } };
const createCallStep = (tool: ToolPurpose, args: Record<string, unknown> = {}): Step => ({ mcp: { tool, arguments: args } });
const overviewStep = createCallStep("repository_overview", REPO);
const observation: Step = { rest: "GET /api/observations/{ref}" };
const retriedStep: Step = { rest: "POST /api/jobs/{job}/retry" };
const createFixJobs = (length: number): Step => ({
  rest: `GET /api/repos/${SPARE}/jobs?workflow=fix`,
  expect: { status: 200, json: { data: { length } } },
});
const createTicketSteps = (slug: string, expect: Step["expect"] & object): Step[] => [
  createListedFinding(slug),
  { ...createCallStep("create_ticket", { ref: "{ref}" }), expect },
];

/** Returns the steps by which the tool that clears a text shows itself: the text disappears from the overview, and the other text stays. */
function createClearingSteps(purpose: "guidance" | "context"): readonly Step[] {
  const [cleared, kept] = purpose === "guidance" ? ["Guidance", "Context"] : ["Context", "Guidance"];
  return [
    { ...createCallStep("set_guidance", { guidance: "Guidance {unique}" }), given: ACCEPTED_RESULT },
    { ...createCallStep("set_workspace_context", { context: "Context {unique}" }), given: ACCEPTED_RESULT },
    { ...overviewStep, given: { content: { matches: `${cleared} {unique}` } } },
    { ...createCallStep(purpose === "guidance" ? "clear_guidance" : "clear_workspace_context"), expect: ACCEPTED_RESULT },
    { ...overviewStep, expect: { content: { not: { contains: `${cleared} {unique}` } } } },
    { ...overviewStep, expect: { content: { contains: `${kept} {unique}` } } },
  ];
}

/** The steps by which a tool shows its purpose. A tool that takes the same arguments for another purpose does not pass them. */
const signSteps: Readonly<Partial<Record<ToolPurpose, readonly Step[]>>> = {
  list_repositories: [
    startedJob,
    step,
    { ...createCallStep("list_repositories"), expect: { content: { contains: SPARE_TRIPLE.repo } } },
    { ...createCallStep("list_repositories"), expect: { content: { not: { contains: "{job}" } } } },
  ],
  list_jobs: [startedJob, { ...createCallStep("list_jobs"), expect: { content: { contains: "{job}" } } }],
  list_guides: [{ ...createCallStep("list_guides"), expect: { content: { contains: "{binding.guide}" } } }],
  clear_guidance: createClearingSteps("guidance"),
  clear_workspace_context: createClearingSteps("context"),
  list_fix_prs: [
    ...findingAtFileSteps,
    { rest: "POST /api/observations/{ref}/fix", json: {}, given: { status: "2xx" } },
    { drive: "open-fix-pr", with: { ref: "{ref}" } },
    { ...createCallStep("list_fix_prs", SPARE_TRIPLE), expect: namesFinding },
  ],
  register_repository: [
    { ...createCallStep("register_repository", SPARE_TRIPLE), expect: ACCEPTED_RESULT },
    { rest: `GET /api/repos/${SPARE}`, expect: { status: 200 } },
  ],
  recent_issues: [
    ...findingAtFileSteps,
    { ...createCallStep("recent_issues", { ...SPARE_TRIPLE, file_path: "src/examined.ts" }), expect: namesFinding },
  ],
  submit_fix: [
    ...findingAtFileSteps,
    createFixJobs(0),
    { ...createCallStep("submit_fix", { ref: "{ref}" }), expect: ACCEPTED_RESULT },
    createFixJobs(1),
  ],
  acknowledge_observation: [
    ...findingAtFileSteps,
    { ...observation, given: { status: 200, json: { acknowledged_at: null } } },
    { ...createCallStep("acknowledge_observation", { ref: "{ref}" }), expect: ACCEPTED_RESULT },
    { ...observation, expect: { status: 200, json: { status: "new", acknowledged_at: { type: "timestamp" } } } },
  ],
  complete_observation: [
    ...findingAtFileSteps,
    { ...createCallStep("complete_observation", { ref: "{ref}" }), expect: ACCEPTED_RESULT },
    { ...observation, expect: { status: 200, json: { status: "closed", close_reason: "completed" } } },
  ],
  create_ticket: [
    ...createTicketSteps("{binding.tickets.with}", ACCEPTED_RESULT),
    ...createTicketSteps("{binding.tickets.without}", { refused: true }),
  ],
  retry_job: [
    ...createCancelledJob(),
    { ...createCallStep("retry_job", { job_id: "{job}" }), expect: ACCEPTED_RESULT },
    { ...retriedStep, expect: { status: 200 } },
  ],
  job_status: [
    ...createCancelledJob(),
    { ...createCallStep("job_status", { job_id: "{job}" }), expect: { content: { contains: "{job}" } } },
    { ...retriedStep, expect: { status: 201 } },
  ],
};

/** States how a server shows that each tool is bound to its purpose. Only a tool that another purpose names can be the right one instead. */
export const toolProofs: Readonly<Record<string, BindingProof>> = Object.fromEntries(
  Object.entries(signSteps).map(([purpose, steps]): [string, BindingProof] => [
    `binding.tools.${purpose}`,
    { ways: [steps], alternatives: (statedNames) => swapTools(purpose as ToolPurpose, steps, statedNames) },
  ]),
);

/** Returns the bindings with the tool of each other purpose that needs the same arguments. */
function swapTools(purpose: ToolPurpose, steps: readonly Step[], { bindings }: StatedNames): Alternative[] {
  const tools = isRecord(bindings.tools) ? bindings.tools : {};
  const args = isRecord(bindings.tool_args) ? bindings.tool_args : {};
  const others = Object.keys(toolNames).filter(
    (one) => one !== purpose && tools[one] !== undefined && takesArgumentAs(one, purpose),
  );
  return others.map((other) => ({
    needs: [`binding.tools.${purpose}`, `binding.tools.${other}`],
    why: `the tool of bindings.tools.${other} does what ${purpose} is for`,
    bindings: {
      ...bindings,
      tools: { ...tools, [purpose]: tools[other], [other]: tools[purpose] },
      tool_args: { ...args, [purpose]: args[other], [other]: args[purpose] },
    },
    steps,
  }));
}

/** Returns whether two tools need arguments of the same names. */
function takesArgumentAs(one: string, other: string): boolean {
  const [first, second] = [one, other].map((purpose) => {
    const { arguments: args = {}, optional = [] } = toolNames[purpose] ?? {};
    return Object.keys(args).filter((name) => !optional.includes(name));
  });
  return first?.join() === second?.join();
}
