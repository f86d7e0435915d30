import { canBeHidden, type Mask } from "../../common/masking/mask.js";

/** Keys and cookies by role. */
interface Credentials {
  keys: Readonly<Record<string, string>>;
  sessions: Readonly<Record<string, string>>;
}

/** Returns a message for each credential that is too short to be masked. The run must not use such a credential. */
export function findShortCredentials({ keys, sessions }: Credentials): string[] {
  const named = [
    ...Object.entries(keys).map(([role, key]) => [`key of role ${role}`, key] as const),
    ...Object.entries(sessions).map(([role, cookie]) => [`session of ${role}`, cookie] as const),
  ];
  return named
    .filter(([, secret]) => !canBeHidden(secret))
    .map(([name]) => `the ${name} has fewer than 4 characters, so it cannot be masked in the output. Use a longer one.`);
}

/** Adds every credential of a target or a world to a mask, with the names `key.ROLE` and `session.ROLE`. */
export function hideCredentials(mask: Mask, { keys, sessions }: Credentials): void {
  for (const [role, key] of Object.entries(keys)) mask.add(key, `key.${role}`);
  for (const [role, cookie] of Object.entries(sessions)) mask.add(cookie, `session.${role}`);
}
