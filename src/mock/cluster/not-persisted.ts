/** Why a world cannot be had, or what happened to it not be kept: nothing was done, and asked again later it may be. */
export function notPersistedError(why: string): Error {
  return Object.assign(new Error(why), { name: "Unkept" });
}

/** Whether something failed for that reason. */
export function isNotPersisted(error: unknown): boolean {
  return error instanceof Error && error.name === "Unkept";
}
