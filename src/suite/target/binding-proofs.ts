import type { ResponseText, Row, Step } from "../../engine/scenario/format.js";
import type { BindingProof } from "../../engine/target/rules.js";
import {
  createListedFinding,
  createRegistrationBody,
  openFinding,
  REGISTRATION,
  SPARE,
  SPARE_TRIPLE,
} from "../statements/setup-steps.js";
import { createForecastStep, forecastProofs } from "./forecast-proofs.js";
import { keyProofs } from "./key-proofs.js";
import { networksProof } from "./networks-proof.js";

const ACCEPTED_RESULT: ResponseText = { status: "2xx" };
const ACCEPTED_TOOL_RESULT: ResponseText = { content: { type: "string" } };
const REFUSED_RESULT: ResponseText = { status: "4xx" };
const REFUSED_TOOL_RESULT: ResponseText = { refused: true };
const REPO = { owner: "{repo.owner}", repo: "{repo.name}", branch: "{repo.branch}" };
const { access_mode: _, ...DEFAULT_REGISTRATION } = REGISTRATION;

const createRegistrationStep = (as: string): Step => ({
  rest: "POST /api/repos",
  as,
  json: REGISTRATION,
  given: ACCEPTED_RESULT,
});
const createRegisteredWith = (json: Row): Step => ({ rest: "POST /api/repos", json, given: ACCEPTED_RESULT });
const BY_REST: readonly Row[] = [REGISTRATION, DEFAULT_REGISTRATION, { ...REGISTRATION, access_mode: "installed" }];
const toolRegistrationSteps: Step = {
  mcp: { tool: "register_repository", arguments: { ...SPARE_TRIPLE, access_mode: "anonymous" } },
  given: ACCEPTED_TOOL_RESULT,
};
/** A server that refuses JSON for its content type shows that no field of the body is at fault. */
const refusesJson: Step[] = [{ rest: "POST /api/repos", json: {}, expect: { status: 415 } }];
/** Registration rules, rule 3: a plan may have no room for another repository, and a deleted one no longer counts. */
const getRoomSteps = (repo: string): Step => ({ rest: `DELETE /api/repos/${repo}`, given: ACCEPTED_RESULT });
const isThere: Step = { rest: `GET /api/repos/${SPARE}`, expect: { status: 200 } };
const hasJobs: Step = { rest: `GET /api/repos/${SPARE}/jobs`, expect: { status: 200 } };
const installed = createForecastStep({ ...REGISTRATION, access_mode: "installed" });
const defaultArguments = createForecastStep(DEFAULT_REGISTRATION);

function proveNotPublic(name: string): BindingProof {
  const bound = (part: string): string => `{binding.${name}.${part}}`;
  const triple = { owner: bound("owner"), repo: bound("repo"), branch: bound("branch") };
  const json = { ...createRegistrationBody(triple), access_mode: "anonymous" };
  return {
    ways: [
      [{ rest: "POST /api/repos", json, expect: REFUSED_RESULT }],
      [{ rest: "POST /api/repos", as: "free", json, expect: REFUSED_RESULT }],
      [{ mcp: { tool: "register_repository", arguments: { ...triple, access_mode: "anonymous" } }, expect: REFUSED_TOOL_RESULT }],
    ],
  };
}

/** Submits a job with these params to the repository. Each way has its own repository or role. */
function createSubmission(workflow: string, params: unknown, expect: ResponseText, more: Partial<Step> = {}): Step {
  return { rest: "POST /api/repos/{repo}/jobs", query: { force: "true" }, json: { workflow, params }, expect, ...more };
}

function createToolSubmission(workflow: string, params: unknown, expect: ResponseText, more: Partial<Step> = {}): Step {
  return { mcp: { tool: "submit_job", arguments: { ...REPO, workflow, params } }, expect, ...more };
}

const PAID = ["fix", "revalidate", "review", "publish"] as const;
const BETA = ["task", "suggest"] as const;

