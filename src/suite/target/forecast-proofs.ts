import type { Row, Step } from "../../engine/scenario/format.js";
import type { BindingProof } from "../../engine/target/rules.js";
import { REGISTRATION, SPARE_TRIPLE, startedJob } from "../statements/setup-steps.js";

const step: Step = { rest: "POST /api/repos", json: REGISTRATION, given: { status: "2xx" } };

/** Returns the step that registers another repository with these fields. */
export function createForecastStep(json: Row): Step {
  return {
    rest: "POST /api/repos",
    json: { ...json, "{binding.register_body.repo}": `${SPARE_TRIPLE.repo}-2` },
    expect: { status: "2xx" },
  };
}

/** Steps that let the run of `{job}` succeed. */
const successSteps: readonly Step[] = [
  { rest: "GET /api/jobs/{job}", until: { within: "90s", every: "5s" }, given: { json: { status: "running" } } },
  { drive: "finish-job", with: { job_id: "{job}", outcome: "success" } },
  { rest: "GET /api/jobs/{job}", until: { within: "20s", every: "2s" }, given: { json: { status: "completed" } } },
];

/** A run in another repository, with another name and branch, does not change the forecast of a repository. */
const byRepository: readonly Step[] = [
  step,
  createForecastStep({ ...REGISTRATION, "{binding.register_body.branch}": "other-{unique}" }),
  { rest: "GET /api/forecasts/lookup", query: createForecastQuery(SPARE_TRIPLE), save: { runs: "/sample_size" } },
  {
    rest: `POST /api/repos/${SPARE_TRIPLE.owner}/${SPARE_TRIPLE.repo}-2/other-{unique}/jobs`,
    json: { workflow: "audit", params: {} },
    given: { status: 201 },
    save: { job: "/id" },
  },
  ...successSteps,
  createShownStep({ query: createForecastQuery({ repo: `${SPARE_TRIPLE.repo}-2`, branch: "other-{unique}" }) }),
  {
    rest: "GET /api/forecasts/lookup",
    query: createForecastQuery(SPARE_TRIPLE),
    expect: { status: 200, json: { sample_size: "{runs}" } },
  },
];

/** A run in the workspace of `full` does not add to the forecast of another workspace, on REST or by the tool. */
const byWorkspace = [createWorkspaceSteps("rest"), createWorkspaceSteps("mcp")];

function createWorkspaceSteps(surface: "rest" | "mcp"): readonly Step[] {
  const read: Step =
    surface === "rest"
      ? { rest: "GET /api/forecasts/lookup", as: "free", query: { workflow: "audit" } }
      : { mcp: { tool: "forecast", arguments: { workflow: "audit" } }, as: "free" };
  const field = surface === "rest" ? "/sample_size" : "/result/structuredContent/sample_size";
  const unchanged = { sample_size: { lte: "{theirs}" } };
  return [
    { clock: { until: "idle" } },
    { ...read, save: { theirs: field } },
    startedJob,
    ...successSteps,
    createShownStep({ query: { workflow: "audit" } }),
    { ...read, expect: surface === "rest" ? { json: unchanged } : { result: { structuredContent: unchanged } } },
  ];
}

function createShownStep({ query }: { query: Row }): Step {
  return {
    rest: "GET /api/forecasts/lookup",
    query,
    until: { within: "20s", every: "2s" },
    given: { status: 200, json: { sample_size: { gte: 1 } } },
  };
}

function createForecastQuery({ repo, branch }: { repo: string; branch: string }): Row {
  return { workflow: "audit", repo_name: `${repo}@${branch}` };
}

/** States how a server shows which runs its forecasts use. */
export const forecastProofs: Readonly<Record<string, BindingProof>> = {
  "binding.forecasts.by_repository": { ways: [byRepository] },
  "binding.forecasts.by_workspace": { ways: byWorkspace },
};
