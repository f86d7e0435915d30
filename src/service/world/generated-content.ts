import { contract } from "../../contract/load.js";
import { drawRandom, pickRandom } from "./random.js";
import type { Observation, World } from "./world.js";

type Content = Pick<
  Observation,
  "kind" | "priority" | "category" | "domain" | "title" | "description" | "severity" | "locations"
>;

type Location = Observation["locations"][number];
type Lines = Pick<Location, "line_start" | "line_end">;

/** The relative frequency of each kind in generated observations. */
const kinds = repeatEntries<Observation["kind"]>({ finding: 3, suggestion: 1, advisory: 1 });
const priorities = repeatEntries<Observation["priority"]>({ P0: 1, P1: 2, P2: 3, P3: 2 });
const { Category: categories, Domain: domains } = contract.enums;
const severityFrom: Record<Observation["priority"], number> = { P0: 90, P1: 70, P2: 40, P3: 10 };

const subjects: Record<Observation["category"], readonly string[]> = {
  security: ["User input reaches a shell command", "A secret is written to the log", "A redirect follows any address"],
  correctness: ["The last page is never read", "A rounded sum is compared for equality", "A timeout is taken for a success"],
  maintainability: ["One function does four tasks", "The same check is written three times", "A switch has no default branch"],
  performance: ["A query runs once for every row", "The whole file is read to find one line", "A cache never forgets"],
  architecture: ["The view writes to the database", "Two modules import each other", "A rule of business lives in a template"],
  operations: ["The container runs as root", "A retry has no upper bound", "A health check always answers yes"],
};
const folders = ["src", "src/api", "src/jobs", "lib", "web/pages", "web/forms"] as const;
const files = ["accounts", "billing", "export", "import", "mailer", "search", "sessions", "upload"] as const;
const workflowFiles = [".github/workflows/build.yml", ".github/workflows/release.yml"] as const;

// rows share these strings, because a million rows have no memory for one string each
const sources = groupByName(files, (name) => ({
  symbol: `${name}Handler`,
  paths: groupByName(folders, (folder) => `${folder}/${name}.ts`),
}));
const paths = [...workflowFiles, ...Object.values(sources).flatMap((source) => Object.values(source.paths))];
const allSubjects = Object.values(subjects).flat();
const titles = new Map(allSubjects.map((subject) => [subject, new Map(paths.map((path) => [path, `${subject} in ${path}`]))]));
const descriptions = new Map(
  allSubjects.map((subject) => [subject, `${subject}. Seen by the run that read this part of the repository.`]),
);

/** Generates the content of an observation by the seed, consistent with the given fields. */
export function generateContent(world: World, parts: Partial<Observation>): Content {
  const kind = parts.kind ?? pickRandom(world, kinds);
  const priority = parts.priority ?? pickRandom(world, priorities);
  const category = parts.category ?? pickRandom(world, categories);
  const locations = parts.locations ?? [generateLocation(world)];
  const subject = pickRandom(world, subjects[category]);
  return {
    kind,
    priority,
    category,
    domain: pickRandom(world, domains),
    title: locations[0] ? buildTitle(subject, locations[0].file_path) : subject,
    description: descriptions.get(subject) ?? subject,
    severity: severityFrom[priority] + Math.floor(drawRandom(world) * 10),
    locations,
  };
}

/** Generates a location in a file that the service may change, by the seed. */
export function generateSourceLocation(world: World): Location {
  return chooseSourceFile(world, generateLines(world));
}

function buildTitle(subject: string, path: string): string {
  return titles.get(subject)?.get(path) ?? `${subject} in ${path}`;
}

function groupByName<Name extends string, Made>(names: readonly Name[], make: (name: Name) => Made): Record<Name, Made> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Made>;
}

/** Returns a list with each entry as often as the table says. */
function repeatEntries<T extends string>(times: Record<T, number>): T[] {
  return (Object.keys(times) as T[]).flatMap((entry) => Array<T>(times[entry]).fill(entry));
}

function generateLocation(world: World): Location {
  const lines = generateLines(world);
  if (drawRandom(world) < 0.04) return { file_path: pickRandom(world, workflowFiles), symbol: null, ...lines };
  return chooseSourceFile(world, lines);
}

function generateLines(world: World): Lines {
  const line_start = 1 + Math.floor(drawRandom(world) * 400);
  return { line_start, line_end: line_start + Math.floor(drawRandom(world) * 30) };
}

function chooseSourceFile(world: World, { line_start, line_end }: Lines): Location {
  const name = pickRandom(world, files);
  const { symbol, paths } = sources[name];
  return { file_path: paths[pickRandom(world, folders)], symbol, line_start, line_end };
}