/**
 * Valid params of a workflow: the server accepts a submission with them. A beta workflow is submitted in the workspace with the
 * beta features.
 */
function proveValidParams(workflow: string, as: "full" | "beta"): BindingProof {
  const params = `{binding.job_params.${workflow}}`;
  const stepsBefore = workflow === "fix" ? [openFinding] : as === "beta" ? [createRegistrationStep(as)] : [];
  const [rest, triple] = as === "beta" ? [`POST /api/repos/${SPARE}/jobs`, SPARE_TRIPLE] : ["POST /api/repos/{repo}/jobs", REPO];
  const mcp = { tool: "submit_job", arguments: { ...triple, workflow, params } };
  return {
    ways: [
      [...stepsBefore, createSubmission(workflow, params, ACCEPTED_RESULT, { as, rest, inconclusiveIf: [{ status: 402 }] })],
      [...stepsBefore, createToolSubmission(workflow, params, ACCEPTED_TOOL_RESULT, { as, mcp })],
    ],
  };
}

const REFUSED_PARAMS = ["audit", "discover", "revalidate", "review", "fix", "publish", "task", "suggest"] as const;

/** Params that a workflow refuses, on either surface; those of the beta workflows in its own workspace. */
function proveRefusedParams(workflow: (typeof REFUSED_PARAMS)[number]): BindingProof {
  const params = `{binding.refused_params.${workflow}}`;
  const isBeta = workflow === "task" || workflow === "suggest";
  const [as, rest, triple] = isBeta
    ? (["beta", `POST /api/repos/${SPARE}/jobs`, SPARE_TRIPLE] as const)
    : (["full", "POST /api/repos/{repo}/jobs", REPO] as const);
  const stepsBefore = isBeta ? [createRegistrationStep(as)] : [openFinding];
  const mcp = { tool: "submit_job", arguments: { ...triple, workflow, params } };
  return {
    ways: [
      [...stepsBefore, createSubmission(workflow, params, { status: [400, 422] }, { as, rest })],
      [...stepsBefore, createToolSubmission(workflow, params, REFUSED_TOOL_RESULT, { as, mcp })],
    ],
  };
}

/** Two submissions to a new repository: the second is answered with the job of the first if `same`, else with a new job. */
function createRepeatedSteps(params: readonly [unknown, unknown], same: boolean): Step[] {
  const [first, second] = params.map((param) => ({
    rest: `POST /api/repos/${SPARE}/jobs`,
    json: { workflow: "standard_audit", params: param },
  })) as [Step, Step];
  return [
    createRegistrationStep("full"),
    { ...first, given: { status: 201 }, save: { first: "/id" } },
    { ...second, expect: { status: "2xx", json: { id: same ? "{first}" : { not: "{first}" } } } },
  ];
}

const createTexts = (value: string) => ({ "{binding.job_params.texts}": [value] });
const createOtherTexts = (value: string) => ({ "{binding.job_params.texts_too}": [value] });
const OTHER = "{binding.job_params.other}";

/** Params that make another job. A server that starts no other job for any params shows that this is not the fault of the binding. */
const proveDiffering = (params: readonly [unknown, unknown], elsewhere: readonly [unknown, unknown]): BindingProof => ({
  ways: [createRepeatedSteps(params, false), createRepeatedSteps(elsewhere, true)],
});

/** Adds a way: the server accepts a param of this name, and refuses one of an unknown name. */
function proveName(params: Row, { ways }: BindingProof): BindingProof {
  const unknownStep = createSubmission("standard_audit", { "unknown-{unique}": ["one"] }, REFUSED_RESULT);
  return { ways: [...ways, [unknownStep, createSubmission("standard_audit", params, ACCEPTED_RESULT)]] };
}

function proveTicket(part: "with" | "without"): BindingProof {
  const finding = createListedFinding(`{binding.tickets.${part}}`);
  const [rest, mcp] = part === "with" ? [ACCEPTED_RESULT, ACCEPTED_TOOL_RESULT] : [REFUSED_RESULT, REFUSED_TOOL_RESULT];
  return {
    ways: [
      [finding, { rest: "POST /api/observations/{ref}/publish-ticket", json: {}, expect: rest }],
      [finding, { mcp: { tool: "create_ticket", arguments: { ref: "{ref}" } }, expect: mcp }],
    ],
  };
}

