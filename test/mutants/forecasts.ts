import type { WorkflowName } from "../../src/contract/types.js";
import type { IncomingCall } from "../../src/service/call.js";
import { estimateForecast } from "../../src/service/jobs/forecasts.js";
import { changeMatchingResponses, mutantPerValue } from "./family.js";
import { bySlug, getNamesakes, hasSlugForm } from "./helpers/observations.js";
import { hideRepositories } from "./helpers/repositories.js";
import { changeWireResponse } from "./helpers/responses.js";
import { forecastRoute, repoRoute } from "./helpers/routes.js";
import { matchesRoute } from "./impersonation.js";
import {
  changeResponses,
  changeShownRows,
  getKey,
  getRepo,
  getRoute,
  type Mutant,
  type Shown,
  withQuery,
  withResponse,
  withRows,
  wrapRoute,
} from "./mutant.js";

const nowhere = "no@where";

/** Mutants that break a clause of FORECAST-CONFIDENCE-*, FORECAST-COST-*, FORECAST-DURATION-*, FORECAST-LOOKUP-*, FORECAST-ORDERED-*, FORECAST-REPO-* or FORECAST-SAMPLE-*. */
export const forecastsMutants: Mutant[] = [
  ...mutantPerValue(
    "FORECAST-LOOKUP-REPO",
    "branch form",
    "finds no forecast for a slug with * instead of the forecast of that repository",
    (form) =>
      wrapRoute("GET /api/forecasts/lookup", (world, call, perform) =>
        perform(world, hasSlugForm(form, call.query.repo_name?.[0]) ? withQuery(call, { repo_name: nowhere }) : call),
      ),
  ),
  ...["cost_mid", "duration_low", "sample_size", "confidence"].flatMap((field, at) =>
    ["workflow=audit", "workflow=standard_audit", "repo_name="].map((part) =>
      changeWireResponse(
        `answers ${field} as an object for a request of ${part} instead of the stated form`,
        (["FORECAST-COST", "FORECAST-DURATION", "FORECAST-SAMPLE-SIZE", "FORECAST-CONFIDENCE"] as const)[at]!,
        (relayedRequest) =>
          matchesRoute(forecastRoute)(relayedRequest) &&
          `${relayedRequest.path}&`.includes(part.endsWith("=") ? part : `${part}&`),
        (response) => ({
          ...response,
          text: response.text.replace(new RegExp(`"${field}":("[^"]*"|[\\d.]+)`), `"${field}":null`),
        }),
      ),
    ),
  ),
  ...mutantPerValue(
    "FORECAST-LOOKUP-REPO",
    "namesake",
    "includes the runs of a repository whose slug differs only in its * instead of one repository's runs",
    (part) =>
      changeResponses("GET /api/forecasts/lookup", (response, world, call) => {
        const others = getNamesakes(world, bySlug(world, getKey(world, call)?.workspace, call.query.repo_name?.[0]), part);
        const runs = Object.values(world.jobs).filter(({ repo, status }) => status === "completed" && others.includes(repo));
        const { sample_size = 0 } = (response.body ?? {}) as { sample_size?: number };
        return response.status === 200 ? withResponse(response, { sample_size: sample_size + runs.length }) : response;
      }),
  ),
  ...changeForecast("FORECAST-COST", "answers costs as text instead of numbers", ({ cost_low, cost_mid, cost_high }) => ({
    cost_low: String(cost_low),
    cost_mid: String(cost_mid),
    cost_high: String(cost_high),
  })),
  ...changeForecast("FORECAST-DURATION", "leaves the longest duration out instead of answering it", () => ({
    duration_high: null,
  })),
  ...changeForecast("FORECAST-SAMPLE-SIZE", "answers half a run as sample size instead of an integer", ({ sample_size }) => ({
    sample_size: Number(sample_size) + 0.5,
  })),
  ...changeForecast("FORECAST-CONFIDENCE", "answers no confidence instead of a value", () => ({ confidence: undefined })),
  ...changeForecast(
    "FORECAST-ORDERED",
    "swaps the lowest and the highest cost instead of ordering them",
    ({ cost_low, cost_high }) => ({
      cost_low: cost_high,
      cost_high: cost_low,
    }),
  ),
  ...changeForecast(
    "FORECAST-ORDERED",
    "swaps the shortest and the longest duration instead of ordering them",
    ({ duration_low, duration_high }) => ({
      duration_low: duration_high,
      duration_high: duration_low,
    }),
  ),
  ...changeForecast(
    "FORECAST-ORDERED",
    "swaps the costs of a workflow without runs instead of ordering them",
    ({ sample_size, cost_low, cost_high }) => (sample_size === 0 ? { cost_low: cost_high, cost_high: cost_low } : {}),
  ),
  ...changeForecast(
    "FORECAST-ORDERED",
    "orders durations as text instead of by length",
    ({ duration_low, duration_mid, duration_high }) => {
      const [low, mid, high] = [duration_low, duration_mid, duration_high].sort();
      return { duration_low: low, duration_mid: mid, duration_high: high };
    },
  ),
  ...mutantPerValue(
    "FORECAST-LOOKUP-ROUTE",
    "audit workflow",
    "answers a looked-up forecast of * in a list instead of as one object",
    (workflow) =>
      changeMatchingResponses(
        ({ status }, call) => status === 200 && isLookup(call, workflow),
        (response) => ({ ...response, body: { data: [response.body] } }),
      ),
  ),
  ...mutantPerValue(
    "FORECAST-LOOKUP-REPO",
    "audit workflow",
    "finds no forecast of * by a slug instead of answering it",
    (workflow) =>
      wrapRoute(forecastRoute, (world, call, perform) =>
        perform(world, isLookup(call, workflow) && call.query.repo_name ? withQuery(call, { repo_name: "no@where" }) : call),
      ),
  ),
  ...mutantPerValue(
    "FORECAST-LOOKUP-WORKSPACE",
    "audit workflow",
    "requires a repository for a forecast of * instead of answering for the workspace",
    (workflow) =>
      wrapRoute(forecastRoute, (world, call, perform) =>
        perform(world, isLookup(call, workflow) && !call.query.repo_name ? withQuery(call, { workflow: undefined }) : call),
      ),
  ),
  {
    name: "answers the forecast of an audit to a request without a workflow instead of refusing it",
    breaks: "FORECAST-LOOKUP-WORKFLOW",
    around: wrapRoute(forecastRoute, (world, call, perform) =>
      perform(world, call.query.workflow ? call : withQuery(call, { workflow: "audit" })),
    ),
  },
  {
    name: "forecasts for a repository from the runs of its workspace instead of its own runs",
    breaks: "FORECAST-REPO-ROUTE",
    around: wrapRoute("GET /api/repos/{owner}/{repo}/{branch}/forecasts", (world, call, perform) => {
      const workspace = getRepo(world, call)?.workspace;
      return withRows<{ workflow: WorkflowName }>(perform(world, call), (rows) =>
        rows.map((row) => ({ ...row, ...(workspace && estimateForecast(world, workspace, null, row.workflow)) })),
      );
    }),
  },
  {
    name: "answers 404 for the forecasts of a repository instead of listing them",
    breaks: "FORECAST-REPO-ROUTE",
    around: hideRepositories(`${repoRoute}/forecasts`, () => true),
  },
  {
    name: "lists one forecast of a repository instead of one for each workflow",
    breaks: "FORECAST-REPO-ROUTE",
    around: changeResponses(`${repoRoute}/forecasts`, (response) => withRows(response, (rows) => rows.slice(0, 1))),
  },
  {
    name: "lists no forecasts of a repository instead of all",
    breaks: "FORECAST-REPO-ROUTE",
    around: changeResponses(`${repoRoute}/forecasts`, (response) =>
      response.status === 200 ? { ...response, body: null } : response,
    ),
  },
  {
    name: "lists the workflows of a repository without forecasts instead of with them",
    breaks: "FORECAST-REPO-ROUTE",
    around: changeResponses(`${repoRoute}/forecasts`, (response) =>
      withRows(response, (rows) => rows.map(() => ({ workflow: "audit" }))),
    ),
  },
  {
    name: "forecasts for the workspace without the highest cost instead of with it",
    breaks: "FORECAST-LOOKUP-ROUTE",
    around: changeResponses(forecastRoute, (response, _world, call) => {
      const { cost_high: _, ...rest } = (response.body ?? {}) as { cost_high?: number };
      return call.query.repo_name || response.status !== 200 ? response : { ...response, body: rest };
    }),
  },
  {
    name: "answers no confidence for a forecast without runs instead of a value",
    breaks: "FORECAST-CONFIDENCE",
    around: changeShownRows("GET /api/forecasts/lookup", (shown) =>
      shown.sample_size === 0 ? { ...shown, confidence: null } : shown,
    ),
  },
];

function changeForecast(
  breaks: "FORECAST-COST" | "FORECAST-DURATION" | "FORECAST-SAMPLE-SIZE" | "FORECAST-CONFIDENCE" | "FORECAST-ORDERED",
  name: string,
  change: (forecast: Shown) => Shown,
): Mutant[] {
  return mutantPerValue(
    breaks,
    "audit workflow",
    `${name} in a forecast of *`,
    (workflow) => (world, call, perform) =>
      isLookup(call, workflow)
        ? changeShownRows(forecastRoute, (forecast) => ({ ...forecast, ...change(forecast) }))(world, call, perform)
        : perform(world, call),
  );
}

function isLookup(call: IncomingCall, workflow: string): boolean {
  return getRoute(call) === forecastRoute && call.query.workflow?.[0] === workflow;
}
