type Json = Record<string, unknown>;

/**
 * Omits a lab's hidden files, environment, entry point and grading, a quiz's answers, and a tool's address and
 * parameters. Keeps unknown keys.
 */
export function withoutStaffOnlyFields(contentTypeName: string, dataJson: Json): Json {
  switch (contentTypeName) {
    case "engineering_lab":
      return labOfStudents(dataJson);
    case "quiz":
      return withoutAnswers(dataJson) as Json;
    case "external_tool":
      return withoutToolSettings(dataJson);
    default:
      return dataJson;
  }
}

/** `env` may hold secrets, and `entrypoint` names the tests. */
function labOfStudents({ files, grading, env: _, entrypoint: __, ...open }: Json): Json {
  return {
    ...open,
    ...(Array.isArray(files) && { files: files.filter(isForStudents) }),
    ...(isObject(grading) && { grading: pick(grading, ["type", "max_points", "extra_points"]) }),
  };
}

/** Custom parameters may hold secrets. */
const withoutToolSettings = ({
  url: _,
  custom: __,
  resource_id: ___,
  tag: ____,
  line_item: _____,
  submission_review: ______,
  ...open
}: Json): Json => open;

const giveAnswersAway = new Set(["answer", "answers", "correct", "solution", "explanation"]);

/** Recursion is safe: request bodies limit the nesting of JSON. */
function withoutAnswers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAnswers);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      giveAnswersAway.has(key.toLowerCase()) ? [] : [[key, withoutAnswers(inner)]],
    ),
  );
}

/** Files without a known role stay hidden; they may be tests. */
const isForStudents = (file: unknown): boolean => isObject(file) && file["role"] === "student_visible";

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const pick = (from: Json, keys: readonly string[]): Json =>
  Object.fromEntries(keys.filter((key) => Object.hasOwn(from, key)).map((key) => [key, from[key]]));