/** A fix job that no request bound to the observation shows no pull request. */
const requestSteps: readonly Step[] = [
  openFinding,
  { rest: "POST /api/observations/{ref}/fix", json: {}, given: ACCEPTED_RESULT, save: { job: "/job_id" } },
  { rest: "POST /api/jobs/{job}/cancel" },
  {
    rest: "GET /api/jobs/{job}",
    until: { within: "20s", every: "2s" },
    given: { status: 200, json: { status: "cancelled" } },
  },
  {
    ...createSubmission("fix", "{binding.job_params.fix}", { status: 201 }),
    save: { again: "/id" },
  },
  { drive: "open-fix-pr", with: { ref: "{ref}" } },
  {
    mcp: { tool: "job_status", arguments: { job_id: "{again}" } },
    expect: { content: { not: { matches: String.raw`https?://[^\s"]+` } } },
  },
];

const overviewStep: Step = { mcp: { tool: "repository_overview", arguments: REPO } };
const setting: Step = {
  mcp: { tool: "set_setting", arguments: { setting: "{binding.setting.name}", value: "{binding.setting.value}" } },
  expect: ACCEPTED_TOOL_RESULT,
};

/** Refused for the plan on `free`, on either surface. */
const notOnFree: BindingProof = {
  ways: [
    [
      createRegistrationStep("free"),
      {
        rest: `POST /api/repos/${SPARE}/jobs`,
        as: "free",
        json: { workflow: "{binding.workflows.not_on_free}", params: "{binding.workflows.params}" },
        expect: { status: 402 },
      },
    ],
    [
      createRegistrationStep("free"),
      {
        mcp: { tool: "submit_job", arguments: { ...SPARE_TRIPLE, workflow: "{binding.workflows.not_on_free}" } },
        as: "free",
        expect: REFUSED_TOOL_RESULT,
      },
    ],
  ],
};

/** As many registrations of `free` are accepted as the target file states, in one access mode or by the tool. */
function createRepositorySteps(mode: "anonymous" | "installed"): readonly Step[] {
  const json = { ...REGISTRATION, access_mode: mode, "{binding.register_body.repo}": `${SPARE_TRIPLE.repo}-{n}` };
  return [
    {
      burst: { n: 6, rest: "POST /api/repos", as: "free", json },
      expect: { first429: null, statuses: { "2xx": "{binding.room.repositories}" } },
    },
  ];
}

