type Json = Record<string, unknown>;

/**
 * What of an item's `data_json` anyone may see. Of an engineering lab the files that are for students, and of its
 * grading only the kind and the points: the hidden tests and how they grade are the staff's. Pure.
 */
export function studentView(contentTypeName: string, dataJson: Json): Json {
  if (contentTypeName !== "engineering_lab") return dataJson;
  const { files, grading, ...open } = dataJson;
  return {
    ...open,
    ...(Array.isArray(files) && { files: files.filter(isForStudents) }),
    ...(isObject(grading) && { grading: pick(grading, ["type", "max_points"]) }),
  };
}

/** What is not marked as theirs stays hidden: a file without a known role may be a test. */
const isForStudents = (file: unknown): boolean => isObject(file) && file["role"] === "student_visible";

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const pick = (from: Json, keys: readonly string[]): Json =>
  Object.fromEntries(keys.filter((key) => Object.hasOwn(from, key)).map((key) => [key, from[key]]));
