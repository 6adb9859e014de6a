import { formerStudentView } from "./former-student-view.ts";
import { studentView } from "./student-view.ts";

type Json = Record<string, unknown>;

/**
 * The keys of an item's `data_json` that learners were shown while unknown ones were theirs, and are not shown any more:
 * each once, those within objects with their path, as in `blocks[].note`. Pure.
 */
export function lostKeys(contentTypeName: string, dataJson: Json): string[] {
  const seen = new Set(pathsIn(studentView(contentTypeName, dataJson)));
  const former = new Set(pathsIn(formerStudentView(contentTypeName, dataJson)));
  const lost = [...former].filter((path) => !seen.has(path));
  // What is lost with the object around it needs no word of its own.
  return lost.filter((path) => !lost.some((other) => isWithin(path, other)));
}

const isWithin = (path: string, other: string): boolean =>
  path.startsWith(`${other}.`) || path.startsWith(`${other}[]`);

function pathsIn(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => pathsIn(entry, `${path}[]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const own = path ? `${path}.${key}` : key;
    return [own, ...pathsIn(inner, own)];
  });
}
