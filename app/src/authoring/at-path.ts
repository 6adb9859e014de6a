/** A JSON object whose known keys depend on the content type. */
export type ContentData = Record<string, unknown>;

const isData = (value: unknown): value is ContentData =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value of `data` at a path such as `grading.max_points`, or undefined. */
export function valueAtPath(data: ContentData, path: string): unknown {
  let value: unknown = data;
  for (const key of path.split(".")) value = isData(value) ? value[key] : undefined;
  return value;
}

/** A copy of `data` with the value at a path set, or removed if undefined. */
export function withValueAtPath(data: ContentData, path: string, value: unknown): ContentData {
  const [key = "", ...rest] = path.split(".");
  const before = data[key];
  const inner =
    rest.length === 0 ? value : withValueAtPath(isData(before) ? before : {}, rest.join("."), value);
  const { [key]: _, ...others } = data;
  const isNothing =
    inner === undefined || (rest.length > 0 && isData(inner) && Object.keys(inner).length === 0);
  return isNothing ? others : { ...data, [key]: inner };
}

/** The objects in the list at a path, or none if it is not a list. */
export function objectsInListAtPath(data: ContentData, path: string): ContentData[] {
  const rows = valueAtPath(data, path);
  return Array.isArray(rows) ? rows.filter(isData) : [];
}
