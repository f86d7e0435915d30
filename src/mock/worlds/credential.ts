/**
 * Returns the world's name in a credential: `mock_<world>_…` as a bearer key, `<world>_…` as a cookie. It is empty for a key of the default
 * world; `selectWorld` selects the world by it.
 */
export function readWorldName(authorization: string | undefined, session: string | undefined): string {
  const name = authorization === undefined ? session : removePrefix(authorization);
  return name?.slice(0, Math.max(0, name.indexOf("_"))) ?? "";
}

/** Returns the session in a Cookie header. */
export function readSessionCookie(cookies: string | undefined): string | undefined {
  return cookies === undefined ? undefined : /(?:^|;\s*)session=([^;]*)/.exec(cookies)?.[1];
}

function removePrefix(authorization: string): string | undefined {
  const start = authorization.lastIndexOf(" mock_");
  return start < 0 ? undefined : authorization.slice(start + " mock_".length);
}
