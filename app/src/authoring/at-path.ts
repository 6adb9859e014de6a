/** Content as it is stored: a JSON object whose known keys depend on its kind. */
export type Data = Record<string, unknown>;

const isData = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What stands in `data` at a path such as `grading.max_points`; undefined where nothing does. */
export function valueAt(data: Data, path: string): unknown {
  let value: unknown = data;
  for (const key of path.split(".")) value = isData(value) ? value[key] : undefined;
  return value;
}

/** `data` with a value at a path, or without it where the value is undefined; what else is there stays. */
export function withValueAt(data: Data, path: string, value: unknown): Data {
  const [key = "", ...rest] = path.split(".");
  const before = data[key];
  const inner = rest.length === 0 ? value : withValueAt(isData(before) ? before : {}, rest.join("."), value);
  const { [key]: _, ...others } = data;
  const isNothing =
    inner === undefined || (rest.length > 0 && isData(inner) && Object.keys(inner).length === 0);
  return isNothing ? others : { ...data, [key]: inner };
}

/** The objects of a list at a path; anything else that stands there is no list of rows. */
export function rowsAt(data: Data, path: string): Data[] {
  const rows = valueAt(data, path);
  return Array.isArray(rows) ? rows.filter(isData) : [];
}
