/** A page's archive path and the existing files; without a path, links into the archive are omitted. */
export type ArchivePageLocation = { path: string; names: ReadonlySet<string> };

/** Canvas's prefix and the standard's. */
const fileBase = /^\$?(IMS-CC-FILEBASE|IMS_CC_FILEBASE)\$?\/?/;

/** The folder that Canvas's prefix refers to. */
const webResources = "web_resources/";

/**
 * The archive file of an address in a file at `from`; undefined for web addresses, missing files and paths
 * outside the archive.
 */
export function resolveArchiveFile(
  address: string,
  from: string,
  names: ReadonlySet<string>,
): string | undefined {
  const path = decodePath(address.split(/[?#]/)[0] ?? "");
  if (path === "" || (/^[a-z][\w+.-]*:/i.test(path) && !fileBase.test(path)) || path.startsWith("//"))
    return undefined;
  const ways = fileBase.test(path)
    ? [
        webResources + path.replace(fileBase, ""),
        path.replace(fileBase, ""),
        joined(folderOf(from), path.replace(fileBase, "")),
      ]
    : [joined(folderOf(from), path), joined("", path)];
  return ways.flatMap((way) => normalizeArchivePath(way) ?? []).find((way) => names.has(way));
}

/** Resolves `.` and `..`; undefined if the path leaves the archive. */
export function normalizeArchivePath(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.replaceAll("\\", "/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

const joined = (folder: string, path: string): string =>
  path.startsWith("/") ? path.slice(1) : folder + path;

/** Decodes `%20` and other escapes, if valid. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export const fileNameOfPath = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