/** How a server shows that each binding is true, by the need for the binding or for a part of it. The first that is not shown is the reason. */
export const bindingProofs: Readonly<Record<string, BindingProof>> = {
  "binding.register_body": {
    ways: [...BY_REST.flatMap((json) => [isThere, hasJobs].map((step) => [createRegisteredWith(json), step])), refusesJson],
    waysInWorlds: [[getRoomSteps("{repo3}"), createRegisteredWith(REGISTRATION), isThere]],
  },
  "binding.spare": {
    ways: [
      [createRegistrationStep("full"), isThere, installed],
      [createRegistrationStep("full"), hasJobs, defaultArguments],
      [toolRegistrationSteps, isThere, installed],
      [toolRegistrationSteps, hasJobs, defaultArguments],
      refusesJson,
      // refused for the access mode, which is not the fault of the repository
      [
        { rest: "POST /api/repos", json: REGISTRATION, given: { status: 422 } },
        createRegisteredWith(DEFAULT_REGISTRATION),
        isThere,
      ],
    ],
    waysInWorlds: [[getRoomSteps("{repo3}"), createRegistrationStep("full"), isThere, getRoomSteps("{repo2}"), installed]],
  },
  ...Object.fromEntries(["private", "gone", "renamed"].map((name) => [`binding.${name}`, proveNotPublic(name)])),
  ...keyProofs,
  "binding.networks": networksProof,
  "binding.job_params.invalid": {
    ways: [
      [createSubmission("standard_audit", "{binding.job_params.invalid}", { status: [400, 422] })],
      [createSubmission("standard_audit", "{binding.job_params.invalid}", { status: [400, 422] }, { as: "no_fix" })],
      [createToolSubmission("standard_audit", "{binding.job_params.invalid}", REFUSED_TOOL_RESULT)],
    ],
  },
  ...Object.fromEntries(REFUSED_PARAMS.map((workflow) => [`binding.refused_params.${workflow}`, proveRefusedParams(workflow)])),
  "binding.job_params.other": proveDiffering([{}, OTHER], [createTexts("one"), createTexts("two")]),
  "binding.job_params.texts": proveName(
    createTexts("one"),
    proveDiffering([createTexts("one"), createTexts("two")], [{}, OTHER]),
  ),
  "binding.job_params.texts_too": {
    ...proveName(createOtherTexts("one"), proveDiffering([createOtherTexts("one"), createTexts("one")], [{}, OTHER])),
    contradiction({ job_params: params }) {
      const { texts, texts_too: too } = params as Row;
      return texts === too ? `texts and texts_too are both ${texts}` : undefined;
    },
  },
  ...Object.fromEntries(PAID.map((workflow) => [`binding.job_params.${workflow}`, proveValidParams(workflow, "full")])),
  ...Object.fromEntries(BETA.map((workflow) => [`binding.job_params.${workflow}`, proveValidParams(workflow, "beta")])),
  "binding.guide": {
    ways: [
      [{ mcp: { tool: "list_guides", arguments: {} }, expect: { content: { contains: "{binding.guide}" } } }],
      [{ mcp: { tool: "read_guide", arguments: { guide: "{binding.guide}" } }, expect: ACCEPTED_TOOL_RESULT }],
    ],
  },
  "binding.doc_path": {
    ways: [
      [{ rest: "GET /api/repos/{repo}/discovery", expect: { status: 200, body: { contains: "{binding.doc_path}" } } }],
      [
        {
          mcp: { tool: "record_doc_read", arguments: { ...REPO, doc_path: "{binding.doc_path}" } },
          expect: ACCEPTED_TOOL_RESULT,
        },
      ],
    ],
  },
  "binding.setting": {
    ways: [
      [{ ...overviewStep, given: { content: { not: { matches: String.raw`\b{binding.setting.value}\b` } } } }, setting],
      [{ ...overviewStep, given: REFUSED_TOOL_RESULT }, setting],
      // the key has every scope, so a refusal for a scope is not one for the name or the value
      [{ ...setting, expect: { ...REFUSED_TOOL_RESULT, body: { contains: "insufficient_scope" } } }],
      // a server that refuses another setting too does not refuse it for its name
      [{ mcp: { tool: "set_learn_mode", arguments: { learn_mode: true } }, expect: REFUSED_TOOL_RESULT }],
    ],
  },
  "binding.tickets.with": proveTicket("with"),
  "binding.tickets.without": proveTicket("without"),
  ...forecastProofs,
  "binding.fixes.bound_on_request": { ways: [requestSteps] },
  "binding.room.repositories": { ways: [createRepositorySteps("anonymous"), createRepositorySteps("installed")] },
  "binding.room.repositories >= 1": { ways: [[{ ...createRegistrationStep("free"), expect: { status: ["2xx", 422] } }]] },
  "binding.workflows.not_on_free": notOnFree,
  "binding.workflows.params": {
    ways: [[createSubmission("{binding.workflows.not_on_free}", "{binding.workflows.params}", ACCEPTED_RESULT)]],
  },
  "binding.workflows.internal": {
    ways: [
      [createSubmission("{binding.workflows.internal}", {}, REFUSED_RESULT)],
      [createToolSubmission("{binding.workflows.internal}", {}, REFUSED_TOOL_RESULT)],
    ],
  },
};
