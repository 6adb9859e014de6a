import { globSync, watch } from "node:fs";
import path from "node:path";

/** A change often comes as several: an editor writes beside a file and renames, a generator writes many. */
const QUIET_MS = 100;

/**
 * Calls `onChange` once after each burst of changes in these folders and all below them, until it is closed. Folders are
 * watched rather than files: those are replaced when an editor saves.
 */
export function watchFolders(folders: readonly string[], onChange: () => void): { close(): void } {
  let quiet: NodeJS.Timeout | undefined;
  let watchers = open();

  function open() {
    const all = folders.flatMap((top) => [
      top,
      ...globSync("**/", { cwd: top }).map((below) => path.join(top, below)),
    ]);
    // A folder that goes away is a change of the one above it, and no error.
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
