/** A repository in the texts of steps, with variables. */
export interface RepositoryAddress {
  owner: string;
  name: string;
  branch: string;
  /** As part of a path. */
  path: string;
  /** As a query value. */
  slug: string;
}

/** Returns the address of a repository by its name in the model: `repo`, `repo2`, `spare1` …, `private`, `gone` or `nowhere`. */
export function findAddress(repo: string): RepositoryAddress {
  const [, number] = /^repo([2-9]?)$/.exec(repo) ?? [];
  if (number !== undefined) {
    const part = (which: string) => `{repo${number}.${which}}`;
    return { owner: part("owner"), name: part("name"), branch: part("branch"), path: `{repo${number}}`, slug: `{slug${number}}` };
  }
  const { owner, name, branch } = splitAddress(repo);
  return { owner, name, branch, path: `${owner}/${name}/${branch}`, slug: `${name}@${branch}` };
}

function splitAddress(repo: string): Pick<RepositoryAddress, "owner" | "name" | "branch"> {
  if (repo === "nowhere") return { owner: "{repo.owner}", name: "nowhere-{unique}", branch: "main" };
  const [, spare] = /^spare([0-9]+)$/.exec(repo) ?? [];
  const binding = spare === undefined ? repo : "spare";
  const part = (which: string) => `{binding.${binding}.${which}}`;
  return { owner: part("owner"), name: spare === undefined ? part("repo") : `${part("repo")}-${spare}`, branch: part("branch") };
}
