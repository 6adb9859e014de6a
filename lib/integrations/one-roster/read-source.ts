import type { ImportRow } from "../imports/import-row.ts";
import { readOneRoster } from "../imports/one-roster.ts";
import type { CsvLine, CsvTables, IgnoredColumn } from "../imports/table.ts";
import { ServiceFailure } from "../lti/service-failure.ts";
import type { SourceClient } from "./source-client.ts";

/** Some 100 MB in memory. */
const maxRows = 200_000;

/** Columns that the import reads. */
const columnsByFile = {
  "academicSessions.csv": ["sourcedId", "title", "startDate", "endDate"],
  "courses.csv": ["sourcedId", "title", "courseCode"],
  "classes.csv": ["sourcedId", "status", "courseSourcedId", "termSourcedIds"],
  "users.csv": [
    ...["sourcedId", "status", "enabledUser", "givenName", "familyName", "email"],
    ...["preferredGivenName", "preferredFamilyName"],
  ],
  "roles.csv": ["userSourcedId", "role", "status"],
  "enrollments.csv": ["classSourcedId", "userSourcedId", "role", "status"],
};

type FileName = keyof typeof columnsByFile;

type Json = Record<string, unknown>;

const asObject = (value: unknown): Json =>
  typeof value === "object" && value !== null ? (value as Json) : {};
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asText = (value: unknown): string => (value === null || value === undefined ? "" : String(value));
const refId = (value: unknown): string => asText(asObject(value)["sourcedId"]);

function toColumns(resource: Json): Record<string, string> {
  return {
    ...Object.fromEntries(
      Object.entries(resource).flatMap(([name, value]) =>
        typeof value === "object" ? [] : [[name, asText(value)]],
      ),
    ),
    preferredGivenName: asText(resource["preferredFirstName"]),
    preferredFamilyName: asText(resource["preferredLastName"]),
    courseSourcedId: refId(resource["course"]),
    classSourcedId: refId(resource["class"]),
    userSourcedId: refId(resource["user"]),
    termSourcedIds: asList(resource["terms"]).map(refId).join(","),
  };
}

/** Version 1.1 has one role, 1.2 one for each organization. */
function rolesOf(user: Json): string[] {
  const listed = asList(user["roles"]).map((one) => asText(asObject(one)["role"]));
  return [...new Set([...listed, asText(user["role"])])].filter((role) => role !== "");
}

/** Lines of the files, as if the source had exported them. */
class SourceTables implements CsvTables {
  readonly ignored: IgnoredColumn[] = [];
  readonly #lines = new Map<string, CsvLine[]>();
  readonly #columns = new Map(
    Object.entries(columnsByFile).map(([file, names]) => [
      file,
      new Map(names.map((name, at) => [name, at])),
    ]),
  );
  #count = 0;

  linesOf(file: string): CsvLine[] {
    return this.#lines.get(file) ?? [];
  }

  add(file: FileName, values: Record<string, string>): void {
    this.#count += 1;
    if (this.#count > maxRows) throw new ServiceFailure(`it has more than ${maxRows} resources`, "refused");
    const lines = this.#lines.get(file) ?? [];
    this.#lines.set(file, lines);
    lines.push({
      number: lines.length + 1,
      fields: columnsByFile[file].map((name) => values[name] ?? ""),
      columns: this.#columns.get(file) ?? new Map(),
      hasSurplus: false,
    });
  }
}

/** With `since`, changed people, classes and enrollments; terms and courses are read whole, for changed classes. */
export async function readSourceRows(client: SourceClient, since: Date | undefined): Promise<ImportRow[]> {
  const changes = since && `dateLastModified>='${since.toISOString()}'`;
  const tables = new SourceTables();
  const readInto = async (file: FileName, collection: string, filter?: string) => {
    for await (const item of client.read(collection, collection, filter))
      tables.add(file, toColumns(asObject(item)));
  };
  await readInto("academicSessions.csv", "academicSessions");
  await readInto("courses.csv", "courses");
  await readInto("classes.csv", "classes", changes);
  for await (const item of client.read("users", "users", changes)) {
    const user = asObject(item);
    const columns = toColumns(user);
    tables.add("users.csv", columns);
    if (columns["status"] === "tobedeleted" || columns["enabledUser"] === "false") continue;
    for (const role of rolesOf(user))
      tables.add("roles.csv", { userSourcedId: columns["sourcedId"] ?? "", role, status: "active" });
  }
  await readInto("enrollments.csv", "enrollments", changes);
  return readOneRoster(tables);
}
