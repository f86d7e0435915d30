import { type Around, type Mutant, routeOf, withAnswer, withQuery } from "./mutant.js";

const lookup = "GET /api/forecasts/lookup";

type Forecast = Record<string, unknown>;

/** Faults in what is forecast. */
export const forecastMutants: Mutant[] = [
  { name: "tells costs as text", breaks: "FORECAST-COST", around: told(({ cost_mid }) => ({ cost_mid: String(cost_mid) })) },
  { name: "tells no longest duration", breaks: "FORECAST-DURATION", around: told(() => ({ duration_high: null })) },
  {
    name: "tells half a run as sample size",
    breaks: "FORECAST-SAMPLE-SIZE",
    around: told(({ sample_size }) => ({ sample_size: Number(sample_size) + 0.5 })),
  },
  { name: "is not confident at all", breaks: "FORECAST-CONFIDENCE", around: told(() => ({ confidence: undefined })) },
  {
    name: "swaps the shortest and the longest duration",
    breaks: "FORECAST-ORDERED",
    around: told(({ duration_low, duration_high }) => ({ duration_low: duration_high, duration_high: duration_low })),
  },
  {
    name: "forecasts an audit where no workflow is named",
    breaks: "FORECAST-LOOKUP-WORKFLOW",
    around: (world, call, perform) =>
      perform(world, routeOf(call) === lookup && !call.query.workflow ? withQuery(call, { workflow: "audit" }) : call),
  },
  {
    name: "finds no forecast by a slug",
    breaks: "FORECAST-LOOKUP-REPO",
    around: (world, call, perform) =>
      perform(world, call.query.repo_name ? withQuery(call, { repo_name: `${call.query.repo_name[0]}/main` }) : call),
  },
  {
    name: "wants a repository to forecast for",
    breaks: "FORECAST-LOOKUP-WORKSPACE",
    around: (world, call, perform) =>
      perform(world, routeOf(call) === lookup && !call.query.repo_name ? withQuery(call, { workflow: undefined }) : call),
  },
];

function told(change: (forecast: Forecast) => Forecast): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    return routeOf(call) === lookup && reply.status === 200 ? withAnswer(reply, change(reply.body as Forecast)) : reply;
  };
}
