/** A repository as the texts of steps name it: with variables in it. */
export interface Place {
  owner: string;
  name: string;
  branch: string;
  /** As in a path. */
  path: string;
  /** As in a query. */
  slug: string;
}

/** The place of a repository by its name in the model: `repo`, `repo2`, `spare1` …, `private`, `gone` or `nowhere`. */
export function placeOf(repo: string): Place {
  const [, number] = /^repo([2-9]?)$/.exec(repo) ?? [];
  if (number !== undefined) {
    const part = (which: string) => `{repo${number}.${which}}`;
    return { owner: part("owner"), name: part("name"), branch: part("branch"), path: `{repo${number}}`, slug: `{slug${number}}` };
  }
  const { owner, name, branch } = partsOf(repo);
  return { owner, name, branch, path: `${owner}/${name}/${branch}`, slug: `${name}@${branch}` };
}

function partsOf(repo: string): Pick<Place, "owner" | "name" | "branch"> {
  if (repo === "nowhere") return { owner: "{repo.owner}", name: "nowhere-{unique}", branch: "main" };
  const [, spare] = /^spare([0-9]+)$/.exec(repo) ?? [];
  const binding = spare === undefined ? repo : "spare";
  const part = (which: string) => `{binding.${binding}.${which}}`;
  return { owner: part("owner"), name: spare === undefined ? part("repo") : `${part("repo")}-${spare}`, branch: part("branch") };
}
