import { contract } from "../../contract/load.js";
import { draw, pick } from "./random.js";
import type { Observation, World } from "./world.js";

type Content = Pick<
  Observation,
  "kind" | "priority" | "category" | "domain" | "title" | "description" | "severity" | "locations"
>;

type Location = Observation["locations"][number];
type Lines = Pick<Location, "line_start" | "line_end">;

/** How often each comes among the invented ones. */
const kinds = repeated<Observation["kind"]>({ finding: 3, suggestion: 1, advisory: 1 });
const priorities = repeated<Observation["priority"]>({ P0: 1, P1: 2, P2: 3, P3: 2 });
const { Category: categories, Domain: domains } = contract.enums;
const severityFrom: Record<Observation["priority"], number> = { P0: 90, P1: 70, P2: 40, P3: 10 };

const subjects: Record<Observation["category"], readonly string[]> = {
  security: ["User input reaches a shell command", "A secret is written to the log", "A redirect follows any address"],
  correctness: ["The last page is never read", "A rounded sum is compared for equality", "A timeout is taken for a success"],
  maintainability: ["One function does four jobs", "The same check is written three times", "A switch has no default branch"],
  performance: ["A query runs once for every row", "The whole file is read to find one line", "A cache never forgets"],
  architecture: ["The view writes to the database", "Two modules import each other", "A rule of business lives in a template"],
  operations: ["The container runs as root", "A retry has no upper bound", "A health check always answers yes"],
};
const folders = ["src", "src/api", "src/jobs", "lib", "web/pages", "web/forms"] as const;
const files = ["accounts", "billing", "export", "import", "mailer", "search", "sessions", "upload"] as const;
const workflowFiles = [".github/workflows/build.yml", ".github/workflows/release.yml"] as const;

// each of these texts is made once: a million rows have no room for one each
const sources = byName(files, (name) => ({
  symbol: `${name}Handler`,
  paths: byName(folders, (folder) => `${folder}/${name}.ts`),
}));
const paths = [...workflowFiles, ...Object.values(sources).flatMap((source) => Object.values(source.paths))];
const allSubjects = Object.values(subjects).flat();
const titles = new Map(allSubjects.map((subject) => [subject, new Map(paths.map((path) => [path, `${subject} in ${path}`]))]));
const descriptions = new Map(
  allSubjects.map((subject) => [subject, `${subject}. Seen by the run that read this part of the repository.`]),
);

/** What an observation is about, by the seed, in agreement with the parts that are given. */
export function inventContent(world: World, parts: Partial<Observation>): Content {
  const kind = parts.kind ?? pick(world, kinds);
  const priority = parts.priority ?? pick(world, priorities);
  const category = parts.category ?? pick(world, categories);
  const locations = parts.locations ?? [inventLocation(world)];
  const subject = pick(world, subjects[category]);
  return {
    kind,
    priority,
    category,
    domain: pick(world, domains),
    title: locations[0] ? titleOf(subject, locations[0].file_path) : subject,
    description: descriptions.get(subject) ?? subject,
    severity: severityFrom[priority] + Math.floor(draw(world) * 10),
    locations,
  };
}

/** A place in a file that the service may change, by the seed. */
export function inventSourceLocation(world: World): Location {
  return inSourceFile(world, inventLines(world));
}

function titleOf(subject: string, path: string): string {
  return titles.get(subject)?.get(path) ?? `${subject} in ${path}`;
}

function byName<Name extends string, Made>(names: readonly Name[], make: (name: Name) => Made): Record<Name, Made> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Made>;
}

/** Each entry as often as the table says. */
function repeated<T extends string>(times: Record<T, number>): T[] {
  return (Object.keys(times) as T[]).flatMap((entry) => Array<T>(times[entry]).fill(entry));
}

function inventLocation(world: World): Location {
  const lines = inventLines(world);
  if (draw(world) < 0.04) return { file_path: pick(world, workflowFiles), symbol: null, ...lines };
  return inSourceFile(world, lines);
}

function inventLines(world: World): Lines {
  const line_start = 1 + Math.floor(draw(world) * 400);
  return { line_start, line_end: line_start + Math.floor(draw(world) * 30) };
}

function inSourceFile(world: World, { line_start, line_end }: Lines): Location {
  const name = pick(world, files);
  const { symbol, paths } = sources[name];
  return { file_path: paths[pick(world, folders)], symbol, line_start, line_end };
}
