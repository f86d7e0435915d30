import type { Points } from "./point.js";

/** The open points of repositories: registration, removal, reset and reading. */
export const ofRepositories: Points = {
  "LIST-ENVELOPES": {
    "A bare array": { listShape: (rows) => rows },
    "Another object for each route": { listShape: (rows) => ({ items: rows, total: rows.length }) },
  },
  "DISCOVERY-SHAPE": {
    "One object with all files": {
      discoveryShape: (rows) => Object.fromEntries((rows as { path: string; text: string }[]).map((row) => [row.path, row.text])),
    },
  },
  "KNOWLEDGE-SHAPE": {
    "A document in another layout": {
      knowledgeShape: (bundle) => ({ sections: Object.entries(bundle).map(([title, content]) => ({ title, content })) }),
    },
  },
  "REPO-DETAIL": {
    "Any other shape": {
      repoShape: ({ id, owner, name, branch }) => ({ id, repository: { owner: { login: owner }, name, default: { branch } } }),
    },
    "One text for the triple": { repoShape: ({ owner, name, branch }) => ({ full_name: `${owner}/${name}:${branch}` }) },
  },
  "REGISTER-BODY": {
    "One field for the whole triple": { registerWhole: { field: "repository", prefix: "" } },
    "A clone URL": { registerWhole: { field: "clone_url", prefix: "https://code.example/" } },
    "Other names": { register: { owner: "organisation", repo: "name", branch: "ref" } },
  },
  "REGISTER-CREDIT": { "The registration itself is 402": { brokeRegisters: false } },
  "REGISTER-REFUSALS": {
    "404 for a repository that is gone": { goneHttp: 404 },
    "201 for a repository that is gone": { goneHttp: 201 },
  },
  "REGISTER-ECHO": { "In `message` only": { echo: "message" }, "At the top of the body": { echo: "body" } },
  "UNVERIFIED-CODE": { "Any other code": { unverifiedCode: "upstream-unavailable" } },
  "REPOSITORY-ORDER": { "Newest first": { repoOrder: "newest first" }, "By name": { repoOrder: "by name" } },
  "SOFT-DELETE": {
    "Its jobs are 404 too": { jobsOfDeleted: "go" },
    "Registering it again restores its history": { restores: true },
  },
  "RESET-FLAGS": {
    "Timestamps or lists as values": { reset: "timestamps" },
    "Jobs in flight are cancelled": { reset: "cancels" },
    "422 without a flag": { reset: "wants a flag" },
  },
  "PATH-ENCODING": { "The rest of the path is the branch": { slashInPath: true } },
  "SEGMENT-NAMES": { "Any other names": { segments: ["account", "project", "git_ref"] } },
  "PLAN-CAP": { "Each workspace at its cap": { freeRoom: 0, paidRoom: 0 } },
};
