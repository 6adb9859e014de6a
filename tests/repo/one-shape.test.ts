import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { documentFile } from "../../scripts/build/openapi/write.ts";

type Responses = Record<string, { content?: Record<string, { schema?: object }> }>;
type Operation = { operationId: string; responses: Responses };
type Path = Partial<Record<"get" | "put" | "patch", Operation>>;

const { paths } = JSON.parse(readFileSync(documentFile, "utf8")) as { paths: Record<string, Path> };

const shapeOf = ({ responses }: Operation) => {
  const [answer] = Object.entries(responses).flatMap(([status, { content }]) =>
    status.startsWith("2") ? [content?.["application/json"]?.schema] : [],
  );
  return answer;
};

const isList = (shape: object | undefined) =>
  shape !== undefined && "type" in shape && shape.type === "array";

/** Each change of a resource whose path can be read as well. */
const pairs = Object.values(paths).flatMap(({ get, put, patch }) =>
  [put, patch].flatMap((change) =>
    get && change && shapeOf(change) && !isList(shapeOf(get))
      ? [{ read: get, change, name: `${change.operationId} and ${get.operationId}` }]
      : [],
  ),
);

describe("one resource has one shape", () => {
  it("in more than ten pairs of a read and a change", () => {
    expect(pairs.length).toBeGreaterThan(10);
  });

  it.each(pairs)("$name answer the same", ({ read, change }) => {
    expect(shapeOf(change)).toEqual(shapeOf(read));
  });
});
