import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file of a directory: its text, or where it lies whole under another name. Names are relative, with slashes. */
export type OutputFile = { name: string; text: string } | { name: string; draft: string };

/**
 * Writes files into a directory (made if need be) so that nobody ever sees half of one: all under other names first, then renamed; none
 * when one of them cannot be written. Throws what the file system throws.
 */
export async function writeFiles(directory: string, files: readonly OutputFile[]): Promise<void> {
  const drafts = files.map((one) => {
    const path = join(directory, one.name);
    return { path, draft: "draft" in one ? one.draft : `${path}.${process.pid}.tmp`, ...("text" in one && { text: one.text }) };
  });
  await Promise.all(drafts.map(({ path }) => mkdir(dirname(path), { recursive: true })));
  try {
    for (const { draft, text } of drafts) if (text !== undefined) await writeFile(draft, text);
    for (const { draft, path } of drafts) await rename(draft, path);
  } finally {
    await Promise.allSettled(drafts.map(({ draft }) => rm(draft, { force: true })));
  }
}
