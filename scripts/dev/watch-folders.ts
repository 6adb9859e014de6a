import { globSync, watch } from "node:fs";
import path from "node:path";

/** Changes come in bursts: editors write and rename, generators write many files. */
const QUIET_MS = 100;

/**
 * Calls `onChange` once after each burst of changes in these folders and their subfolders, until closed.
 * Watches folders, because editors replace files.
 */
export function watchFolders(folders: readonly string[], onChange: () => void): { close(): void } {
  let quiet: NodeJS.Timeout | undefined;
  let watchers = open();

  function open() {
    const all = folders.flatMap((top) => [
      top,
      ...globSync("**/", { cwd: top }).map((below) => path.join(top, below)),
    ]);
    // A deleted folder is a change of its parent, not an error.
    return all.map((folder) => watch(folder, notice).on("error", () => {}));
  }

  function notice() {
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      const before = watchers;
      watchers = open();
      for (const watcher of before) watcher.close();
      onChange();
    }, QUIET_MS);
  }

  return {
    close() {
      clearTimeout(quiet);
      for (const watcher of watchers) watcher.close();
    },
  };
}
