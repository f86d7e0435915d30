/** Lists at most `max` names: `a, b and 3 more`. */
export function formatShortList(names: readonly string[], max: number): string {
  const more = names.length - max;
  return more > 0 ? `${names.slice(0, max).join(", ")} and ${more} more` : names.join(", ");
}

/** Formats a count with its noun: `1 clause`, `2 clauses`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : formatPlural(noun)}`;
}

/** Formats a duration: `45 s`, `5 min`. From two minutes on it is rounded to minutes. */
export function formatDuration(seconds: number): string {
  return seconds < 120 && seconds !== 60 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

/** Returns the plural of a name such as `page` or `answer with a body`. */
export function formatPlural(name: string): string {
  const [noun = "", rest = ""] = name.split(/(?= (?:with|without|of|in|on|that|by|for|to) )(.*)/);
  return `${formatNounPlural(noun)}${rest}`;
}

function formatNounPlural(noun: string): string {
  if (/(s|x|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** Cuts a text after `maxCharacters` characters and appends `…`. */
export function cutText(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}
